//! What a value is.

use super::collections::{is_map, is_set};
use super::{native, sorted};
use crate::java;
use crate::list::Cells;
use crate::object::Kind;
use crate::{Native, Result, Value};

pub const NATIVES: &[Native] = &[
    native("nil?", "([x])", "True for nil.", (1, Some(1)), |_, a| {
        test(a, Value::is_nil)
    }),
    native(
        "some?",
        "([x])",
        "True for all but nil.",
        (1, Some(1)),
        |_, a| test(a, |x| !x.is_nil()),
    ),
    native("any?", "([x])", "True.", (1, Some(1)), |_, a| {
        test(a, |_| true)
    }),
    native("true?", "([x])", "True for true.", (1, Some(1)), |_, a| {
        test(a, |x| matches!(x, Value::Bool(true)))
    }),
    native(
        "false?",
        "([x])",
        "True for false.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Bool(false))),
    ),
    native(
        "boolean?",
        "([x])",
        "True for true and false.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Bool(_))),
    ),
    native(
        "string?",
        "([x])",
        "True for a string.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Str(_))),
    ),
    native(
        "char?",
        "([x])",
        "True for a character.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Char(_))),
    ),
    native(
        "keyword?",
        "([x])",
        "True for a keyword.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Keyword(_))),
    ),
    native(
        "symbol?",
        "([x])",
        "True for a symbol.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Symbol(_))),
    ),
    native(
        "ident?",
        "([x])",
        "True for a keyword or symbol.",
        (1, Some(1)),
        |_, a| test(a, |x| named(x).is_some()),
    ),
    native(
        "simple-keyword?",
        "([x])",
        "True for a keyword without a namespace.",
        (1, Some(1)),
        |_, a| {
            test(
                a,
                |x| matches!(x, Value::Keyword(key) if key.namespace().is_none()),
            )
        },
    ),
    native(
        "qualified-keyword?",
        "([x])",
        "True for a keyword with a namespace.",
        (1, Some(1)),
        |_, a| {
            test(
                a,
                |x| matches!(x, Value::Keyword(key) if key.namespace().is_some()),
            )
        },
    ),
    native(
        "simple-symbol?",
        "([x])",
        "True for a symbol without a namespace.",
        (1, Some(1)),
        |_, a| {
            test(
                a,
                |x| matches!(x, Value::Symbol(name) if name.namespace().is_none()),
            )
        },
    ),
    native(
        "qualified-symbol?",
        "([x])",
        "True for a symbol with a namespace.",
        (1, Some(1)),
        |_, a| {
            test(
                a,
                |x| matches!(x, Value::Symbol(name) if name.namespace().is_some()),
            )
        },
    ),
    native(
        "simple-ident?",
        "([x])",
        "True for a name without a namespace.",
        (1, Some(1)),
        |_, a| test(a, |x| named(x) == Some(false)),
    ),
    native(
        "qualified-ident?",
        "([x])",
        "True for a name with a namespace.",
        (1, Some(1)),
        |_, a| test(a, |x| named(x) == Some(true)),
    ),
    native(
        "number?",
        "([x])",
        "True for a number.",
        (1, Some(1)),
        |_, a| test(a, |x| x.as_number().is_some()),
    ),
    native(
        "integer?",
        "([x])",
        "True for a whole number of exact kind.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Int(_) | Value::Big(_))),
    ),
    native(
        "int?",
        "([x])",
        "True for a 64-bit integer.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Int(_))),
    ),
    native(
        "pos-int?",
        "([x])",
        "True for a 64-bit integer above zero.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Int(1..))),
    ),
    native(
        "neg-int?",
        "([x])",
        "True for a 64-bit integer below zero.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Int(..0))),
    ),
    native(
        "nat-int?",
        "([x])",
        "True for a 64-bit integer of zero or more.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Int(0..))),
    ),
    native(
        "float?",
        "([x])",
        "True for a floating-point number.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Double(_) | Value::Float(_))),
    ),
    native(
        "double?",
        "([x])",
        "True for a 64-bit float.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Double(_))),
    ),
    native(
        "ratio?",
        "([x])",
        "True for a ratio.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Ratio(_))),
    ),
    native(
        "rational?",
        "([x])",
        "True for an exact number.",
        (1, Some(1)),
        |_, a| {
            test(a, |x| {
                matches!(
                    x,
                    Value::Int(_) | Value::Big(_) | Value::Ratio(_) | Value::Decimal(_)
                )
            })
        },
    ),
    native("NaN?", "([num])", "True for NaN.", (1, Some(1)), |_, a| {
        Ok(super::arguments::number(&a[0])?.to_f64().is_nan().into())
    }),
    native(
        "infinite?",
        "([num])",
        "True for an infinity.",
        (1, Some(1)),
        |_, a| {
            Ok(super::arguments::number(&a[0])?
                .to_f64()
                .is_infinite()
                .into())
        },
    ),
    native(
        "fn?",
        "([x])",
        "True for a function.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Fn(f) if f.is_fn())),
    ),
    native(
        "ifn?",
        "([x])",
        "True for what can be called.",
        (1, Some(1)),
        |_, a| test(a, |x| java::instance_of(x, "clojure.lang.IFn")),
    ),
    native("map?", "([x])", "True for a map.", (1, Some(1)), |_, a| {
        test(a, is_map)
    }),
    native(
        "record?",
        "([x])",
        "True for a record.",
        (1, Some(1)),
        |_, a| {
            test(a, |x| match x {
                Value::Event(event) => event.is_record(),
                Value::Object(object) => object.kind() == Kind::Record,
                _ => false,
            })
        },
    ),
    native(
        "vector?",
        "([x])",
        "True for a vector.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Vector(_))),
    ),
    native(
        "list?",
        "([x])",
        "True for a list.",
        (1, Some(1)),
        |_, a| {
            test(
                a,
                |x| matches!(x, Value::List(list) if matches!(list.cells, Cells::Array { .. } | Cells::Cons { rest: Value::Nil, .. })),
            )
        },
    ),
    native(
        "seq?",
        "([x])",
        "True for a sequence.",
        (1, Some(1)),
        |_, a| test(a, is_seq),
    ),
    native("set?", "([x])", "True for a set.", (1, Some(1)), |_, a| {
        test(a, is_set)
    }),
    native(
        "coll?",
        "([x])",
        "True for a collection.",
        (1, Some(1)),
        |_, a| test(a, is_coll),
    ),
    native(
        "seqable?",
        "([x])",
        "True for what seq takes.",
        (1, Some(1)),
        |_, a| {
            test(a, |x| {
                is_coll(x)
                    || matches!(x, Value::Nil | Value::Str(_))
                    || matches!(x, Value::Object(o) if o.seq().is_some())
            })
        },
    ),
    native(
        "sequential?",
        "([x])",
        "True for a list, vector or sequence.",
        (1, Some(1)),
        |_, a| test(a, Value::is_sequential),
    ),
    native(
        "associative?",
        "([x])",
        "True for a map or vector.",
        (1, Some(1)),
        |_, a| test(a, |x| is_map(x) || matches!(x, Value::Vector(_))),
    ),
    native(
        "counted?",
        "([x])",
        "True if count takes no walk.",
        (1, Some(1)),
        |_, a| {
            test(a, |x| match x {
                Value::List(list) => list.known_len().is_some(),
                Value::Lazy(_) => false,
                Value::Object(object) => object.count().is_some(),
                _ => is_coll(x),
            })
        },
    ),
    native(
        "indexed?",
        "([x])",
        "True for a vector.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Vector(_))),
    ),
    native(
        "reversible?",
        "([x])",
        "True for what rseq takes.",
        (1, Some(1)),
        |_, a| test(a, |x| matches!(x, Value::Vector(_)) || is_sorted(x)),
    ),
    native(
        "sorted?",
        "([x])",
        "True for a sorted map or set.",
        (1, Some(1)),
        |_, a| test(a, is_sorted),
    ),
    native("var?", "([v])", "True for a var.", (1, Some(1)), |_, a| {
        test(a, |x| matches!(x, Value::Var(_)))
    }),
    native(
        "inst?",
        "([x])",
        "True for a point in time.",
        (1, Some(1)),
        |_, a| {
            test(a, |x| {
                matches!(&*x.class_name(), "java.util.Date" | "java.time.Instant")
            })
        },
    ),
    native(
        "uuid?",
        "([x])",
        "True for a UUID.",
        (1, Some(1)),
        |_, a| test(a, |x| x.class_name() == "java.util.UUID"),
    ),
    native("uri?", "([x])", "True for a URI.", (1, Some(1)), |_, a| {
        test(a, |x| x.class_name() == "java.net.URI")
    }),
    native(
        "bytes?",
        "([x])",
        "True for an array of bytes.",
        (1, Some(1)),
        |_, a| test(a, |x| x.class_name() == "[B"),
    ),
    native(
        "delay?",
        "([x])",
        "True for a delay.",
        (1, Some(1)),
        |_, a| test(a, |x| x.class_name() == "clojure.lang.Delay"),
    ),
    native(
        "future?",
        "([x])",
        "True for a future.",
        (1, Some(1)),
        |_, a| test(a, |x| java::instance_of(x, "java.util.concurrent.Future")),
    ),
    native(
        "volatile?",
        "([x])",
        "True for a volatile.",
        (1, Some(1)),
        |_, a| test(a, |x| x.class_name() == "clojure.lang.Volatile"),
    ),
    native(
        "special-symbol?",
        "([s])",
        "True for the name of a special form.",
        (1, Some(1)),
        |_, a| {
            test(a, |x| match x {
                Value::Symbol(symbol) => {
                    symbol.namespace().is_none() && SPECIAL.contains(&symbol.name())
                }
                _ => false,
            })
        },
    ),
];

