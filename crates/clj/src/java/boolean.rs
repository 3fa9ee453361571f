//! `java.lang.Boolean`.

use super::{JavaClass, Method, constructor, member, method_of};
use crate::Value;

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.lang.Boolean",
    construct: constructor(1, 1, |_, a| Ok(Value::Bool(says_true(&a[0])))),
    statics: &[
        member("parseBoolean", 1, 1, |_, a| {
            Ok(Value::Bool(says_true(&a[0])))
        }),
        member("valueOf", 1, 1, |_, a| Ok(Value::Bool(says_true(&a[0])))),
        member("toString", 1, 1, |_, a| Ok(Value::from(a[0].to_text()))),
    ],
    fields: &[
        ("TRUE", || Value::Bool(true)),
        ("FALSE", || Value::Bool(false)),
    ],
}];

pub(super) const METHODS: &[Method] = &[method_of("booleanValue", 0, 0, |_, it, _| {
    Ok(Value::Bool(it.truthy()))
})];

fn says_true(value: &Value) -> bool {
    match value {
        Value::Str(text) => text.eq_ignore_ascii_case("true"),
        other => other.truthy(),
    }
}
