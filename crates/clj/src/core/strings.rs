//! Strings, characters, and names of things.

use std::fmt::Write;

use super::arguments::{int, not_a, optional, string, text};
use super::native;
use crate::{Cx, Keyword, Native, Result, Symbol, Thrown, Value};

pub const NATIVES: &[Native] = &[
    native(
        "str",
        "([& xs])",
        "The texts of all, one after another.",
        (0, None),
        str_all,
    ),
    native(
        "subs",
        "([s start] [s start end])",
        "The part from start to end.",
        (2, Some(3)),
        subs,
    ),
    native(
        "name",
        "([x])",
        "The name of a keyword or symbol; a string itself.",
        (1, Some(1)),
        |_, a| match &a[0] {
            Value::Str(_) => Ok(a[0].clone()),
            Value::Keyword(keyword) => Ok(Value::str(keyword.name())),
            Value::Symbol(symbol) => Ok(Value::str(symbol.name())),
            other => Err(not_a(other, "clojure.lang.Named")),
        },
    ),
    native(
        "namespace",
        "([x])",
        "The namespace of a keyword or symbol, or nil.",
        (1, Some(1)),
        |_, a| match &a[0] {
            Value::Keyword(keyword) => Ok(keyword.namespace().map(Value::str).into()),
            Value::Symbol(symbol) => Ok(symbol.namespace().map(Value::str).into()),
            other => Err(not_a(other, "clojure.lang.Named")),
        },
    ),
    native(
        "keyword",
        "([name] [ns name])",
        "A keyword, of its name.",
        (1, Some(2)),
        keyword,
    ),
    native(
        "find-keyword",
        "([name] [ns name])",
        "A keyword, of its name.",
        (1, Some(2)),
        keyword,
    ),
    native(
        "symbol",
        "([name] [ns name])",
        "A symbol, of its name.",
        (1, Some(2)),
        symbol,
    ),
    native(
        "format",
        "([fmt & args])",
        "Text made as java.util.Formatter makes it.",
        (1, None),
        |_, a| super::format::format(string(&a[0])?, &a[1..]).map(Value::from),
    ),
    native(
        "char",
        "([x])",
        "The character of a code point.",
        (1, Some(1)),
        |_, a| match &a[0] {
            Value::Char(_) => Ok(a[0].clone()),
            code => u32::try_from(int(code)?)
                .ok()
                .and_then(char::from_u32)
                .map(Value::Char)
                .ok_or_else(|| {
                    Thrown::illegal_argument(format!(
                        "Value out of range for char: {}",
                        code.to_text()
                    ))
                }),
        },
    ),
    native(
        "parse-long",
        "([s])",
        "The integer that a text is, or nil.",
        (1, Some(1)),
        |_, a| Ok(parsed(&a[0])?.parse::<i64>().ok().map(Value::Int).into()),
    ),
    native(
        "parse-double",
        "([s])",
        "The float that a text is, or nil.",
        (1, Some(1)),
        |_, a| Ok(java_double(parsed(&a[0])?).map(Value::Double).into()),
    ),
    native(
        "parse-boolean",
        "([s])",
        "The boolean that a text is, or nil.",
        (1, Some(1)),
        |_, a| {
            Ok(match string(&a[0])? {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => Value::Nil,
            })
        },
    ),
    native(
        "namespace-munge",
        "([ns])",
        "The name of a namespace as a path has it.",
        (1, Some(1)),
        |_, a| Ok(Value::from(a[0].to_text().replace('-', "_"))),
    ),
    native(
        "munge",
        "([s])",
        "The name as Java could write it.",
        (1, Some(1)),
        |_, a| {
            let munged = a[0]
                .to_text()
                .replace('-', "_")
                .replace('?', "_QMARK_")
                .replace('!', "_BANG_")
                .replace('*', "_STAR_");
            Ok(if matches!(a[0], Value::Symbol(_)) {
                Value::symbol(&munged)
            } else {
                Value::from(munged)
            })
        },
    ),
];

