//! Finding one text in another.

use crate::core::arguments::{int, not_a, optional, string, text};
use crate::core::native;
use crate::{Cx, Native, Result, Value};

const TWO: (usize, Option<usize>) = (2, Some(2));

pub const NATIVES: &[Native] = &[
    native(
        "starts-with?",
        "([s substr])",
        "True if s begins with substr.",
        TWO,
        |_, a| Ok(text(&a[0])?.starts_with(string(&a[1])?).into()),
    ),
    native(
        "ends-with?",
        "([s substr])",
        "True if s ends with substr.",
        TWO,
        |_, a| Ok(text(&a[0])?.ends_with(string(&a[1])?).into()),
    ),
    native(
        "includes?",
        "([s substr])",
        "True if substr is somewhere in s.",
        TWO,
        |_, a| Ok(text(&a[0])?.contains(string(&a[1])?).into()),
    ),
    native(
        "index-of",
        "([s value] [s value from-index])",
        "Where value, a text or a character, first is in s, at from-index or later; nil if nowhere.",
        (2, Some(3)),
        index_of,
    ),
    native(
        "last-index-of",
        "([s value] [s value from-index])",
        "Where value, a text or a character, last is in s, at from-index or earlier; nil if nowhere.",
        (2, Some(3)),
        last_index_of,
    ),
];

fn index_of(_: &Cx<'_>, args: &[Value]) -> Result {
    let (text, wanted) = (text(&args[0])?, wanted(&args[1])?);
    let from = match optional(args, 2) {
        Value::Nil => 0,
        from => usize::try_from(int(from)?).unwrap_or(0),
    };
    let Some(start) = byte_index(&text, from) else {
        return Ok(Value::Nil);
    };
    Ok(text[start..]
        .find(&wanted)
        .map(|at| position(&text, start + at))
        .into())
}

fn last_index_of(_: &Cx<'_>, args: &[Value]) -> Result {
    let (text, wanted) = (text(&args[0])?, wanted(&args[1])?);
    let end = match optional(args, 2) {
        Value::Nil => text.len(),
        from => match usize::try_from(int(from)?) {
            Ok(from) => byte_index(&text, from).unwrap_or(text.len()),
            Err(_) => return Ok(Value::Nil),
        },
    };
    let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let found = places.rfind(|at| *at <= end && text[*at..].starts_with(&wanted));
    Ok(found.map(|at| position(&text, at)).into())
}

fn wanted(value: &Value) -> Result<String> {
    match value {
        Value::Str(text) => Ok(text.to_string()),
        Value::Char(char) => Ok(char.to_string()),
        _ => Err(not_a(value, "java.lang.String")),
    }
}

/// Where the character of that number begins; the end for the one after the last.
fn byte_index(text: &str, position: usize) -> Option<usize> {
    text.char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .nth(position)
}

fn position(text: &str, byte_index: usize) -> i64 {
    text[..byte_index].chars().count() as i64
}
