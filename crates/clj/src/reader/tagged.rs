//! Tagged literals.

use crate::{Cx, Result, Thrown, Value, event_value};

/// The value of `#tag form`.
pub(super) fn read(cx: &Cx<'_>, tag: &str, form: Value) -> Result {
    match (tag, &form) {
        ("inst", Value::Str(_)) => core_call(cx, "read-instant-date", &form),
        ("uuid", Value::Str(_)) => core_call(cx, "parse-uuid", &form),
        ("histogram", Value::Str(_)) => crate::library::histogram::decode("#histogram", &form),
        ("riemann.codec.Event", Value::Map(map)) => match event_value::from_map(map, true)? {
            Some(event) => Ok(Value::Event(event)),
            None => Err(Thrown::illegal_argument(
                "The keys of an event are keywords",
            )),
        },
        (_, Value::Map(map)) if tag.contains('.') => crate::types::from_literal(cx, tag, map),
        _ => {
            let readers = cx
                .rt
                .var("clojure.core", "*data-readers*")
                .and_then(|var| var.get());
            let reader = readers.and_then(|map| crate::seq::get(&map, &Value::symbol(tag)));
            match reader {
                Some(reader) => cx.call(&reader, &[form]),
                None => match default_reader(cx) {
                    Some(reader) => cx.call(&reader, &[Value::symbol(tag), form]),
                    None => Err(Thrown::runtime(format!("No reader function for tag {tag}"))
                        .with_hint(
                            "known tags are inst, uuid, histogram, riemann.codec.Event and records",
                        )),
                },
            }
        }
    }
}

/// What reads the tags that nobody else does.
fn default_reader(cx: &Cx<'_>) -> Option<Value> {
    let var = cx.rt.var("clojure.core", "*default-data-reader-fn*")?;
    var.get().filter(|reader| !reader.is_nil())
}

/// A regular expression literal.
pub(super) fn regex(cx: &Cx<'_>, text: &str) -> Result {
    core_call(cx, "re-pattern", &Value::str(text))
}

/// Readers run before there is code, so they ask the library's functions by name.
fn core_call(cx: &Cx<'_>, name: &str, argument: &Value) -> Result {
    match cx.rt.var("clojure.core", name).and_then(|var| var.root()) {
        Some(function) => cx.call(&function, std::slice::from_ref(argument)),
        None => Err(Thrown::illegal_state(format!(
            "clojure.core/{name} is not defined"
        ))),
    }
}