fn str_all(_: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [one @ Value::Str(_)] => Ok(one.clone()),
        [Value::Nil] => Ok(Value::str("")),
        _ => {
            let mut joined = String::new();
            for arg in args {
                match arg {
                    Value::Str(text) => joined.push_str(text),
                    Value::Nil => {}
                    Value::Int(int) => {
                        let _ = write!(joined, "{int}");
                    }
                    other => {
                        super::printing::realize(other)?;
                        joined.push_str(&other.to_text());
                    }
                }
            }
            Ok(Value::from(joined))
        }
    }
}

fn subs(_: &Cx<'_>, args: &[Value]) -> Result {
    let end = args.get(2).map(int).transpose()?;
    slice(&text(&args[0])?, int(&args[1])?, end).map(Value::from)
}

/// The characters from `start` to `end`, as Java's `substring`.
///
/// # Errors
/// `StringIndexOutOfBoundsException`.
pub fn slice(text: &str, start: i64, end: Option<i64>) -> Result<String> {
    let length = text.chars().count() as i64;
    let end = end.unwrap_or(length);
    if start < 0 || end < start || end > length {
        return Err(Thrown::new(
            "java.lang.StringIndexOutOfBoundsException",
            format!("begin {start}, end {end}, length {length}"),
        ));
    }
    Ok(text
        .chars()
        .skip(start as usize)
        .take((end - start) as usize)
        .collect())
}

fn keyword(_: &Cx<'_>, args: &[Value]) -> Result {
    if let [namespace, name] = args {
        let namespace = if namespace.is_nil() {
            None
        } else {
            Some(string(namespace)?)
        };
        return Ok(Value::Keyword(Keyword::new(namespace, string(name)?)));
    }
    Ok(match &args[0] {
        Value::Keyword(_) => args[0].clone(),
        Value::Symbol(symbol) => Value::Keyword(Keyword::new(symbol.namespace(), symbol.name())),
        Value::Str(text) => {
            let (namespace, name) = split_name(text);
            Value::Keyword(Keyword::new(namespace, name))
        }
        _ => Value::Nil,
    })
}

/// The text to be parsed.
fn parsed(value: &Value) -> Result<&str> {
    value.as_str().ok_or_else(|| {
        let given = value.class_name();
        Thrown::illegal_argument(format!("Expected string, got {given}"))
    })
}

fn symbol(_: &Cx<'_>, args: &[Value]) -> Result {
    if let [namespace, name] = args {
        let namespace = if namespace.is_nil() {
            None
        } else {
            Some(string(namespace)?)
        };
        return Ok(Value::Symbol(Symbol::new(namespace, string(name)?)));
    }
    Ok(match optional(args, 0) {
        symbol @ Value::Symbol(_) => symbol.clone(),
        Value::Keyword(keyword) => Value::Symbol(Symbol::new(keyword.namespace(), keyword.name())),
        Value::Var(var) => Value::Symbol(Symbol::new(Some(&var.namespace), &var.name)),
        Value::Str(text) => Value::Symbol(Symbol::parse(text)),
        _ => return Err(Thrown::illegal_argument("no conversion to symbol")),
    })
}

/// `ns/name` split at its slash.
fn split_name(text: &str) -> (Option<&str>, &str) {
    match text.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
            (Some(namespace), name)
        }
        _ => (None, text),
    }
}

/// A double as `Double.parseDouble` reads it: spaces around, `NaN`, `Infinity`, a final `d` or `f`.
pub fn java_double(text: &str) -> Option<f64> {
    let text = text.trim();
    let unsigned = text.trim_start_matches(['+', '-']);
    match unsigned {
        "NaN" => return Some(f64::NAN),
        "Infinity" if text.starts_with('-') => return Some(f64::NEG_INFINITY),
        "Infinity" => return Some(f64::INFINITY),
        _ => {}
    }
    if !unsigned.starts_with(|char: char| char.is_ascii_digit() || char == '.') {
        return None;
    }
    text.strip_suffix(['d', 'D', 'f', 'F'])
        .unwrap_or(text)
        .parse()
        .ok()
}
