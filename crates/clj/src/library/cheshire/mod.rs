//! `cheshire.core`: JSON text of values, and values of JSON text.

pub mod encoders;
mod generate;
mod parse;

use crate::core::arguments::{not_a, optional, text};
use crate::core::io::Reader;
use crate::core::native;
use crate::{Cx, Native, Result, Value, java};

const GENERATE: &str = "([obj] [obj opts])";
const PARSE: &str = "([string] [string key-fn] [string key-fn array-coerce-fn])";

pub const NATIVES: &[Native] = &[
    native(
        "generate-string",
        GENERATE,
        GENERATE_DOC,
        (1, Some(2)),
        generate_string,
    ),
    native(
        "encode",
        GENERATE,
        GENERATE_DOC,
        (1, Some(2)),
        generate_string,
    ),
    native(
        "generate-stream",
        "([obj writer] [obj writer opts])",
        "Writes the JSON text of a value to a writer, and gives the writer.",
        (2, Some(3)),
        |cx, a| {
            let json = generate::generate(cx, &a[0], optional(a, 2))?;
            java::method(cx, &a[1], "write", &[Value::from(json)])?;
            Ok(a[1].clone())
        },
    ),
    native("parse-string", PARSE, PARSE_DOC, (1, Some(3)), parse_string),
    native(
        "parse-string-strict",
        PARSE,
        PARSE_DOC,
        (1, Some(3)),
        parse_strict,
    ),
    native("decode", PARSE, PARSE_DOC, (1, Some(3)), parse_string),
    native(
        "decode-strict",
        PARSE,
        PARSE_DOC,
        (1, Some(3)),
        parse_strict,
    ),
    native(
        "parse-stream",
        "([reader] [reader key-fn] [reader key-fn array-coerce-fn])",
        "The value of the JSON text that a reader gives.",
        (1, Some(3)),
        |cx, a| {
            let Some(reader) = a[0].downcast::<Reader>() else {
                return Err(not_a(&a[0], "java.io.Reader"));
            };
            Ok(as_sequence(parse_text(cx, &reader.read_rest(), &a[1..])?))
        },
    ),
];

const GENERATE_DOC: &str = "The JSON text of a value. Options: :pretty true breaks lines, :key-fn \
    names keyword keys, :date-format is the pattern of dates, :escape-non-ascii true escapes \
    other than ASCII.";

const PARSE_DOC: &str = "The value of a JSON text, nil for nothing. Keys are strings, or keywords \
    if key-fn is true, or what key-fn gives for them. array-coerce-fn gives, for the key an array \
    stands under, the collection its items are put into.";

fn generate_string(cx: &Cx<'_>, args: &[Value]) -> Result {
    Ok(Value::from(generate::generate(
        cx,
        &args[0],
        optional(args, 1),
    )?))
}

fn parse_string(cx: &Cx<'_>, args: &[Value]) -> Result {
    parse_strict(cx, args).map(as_sequence)
}

/// An array that is the whole text is a sequence, not a vector as those inside are.
fn as_sequence(value: Value) -> Value {
    match value {
        Value::Vector(items) => Value::list(items.to_vec()),
        value => value,
    }
}

fn parse_strict(cx: &Cx<'_>, args: &[Value]) -> Result {
    match &args[0] {
        Value::Nil => Ok(Value::Nil),
        json => parse_text(cx, &text(json)?, &args[1..]),
    }
}

fn parse_text(cx: &Cx<'_>, json: &str, functions: &[Value]) -> Result {
    let name = |name: &str| match optional(functions, 0) {
        Value::Nil | Value::Bool(false) => Ok(Value::str(name)),
        Value::Bool(true) => Ok(super::walk::keyword(name)),
        function => cx.call(function, &[Value::str(name)]),
    };
    let collect = |name: Option<&str>, items: Vec<Value>| match optional(functions, 1) {
        Value::Nil => Ok(Value::vector(items)),
        function => {
            let into = cx.call(function, &[name.map(Value::str).unwrap_or_default()])?;
            items
                .into_iter()
                .try_fold(into, crate::core::collections::conj)
        }
    };
    Ok(parse::Parser::new(json, &name, &collect)
        .first()?
        .unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seq;

    fn parse(json: &str) -> Result {
        let name = |name: &str| Ok(Value::str(name));
        let collect = |_: Option<&str>, items: Vec<Value>| Ok(Value::vector(items));
        Ok(parse::Parser::new(json, &name, &collect)
            .first()?
            .unwrap_or_default())
    }

    #[test]
    fn reads_what_is_there() {
        let check = |json: &str, printed: &str| {
            assert_eq!(
                parse(json).map_or_else(|thrown| thrown.to_string(), |v| v.to_readable()),
                printed
            );
        };
        check(
            r#" {"a": [1, -2.50, 1e3, null, true, "x\u00e9\n"], "b": {}} "#,
            r#"{"a" [1 -2.5 1000.0 nil true "xé\n"], "b" {}}"#,
        );
        check("12345678901234567890", "12345678901234567890N");
        check(r#""\ud83d\ude00""#, "\"😀\"");
        check("", "nil");
        check(
            "[1,",
            "com.fasterxml.jackson.core.JsonParseException: \
              Unexpected end of input (line: 1, column: 4)",
        );
        check(
            "{a: 1}",
            "com.fasterxml.jackson.core.JsonParseException: \
              Unexpected character 'a': was expecting a string as a key (line: 1, column: 2)",
        );
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = "[".repeat(100_000);
        let thrown = parse(&deep).expect_err("too deep");
        assert!(
            thrown
                .message()
                .is_some_and(|message| message.contains("nested"))
        );
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let map = parse(r#"{"a":1,"a":2}"#).expect("valid");
        assert_eq!(seq::get(&map, &Value::str("a")), Some(Value::Int(2)));
    }
}
