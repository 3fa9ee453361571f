//! Plans, the data form of a predicate (see `predicate/plan.rs`), made of expressions.

use clj::{Cx, Value};

use crate::forms::{call, core, event_fn, is_symbol, list_items};
use crate::rewrite::{magic, rewrite};

/// Makes the plans of expressions as they stand in a macro call.
pub struct Planner<'a> {
    cx: &'a Cx<'a>,
    /// The local environment of the macro call: a map of symbols, or nil.
    env: &'a Value,
    /// What the event is called.
    event: Value,
    /// `metric` means `(:metric event)`, and so on.
    magic: bool,
}

impl<'a> Planner<'a> {
    /// For expressions of `where`.
    pub fn new(cx: &'a Cx<'a>, env: &'a Value) -> Planner<'a> {
        Planner {
            cx,
            env,
            event: Value::symbol("event"),
            magic: true,
        }
    }

    /// The form that gives the plan of a form that gives a function. That of `(fn [e] …)` is the plan
    /// of its body, as far as the body is made of comparisons.
    pub fn plan_of_function(cx: &Cx<'_>, env: &Value, form: &Value) -> Value {
        let opaque = || plan_of("call", [form.clone()]);
        let items = list_items(form).unwrap_or_default();
        let [head, Value::Vector(parameters), body] = &items[..] else {
            return opaque();
        };
        let parameters: Vec<&Value> = parameters.iter().collect();
        let [event @ Value::Symbol(name)] = parameters[..] else {
            return opaque();
        };
        let planner = Planner {
            cx,
            env,
            event: event.clone(),
            magic: false,
        };
        let is_fn = is_symbol(head, "fn*") || planner.core_name(head) == Some("fn");
        if !is_fn || name.name() == "&" {
            return opaque();
        }
        planner.native(body).unwrap_or_else(opaque)
    }

    /// The form that gives the plan. Parts that are more than comparisons of fields with constants,
    /// locals and vars become functions of the event.
    pub fn plan(&self, form: &Value) -> Value {
        self.native(form).unwrap_or_else(|| {
            let function = if self.magic {
                event_fn(rewrite(form))
            } else {
                let parameters = Value::vector(vec![self.event.clone()]);
                call(core("fn"), [parameters, form.clone()])
            };
            plan_of("call", [function])
        })
    }

    fn native(&self, form: &Value) -> Option<Value> {
        let Some(items) = list_items(form) else {
            return Some(plan_of("just", [self.operand(form)?]));
        };
        let (head, args) = items.split_first()?;
        if let Some(name) = self.magic(head) {
            return self.field_test(name, args);
        }
        if let Some(operand) = self.operand(form) {
            return Some(plan_of("just", [operand]));
        }
        if let (Value::Set(_), [of]) = (head, args)
            && self.is_constant(head)
        {
            return Some(plan_of("item", [head.clone(), self.operand(of)?]));
        }
        let name = self.core_name(head)?;
        self.logical(name, args)
            .or_else(|| self.comparison(name, args))
            .or_else(|| self.test(name, args))
    }

    fn logical(&self, name: &str, args: &[Value]) -> Option<Value> {
        match (name, args) {
            ("and" | "or", args) => Some(plan_of(name, args.iter().map(|arg| self.plan(arg)))),
            ("not", [arg]) => Some(plan_of("not", [self.plan(arg)])),
            _ => None,
        }
    }

    fn comparison(&self, name: &str, args: &[Value]) -> Option<Value> {
        let operands = || {
            args.iter()
                .map(|arg| self.operand(arg))
                .collect::<Option<Vec<_>>>()
        };
        match name {
            "<" | "<=" | ">" | ">=" | "==" if !args.is_empty() => {
                let how = std::iter::once(Value::keyword(name));
                Some(plan_of("compare", how.chain(operands()?)))
            }
            "=" if !args.is_empty() => Some(plan_of("equal", operands()?)),
            "not=" if !args.is_empty() => Some(plan_of("not", [plan_of("equal", operands()?)])),
            _ => None,
        }
    }

    /// Tests of one operand.
    fn test(&self, name: &str, args: &[Value]) -> Option<Value> {
        let (arg, pattern) = match args {
            [arg] => (arg, None),
            [pattern, arg] => (arg, Some(pattern)),
            _ => return None,
        };
        if name == "expired?" && pattern.is_none() && self.is_event(arg) {
            return Some(plan_of("expired", []));
        }
        let operand = self.operand(arg)?;
        let against_zero = |how: &str| {
            let zero = plan_of("const", [Value::Int(0)]);
            plan_of("compare", [Value::keyword(how), operand.clone(), zero])
        };
        Some(match (name, pattern) {
            ("nil?", None) => plan_of("nil", [operand]),
            ("some?", None) => plan_of("not", [plan_of("nil", [operand])]),
            ("pos?", None) => against_zero(">"),
            ("neg?", None) => against_zero("<"),
            ("zero?", None) => against_zero("=="),
            ("re-find", Some(regex)) if is_regex(regex) => {
                plan_of("find", [regex.clone(), operand])
            }
            ("contains?", Some(set @ Value::Set(_))) if self.is_constant(set) => {
                plan_of("contains", [set.clone(), operand])
            }
            _ => return None,
        })
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

    /// A field of the event, a constant, or what a var holds when the test is made.
    fn operand(&self, form: &Value) -> Option<Value> {
        if let Some(name) = self.magic(form) {
            return Some(plan_of("field", [Value::keyword(name)]));
        }
        if let Some(key) = self.key_of_event(form) {
            return Some(plan_of("field", [key]));
        }
        if self.is_constant(form) {
            return Some(plan_of("const", [form.clone()]));
        }
        match form {
            Value::Symbol(_) if self.is_plain_var(form) => {
                Some(plan_of("var", [call(Value::symbol("var"), [form.clone()])]))
            }
            _ => None,
        }
    }

    /// The keyword of `(:keyword event)` or `(get event :keyword)`.
    fn key_of_event(&self, form: &Value) -> Option<Value> {
        let items = list_items(form)?;
        let (key, event) = match &items[..] {
            [key, event] => (key, event),
            [get, event, key] if self.core_name(get) == Some("get") => (key, event),
            _ => return None,
        };
        match key {
            Value::Keyword(keyword) if keyword.namespace().is_none() && self.is_event(event) => {
                Some(key.clone())
            }
            _ => None,
        }
    }

    fn is_event(&self, form: &Value) -> bool {
        *form == self.event
    }

    fn magic(&self, form: &Value) -> Option<&'static str> {
        magic(form).filter(|_| self.magic)
    }

    /// True for a form that gives the same value each time: a literal, or a local, which cannot
    /// change.
    fn is_constant(&self, form: &Value) -> bool {
        match form {
            Value::Symbol(_) => {
                !self.is_event(form) && self.magic(form).is_none() && self.is_local(form)
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

    /// True for the name of a var that holds a value now, and so can be asked for it.
    fn is_plain_var(&self, form: &Value) -> bool {
        let var = self.var(form).filter(|_| !self.is_event(form));
        var.is_some_and(|var| !var.is_macro() && var.root().is_some())
    }

    fn var(&self, form: &Value) -> Option<std::sync::Arc<clj::Var>> {
        let Value::Symbol(symbol) = form else {
            return None;
        };
        let rt = self.cx.rt;
        match symbol.namespace() {
            Some(namespace) => rt.var(namespace, symbol.name()),
            None if self.is_local(form) => None,
            None => rt.current_namespace().find(symbol.name()),
        }
    }

    /// The name of the core function or macro (or of `expired?`) that a head stands for here.
    fn core_name<'b>(&self, head: &'b Value) -> Option<&'b str> {
        let Value::Symbol(symbol) = head else {
            return None;
        };
        let var = self.var(head)?;
        let home = if symbol.name() == "expired?" {
            "riemann.streams"
        } else {
            "clojure.core"
        };
        (*var.namespace == *home).then(|| symbol.name())
    }
}

fn is_regex(form: &Value) -> bool {
    form.downcast::<clj::core::regex::Regex>().is_some()
}

fn plan_of(head: &str, rest: impl IntoIterator<Item = Value>) -> Value {
    Value::vector(std::iter::once(Value::keyword(head)).chain(rest).collect())
}
