//! The dynamic vars of `clojure.core`, and what else says where code runs.

use super::io::{Reader, Sink, Writer};
use super::native;
use crate::{Native, Runtime, Value};

pub const NATIVES: &[Native] = &[
    native(
        "clojure-version",
        "([])",
        "The version of Clojure that this behaves as.",
        (0, Some(0)),
        |_, _| Ok(Value::str("1.10.0")),
    ),
    native(
        "random-uuid",
        "([])",
        "A random UUID.",
        (0, Some(0)),
        |cx, _| Ok(crate::java::uuid::random(cx)),
    ),
    native(
        "parse-uuid",
        "([s])",
        "The UUID that a text is, or nil.",
        (1, Some(1)),
        |_, a| Ok(crate::java::uuid::parse(super::arguments::string(&a[0])?).into()),
    ),
    native(
        "read-instant-date",
        "([cs])",
        "The date that a text like 2013-04-05T16:07:08Z is.",
        (1, Some(1)),
        |cx, a| crate::java::date::parse(cx, super::arguments::string(&a[0])?),
    ),
    native(
        "inst-ms",
        "([inst])",
        "Milliseconds since 1970.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(crate::java::date::ms_of(&a[0])?)),
    ),
];

/// Defines the vars.
pub(super) fn define(rt: &Runtime) {
    let core = rt.ensure_namespace("clojure.core");
    let version = [("major", 1), ("minor", 10), ("incremental", 0)];
    let version = version.map(|(name, number)| (Value::keyword(name), Value::Int(number)));
    let vars = [
        ("*out*", Value::object(Writer::new(Sink::Out))),
        ("*err*", Value::object(Writer::new(Sink::Err))),
        ("*in*", Value::object(Reader::new(""))),
        ("*agent*", Value::Nil),
        ("*print-length*", Value::Nil),
        ("*print-level*", Value::Nil),
        ("*print-readably*", Value::Bool(true)),
        ("*print-meta*", Value::Bool(false)),
        ("*print-dup*", Value::Bool(false)),
        ("*print-namespace-maps*", Value::Bool(false)),
        ("*math-context*", Value::Nil),
        ("*default-data-reader-fn*", Value::Nil),
        ("*compile-files*", Value::Bool(false)),
        ("*compile-path*", Value::str("classes")),
        ("*compiler-options*", Value::map([])),
        ("*source-path*", Value::str("NO_SOURCE_FILE")),
        ("*suppress-read*", Value::Nil),
        ("*use-context-classloader*", Value::Bool(true)),
        ("*verbose-defrecords*", Value::Bool(false)),
        ("*reader-resolver*", Value::Nil),
        ("*allow-unresolved-vars*", Value::Bool(false)),
        ("*flush-on-newline*", Value::Bool(true)),
        ("*warn-on-reflection*", Value::Bool(false)),
        ("*unchecked-math*", Value::Bool(false)),
        ("*assert*", Value::Bool(true)),
        ("*command-line-args*", Value::Nil),
        ("*read-eval*", Value::Bool(true)),
        ("*data-readers*", Value::map([])),
        ("*clojure-version*", Value::map(version)),
        ("*1", Value::Nil),
        ("*2", Value::Nil),
        ("*3", Value::Nil),
        ("*e", Value::Nil),
    ];
    for (name, value) in vars {
        core.define(name, value).set_dynamic(true);
    }
}
