//! What `where` makes of its expression.

use clj::{Cx, Value};

use crate::forms::{call, core, event_fn, in_place_of, is_symbol, list_items, ours};

/// The names that stand for fields of the event in an expression of `where`.
const MAGIC: [&str; 12] = [
    "host",
    "service",
    "state",
    "metric",
    "metric_f",
    "time",
    "ttl",
    "description",
    "tags",
    "tagged",
    "tagged-all",
    "tagged-any",
];

/// The expression with the names of fields replaced by what they stand for, in lists at any depth:
/// `metric` becomes `(:metric event)`, `(service "a" "b")` a test for either.
pub fn rewrite(form: &Value) -> Value {
    let Some(items) = list_items(form) else {
        return match magic(form) {
            Some(name) => call(Value::keyword(name), [Value::symbol("event")]),
            None => form.clone(),
        };
    };
    match items.split_first() {
        Some((head, values)) if magic(head).is_some() => {
            let name = magic(head).unwrap_or_default();
            match values {
                [value] => test_field(name, value),
                _ => call(
                    core("or"),
                    values.iter().map(|value| test_field(name, value)),
                ),
            }
        }
        _ => in_place_of(form, items.iter().map(rewrite).collect()),
    }
}

fn test_field(name: &str, value: &Value) -> Value {
    let event = Value::symbol("event");
    match name {
        "tagged" | "tagged-all" => call(ours("tagged-all?"), [value.clone(), event]),
        "tagged-any" => call(ours("tagged-any?"), [value.clone(), event]),
        _ => {
            let field = call(Value::keyword(name), [event]);
            call(ours("match-value"), [value.clone(), field])
        }
    }
}

fn magic(form: &Value) -> Option<&'static str> {
    MAGIC.into_iter().find(|name| is_symbol(form, name))
}

/// Splits the forms after an expression into those for events that pass and those inside `(else …)`.
pub fn partition_clauses(clauses: &[Value]) -> (Vec<Value>, Vec<Value>) {
    let (mut then, mut otherwise) = (Vec::new(), Vec::new());
    for clause in clauses {
        match list_items(clause) {
            Some(items) if items.first().is_some_and(|head| is_symbol(head, "else")) => {
                otherwise.extend_from_slice(&items[1..]);
            }
            _ => then.push(clause.clone()),
        }
    }
    (then, otherwise)
}

/// Makes plans, the data form of a predicate (see `predicate/plan.rs`), of expressions.
pub struct Planner<'a> {
    cx: &'a Cx<'a>,
    /// The local environment of the macro call: a map of symbols, or nil.
    env: &'a Value,
}

impl<'a> Planner<'a> {
    pub fn new(cx: &'a Cx<'a>, env: &'a Value) -> Planner<'a> {
        Planner { cx, env }
    }

    /// The form that gives the plan. Parts that are more than comparisons of fields with constants
    /// and locals become functions of the event.
    pub fn plan(&self, form: &Value) -> Value {
        self.native(form)
            .unwrap_or_else(|| plan_of("call", [event_fn(rewrite(form))]))
    }

    fn native(&self, form: &Value) -> Option<Value> {
        let Some(items) = list_items(form) else {
            return Some(plan_of("just", [self.operand(form)?]));
        };
        let (head, args) = items.split_first()?;
        if let Some(name) = magic(head) {
            return self.field_test(name, args);
        }
        if let Some(operand) = self.operand(form) {
            return Some(plan_of("just", [operand]));
        }
        let operands = || {
            args.iter()
                .map(|arg| self.operand(arg))
                .collect::<Option<Vec<_>>>()
        };
        match self.core_name(head)? {
            "and" => Some(plan_of("and", args.iter().map(|arg| self.plan(arg)))),
            "or" => Some(plan_of("or", args.iter().map(|arg| self.plan(arg)))),
            "not" if args.len() == 1 => Some(plan_of("not", [self.plan(&args[0])])),
            name @ ("<" | "<=" | ">" | ">=") if !args.is_empty() => {
                let how = std::iter::once(Value::keyword(name));
                Some(plan_of("compare", how.chain(operands()?)))
            }
            "=" if !args.is_empty() => Some(plan_of("equal", operands()?)),
            "not=" if !args.is_empty() => Some(plan_of("not", [plan_of("equal", operands()?)])),
            "nil?" if args.len() == 1 => Some(plan_of("nil", operands()?)),
            "some?" if args.len() == 1 => Some(plan_of("not", [plan_of("nil", operands()?)])),
            "expired?" if args.len() == 1 && is_symbol(&args[0], "event") => {
                Some(plan_of("expired", []))
            }
            _ => None,
        }
    }

    fn field_test(&self, name: &str, values: &[Value]) -> Option<Value> {
        let tests = values.iter().map(|value| {
            if !self.is_constant(value) {
                return None;
            }
            Some(match name {
                "tagged" | "tagged-all" => plan_of("tagged-all", [value.clone()]),
                "tagged-any" => plan_of("tagged-any", [value.clone()]),
                _ => plan_of("match", [Value::keyword(name), value.clone()]),
            })
        });
        let mut tests = tests.collect::<Option<Vec<_>>>()?;
        if tests.len() == 1 {
            tests.pop()
        } else {
            Some(plan_of("or", tests))
        }
    }

    /// A field of the event, or a constant.
    fn operand(&self, form: &Value) -> Option<Value> {
        if let Some(name) = magic(form) {
            return Some(plan_of("field", [Value::keyword(name)]));
        }
        if let Some([Value::Keyword(key), event]) = list_items(form).as_deref()
            && key.namespace().is_none()
            && is_symbol(event, "event")
        {
            return Some(plan_of("field", [Value::Keyword(key.clone())]));
        }
        self.is_constant(form)
            .then(|| plan_of("const", [form.clone()]))
    }

    /// True for a form that gives the same value each time: a literal, or a local, which cannot
    /// change.
    fn is_constant(&self, form: &Value) -> bool {
        match form {
            Value::Symbol(_) => {
                !is_symbol(form, "event") && magic(form).is_none() && self.is_local(form)
            }
            Value::Vector(items) => items.iter().all(|item| self.is_constant(item)),
            Value::Set(items) => items.iter().all(|item| self.is_constant(item)),
            Value::Map(map) => map
                .iter()
                .all(|(k, v)| self.is_constant(k) && self.is_constant(v)),
            Value::List(_) | Value::Lazy(_) => false,
            _ => true,
        }
    }

    fn is_local(&self, symbol: &Value) -> bool {
        match self.env {
            Value::Map(env) => env.contains_key(symbol),
            _ => false,
        }
    }

    /// The name of the core function or macro (or of `expired?`) that a head stands for here.
    fn core_name<'b>(&self, head: &'b Value) -> Option<&'b str> {
        let Value::Symbol(symbol) = head else {
            return None;
        };
        if symbol.namespace().is_none() && self.is_local(head) {
            return None;
        }
        let rt = self.cx.rt;
        let var = match symbol.namespace() {
            Some(namespace) => rt.var(namespace, symbol.name()),
            None => rt.current_namespace().find(symbol.name()),
        }?;
        let home = if symbol.name() == "expired?" {
            "riemann.streams"
        } else {
            "clojure.core"
        };
        (*var.namespace == *home).then(|| symbol.name())
    }
}

fn plan_of(head: &str, rest: impl IntoIterator<Item = Value>) -> Value {
    Value::vector(std::iter::once(Value::keyword(head)).chain(rest).collect())
}
