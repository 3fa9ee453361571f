//! What `where` makes of its expression.

use clj::Value;

use crate::forms::{call, core, in_place_of, is_symbol, list_items, ours};

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

pub fn magic(form: &Value) -> Option<&'static str> {
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
