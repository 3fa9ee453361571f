use event::{Fields, Number};
use histogram::Histogram;
use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;

const NOW: Time = Time {
    us: 9_000_000,
    kind: event::TimeKind::Int,
};

fn document(text: &str) -> Document {
    read(text.as_bytes(), Some("h"), NOW).unwrap()
}

/// The only event of a document.
fn one(text: &str) -> Event {
    let Document { mut events, errors } = document(text);
    assert_eq!((events.len(), &errors[..]), (1, &[][..]), "{text}");
    events.remove(0)
}

fn check_number(value: &str, number: Number) {
    let event = one(&format!(r#"{{"m": {value}}}"#));
    assert_eq!(event.metric(), Some(number), "{value}");
}

fn check_histogram(value: &str) {
    let mut expected = Histogram::new();
    expected.insert_n(1.2, 3);
    let event = one(&format!(r#"{{"m": {value}}}"#));
    let histogram = event.histogram().map(event::HistogramRef::unpack);
    assert_eq!(histogram, Some(expected), "{value}");
}

fn check_error(text: &str, error: &str) {
    let document = document(text);
    assert!(document.events.is_empty());
    let errors: Vec<_> = document.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors, [error]);
}

#[test]
fn numbers_of_every_type() {
    check_number("1", Number::Int(1));
    check_number("-1.5", Number::F64(-1.5));
    check_number("true", Number::Int(1));
    check_number(r#"{"_type": "n", "_value": 1e3}"#, Number::F64(1000.0));
    check_number(r#"{"_type": "n", "_value": "0.5"}"#, Number::F64(0.5));
    check_number(r#"{"_type": "i", "_value": -5}"#, Number::Int(-5));
    check_number(
        r#"{"_type": "I", "_value": "4294967295"}"#,
        Number::Int(4_294_967_295),
    );
    check_number(
        r#"{"_type": "l", "_value": -9223372036854775808}"#,
        Number::Int(i64::MIN),
    );
    let greatest = Number::from_big(BigInt::from(u64::MAX));
    check_number(
        r#"{"_type": "L", "_value": 18446744073709551615}"#,
        greatest,
    );
}

#[test]
fn histograms_of_every_form() {
    check_histogram(r#"["H[1.2e+00]=3"]"#);
    check_histogram("[1.2, 1.2, 1.2]");
    check_histogram(r#"{"_type": "n", "_value": ["H[1.2e+00]=2", "H[1.2e+00]=1"]}"#);
    check_histogram(r#"{"_type": "h", "_value": ["H[1.2e+00]=3"]}"#);
    check_histogram(r#"{"_type": "h", "_value": {"1.2": 3}}"#);
    check_histogram(r#"{"_type": "H", "_value": "AAEMAAAD"}"#);
}

#[test]
fn groups_lists_texts_and_what_is_not_there() {
    let document = document(
        r#"{"a": {"b": {"c": 1}}, "l": [{"x": 2}, "up"], "v": {"_type": "s", "_value": "1.0"}, "n": null}"#,
    );
    let told: Vec<_> = document
        .events
        .iter()
        .map(|event| (event.service().unwrap(), event.metric(), event.state()))
        .collect();
    let expected = [
        ("a`b`c", Some(Number::Int(1)), None),
        ("l`0`x", Some(Number::Int(2)), None),
        ("l`1", None, Some("up")),
        ("v", None, Some("1.0")),
        ("n", None, None),
    ];
    assert_eq!(told, expected);
    assert!(document.errors.is_empty());
}

#[test]
fn host_time_and_tags() {
    let event = one(r#"{"m": {"_type": "n", "_value": 1, "_ts": 1500, "_tags": ["dc:a"]}}"#);
    assert_eq!(event.host(), Some("h"));
    assert_eq!(event.time(), Some(Time::from_us(1_500_000)));
    assert!(event.tagged("dc:a"));
    assert_eq!(one(r#"{"m": 1}"#).time(), Some(NOW));
}

#[test]
fn errors_name_the_metric() {
    check_error(
        r#"{"a": {"b": {"_type": "I", "_value": -1}}}"#,
        "a`b: -1 is no number of type I, 0 to 2^32 - 1",
    );
    check_error(
        r#"{"a": {"_type": "x", "_value": 1}}"#,
        "a: _type is \"x\", not n, L, l, I, i, s or h",
    );
    check_error(r#"{"a": {"_type": "n"}}"#, "a: no _value beside _type");
    check_error(
        r#"{"a": {"_type": "n", "_value": "nan"}}"#,
        "a: \"nan\" is no number",
    );
    check_error(
        r#"{"a": {"_type": "h", "_value": ["H[1.2]=x"]}}"#,
        "a: bin 1.2 counts x: write a whole number from 0 to 2^64 - 1",
    );
    check_error(
        r#"{"a": {"_type": "n", "_value": 1, "_ts": "noon"}}"#,
        "a: _ts is \"noon\", not milliseconds since 1970",
    );
    let long = "x".repeat(NAME_BYTES_MAX + 1);
    let document = document(&format!(r#"{{"{long}": 1, "ok": 2}}"#));
    assert_eq!(document.events.len(), 1);
    assert_eq!(document.errors[0].reason, "a name has more than 1024 bytes");
    assert!(read(b"[1]", None, NOW).is_err());
    assert!(read(b"{", None, NOW).is_err());
}

#[test]
fn what_is_beyond_the_limit_is_told_of() {
    let metrics: Vec<String> = (0..METRICS_MAX + 2)
        .map(|n| format!("\"m{n}\":1"))
        .collect();
    let document = document(&format!("{{{}}}", metrics.join(",")));
    assert_eq!(document.events.len(), METRICS_MAX);
    let reason = "2 metrics beyond 65536 are left out";
    assert_eq!(document.errors[0].reason, reason);
}

fn json() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[nLlIish]", r"H\[[0-9e.+-]{0,6}\]=[0-9]{0,3}", ".{0,8}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let name = prop_oneof!["_type", "_value", "_ts", "_tags", "[a-z]{0,3}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_document_has_an_answer(value in json(), bytes: Vec<u8>) {
        let _ = read(value.to_string().as_bytes(), None, NOW);
        let _ = read(&bytes, None, NOW);
    }
}
