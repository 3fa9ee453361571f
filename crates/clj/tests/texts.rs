//! Texts from outside, JSON and dates, of whatever content.

mod pretend;

use std::sync::Arc;

use clj::{Cx, Runtime, Value};
use proptest::prelude::*;

fn call(rt: &Arc<Runtime>, namespace: &str, name: &str, args: &[Value]) -> clj::Result {
    let function = rt.var(namespace, name).and_then(|var| var.root()).unwrap();
    Cx::new(rt).call(&function, args)
}

/// Values that JSON can say: keys are strings, numbers whole or binary fractions.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>()
            .prop_filter("finite", |float| float.is_finite())
            .prop_map(Value::Double),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::vector),
            proptest::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|entries| Value::map(entries.into_iter().map(|(k, v)| (k.into(), v)))),
        ]
    })
}

proptest! {
    #[test]
    fn json_is_read_as_it_was_written(value in json_value(), pretty: bool, ascii: bool) {
        let rt = Runtime::new(pretend::host());
        let options = Value::map([
            (Value::keyword("pretty"), Value::Bool(pretty)),
            (Value::keyword("escape-non-ascii"), Value::Bool(ascii)),
        ]);
        let json = call(&rt, "cheshire.core", "generate-string", &[value.clone(), options]).unwrap();
        prop_assert!(!ascii || json.as_str().is_some_and(str::is_ascii));
        let read = call(&rt, "cheshire.core", "parse-string", &[json]).unwrap();
        prop_assert_eq!(read, value);
    }

    #[test]
    fn no_text_is_too_odd(text in "[\\[\\]{}:,\"\\\\0-9eE+.tfn a-zé\u{10ffff}-]{0,40}") {
        let rt = Runtime::new(pretend::host());
        let _ = call(&rt, "cheshire.core", "parse-string", &[Value::str(&text)]);
        let _ = call(&rt, "clj-time.format", "parse", &[Value::str(&text)]);
        let _ = call(&rt, "clojure.edn", "read-string", &[Value::str(&text)]);
        let _ = call(&rt, "clj-time.format", "formatter", &[Value::str(&text)]);
    }
}