/// The names of the special forms.
const SPECIAL: &[&str] = &[
    "def",
    "if",
    "do",
    "let*",
    "fn*",
    "loop*",
    "recur",
    "quote",
    "var",
    "try",
    "catch",
    "finally",
    "throw",
    "new",
    ".",
    "set!",
    "letfn*",
    "case*",
    "monitor-enter",
    "monitor-exit",
    "&",
    "import*",
    "deftype*",
    "reify*",
];

fn test(args: &[Value], pred: impl Fn(&Value) -> bool) -> Result {
    Ok(pred(&args[0]).into())
}

/// Whether a keyword or symbol has a namespace; `None` for anything else.
fn named(value: &Value) -> Option<bool> {
    match value {
        Value::Keyword(keyword) => Some(keyword.namespace().is_some()),
        Value::Symbol(symbol) => Some(symbol.namespace().is_some()),
        _ => None,
    }
}

fn is_seq(value: &Value) -> bool {
    match value {
        Value::List(_) | Value::Lazy(_) => true,
        Value::Object(object) => object.kind() == Kind::Sequence,
        _ => false,
    }
}

/// True for what `coll?` is true for.
pub fn is_coll(value: &Value) -> bool {
    is_seq(value) || is_map(value) || is_set(value) || matches!(value, Value::Vector(_))
}

fn is_sorted(value: &Value) -> bool {
    value.downcast::<sorted::SortedMap>().is_some()
        || value.downcast::<sorted::SortedSet>().is_some()
}
