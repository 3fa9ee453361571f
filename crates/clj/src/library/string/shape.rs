//! Case, trimming, joining, reversing, escaping.

use super::is_whitespace;
use crate::core::arguments::text;
use crate::core::native;
use crate::{Cx, Native, Result, Value, seq};

const ONE: (usize, Option<usize>) = (1, Some(1));

pub const NATIVES: &[Native] = &[
    native(
        "join",
        "([coll] [separator coll])",
        "The texts of all items, with a separator between each two.",
        (1, Some(2)),
        join,
    ),
    native(
        "upper-case",
        "([s])",
        "The text in capital letters.",
        ONE,
        |_, a| Ok(Value::from(text(&a[0])?.to_uppercase())),
    ),
    native(
        "lower-case",
        "([s])",
        "The text in small letters.",
        ONE,
        |_, a| Ok(Value::from(text(&a[0])?.to_lowercase())),
    ),
    native(
        "capitalize",
        "([s])",
        "The first letter capital, the others small.",
        ONE,
        capitalize,
    ),
    native(
        "trim",
        "([s])",
        "The text without whitespace at its ends.",
        ONE,
        |_, a| Ok(Value::str(text(&a[0])?.trim_matches(is_whitespace))),
    ),
    native(
        "triml",
        "([s])",
        "The text without whitespace at its beginning.",
        ONE,
        |_, a| Ok(Value::str(text(&a[0])?.trim_start_matches(is_whitespace))),
    ),
    native(
        "trimr",
        "([s])",
        "The text without whitespace at its end.",
        ONE,
        |_, a| Ok(Value::str(text(&a[0])?.trim_end_matches(is_whitespace))),
    ),
    native(
        "trim-newline",
        "([s])",
        "The text without newlines at its end.",
        ONE,
        |_, a| Ok(Value::str(text(&a[0])?.trim_end_matches(['\n', '\r']))),
    ),
    native(
        "blank?",
        "([s])",
        "True for nil, and for nothing but whitespace.",
        ONE,
        |_, a| {
            Ok(match &a[0] {
                Value::Nil => true,
                value => text(value)?.chars().all(is_whitespace),
            }
            .into())
        },
    ),
    native(
        "reverse",
        "([s])",
        "The characters from last to first.",
        ONE,
        |_, a| Ok(Value::from(text(&a[0])?.chars().rev().collect::<String>())),
    ),
    native(
        "escape",
        "([s cmap])",
        "With every character that cmap knows replaced by what it gives.",
        (2, Some(2)),
        escape,
    ),
];

fn join(_: &Cx<'_>, args: &[Value]) -> Result {
    let (separator, items) = match args {
        [items] => (String::new(), items),
        [separator, items, ..] => (separator.to_text(), items),
        [] => return Ok(Value::str("")),
    };
    let mut joined = String::new();
    for (index, item) in seq::iter(items).enumerate() {
        if index > 0 {
            joined.push_str(&separator);
        }
        match item? {
            Value::Str(text) => joined.push_str(&text),
            item => joined.push_str(&item.to_text()),
        }
    }
    Ok(Value::from(joined))
}

fn capitalize(_: &Cx<'_>, args: &[Value]) -> Result {
    let text = text(&args[0])?;
    let mut chars = text.chars();
    let first: String = chars
        .by_ref()
        .take(1)
        .flat_map(char::to_uppercase)
        .collect();
    Ok(Value::from(first + &chars.as_str().to_lowercase()))
}

fn escape(cx: &Cx<'_>, args: &[Value]) -> Result {
    let mut escaped = String::new();
    for char in text(&args[0])?.chars() {
        match cx.call(&args[1], &[Value::Char(char)])? {
            Value::Nil => escaped.push(char),
            replacement => escaped.push_str(&replacement.to_text()),
        }
    }
    Ok(Value::from(escaped))
}
