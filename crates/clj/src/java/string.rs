//! `java.lang.String`. Positions count characters.

use super::array::{Array, bytes_of};
use super::character::char;
use super::{JavaClass, Method, Static, constructor, member, method_of};
use crate::core::arguments::{count, int, not_a, optional, string, text};
use crate::core::call_var;
use crate::core::regex::pattern;
use crate::{Cx, Result, Thrown, Value, seq};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.lang.String",
        construct: constructor(0, 2, |_, a| match a.first() {
            None => Ok(Value::str("")),
            Some(Value::Str(text)) => Ok(Value::Str(text.clone())),
            Some(array) if array.class_name() == "[C" => chars_text(array),
            Some(bytes @ Value::Object(_)) if bytes.class_name() == "[B" => {
                Ok(Value::from(decoded(&bytes_of(bytes)?, optional(a, 1))))
            }
            Some(other) => Ok(Value::from(text(other)?)),
        }),
        statics: STATICS,
        fields: &[],
    },
    JavaClass {
        name: "java.util.regex.Pattern",
        construct: None,
        statics: &[
            member("quote", 1, 1, |_, a| {
                let text = string(&a[0])?.replace("\\E", "\\E\\\\E\\Q");
                Ok(Value::from(format!("\\Q{text}\\E")))
            }),
            member("compile", 1, 2, |_, a| match a {
                [text] => pattern(text),
                _ => pattern(&Value::from(flags(int(&a[1])?) + string(&a[0])?)),
            }),
            member("matches", 2, 2, |cx, a| {
                let found = super::core(cx, "re-matches", &[pattern(&a[0])?, a[1].clone()])?;
                Ok(Value::Bool(!found.is_nil()))
            }),
        ],
        fields: &[
            ("CASE_INSENSITIVE", || Value::Int(2)),
            ("COMMENTS", || Value::Int(4)),
            ("MULTILINE", || Value::Int(8)),
            ("DOTALL", || Value::Int(32)),
            ("UNICODE_CASE", || Value::Int(64)),
        ],
    },
    JavaClass {
        name: "java.util.regex.Matcher",
        construct: None,
        statics: &[member("quoteReplacement", 1, 1, |_, a| {
            Ok(Value::from(
                string(&a[0])?.replace('\\', "\\\\").replace('$', "\\$"),
            ))
        })],
        fields: &[],
    },
];

const STATICS: &[Static] = &[
    member("valueOf", 1, 1, |_, a| match &a[0] {
        Value::Nil => Ok(Value::str("null")),
        array if array.class_name() == "[C" => chars_text(array),
        other => Ok(Value::from(other.to_text())),
    }),
    member("format", 1, usize::MAX, |cx, a| {
        let varargs = match a {
            [format, array] if array.downcast::<Array>().is_some() => {
                let items = seq::to_vec(array)?;
                std::iter::once(format.clone()).chain(items).collect()
            }
            _ => a.to_vec(),
        };
        super::core(cx, "format", &varargs)
    }),
    member("join", 2, usize::MAX, |_, a| {
        let items = match a {
            [_, items] if items.as_str().is_none() => seq::to_vec(items)?,
            _ => a[1..].to_vec(),
        };
        let texts: Vec<String> = items.iter().map(Value::to_text).collect();
        Ok(Value::from(texts.join(string(&a[0])?)))
    }),
];

pub(super) const METHODS: &[Method] = &[
    method_of("length", 0, 0, |_, s, _| {
        Ok(Value::Int(own(s).chars().count() as i64))
    }),
    method_of("isEmpty", 0, 0, |_, s, _| {
        Ok(Value::Bool(own(s).is_empty()))
    }),
    method_of("isBlank", 0, 0, |_, s, _| {
        Ok(Value::Bool(own(s).trim().is_empty()))
    }),
    method_of("charAt", 1, 1, |_, s, a| {
        char_at(own(s), int(&a[0])?).map(Value::Char)
    }),
    method_of("codePointAt", 1, 1, |_, s, a| {
        Ok(Value::Int(u32::from(char_at(own(s), int(&a[0])?)?).into()))
    }),
    method_of("contains", 1, 1, |_, s, a| {
        Ok(Value::Bool(own(s).contains(&text(&a[0])?)))
    }),
    method_of("startsWith", 1, 2, |_, s, a| {
        let start = string(&a[0])?;
        match optional(a, 1) {
            Value::Nil => Ok(Value::Bool(own(s).starts_with(start))),
            from => Ok(Value::Bool(
                from_char(own(s), count(from)?).starts_with(start),
            )),
        }
    }),
    method_of("endsWith", 1, 1, |_, s, a| {
        Ok(Value::Bool(own(s).ends_with(string(&a[0])?)))
    }),
    method_of("indexOf", 1, 2, |_, s, a| {
        let from = count_or_zero(optional(a, 1))?;
        let rest = from_char(own(s), from);
        let found = rest.find(&needle(&a[0])?);
        let before = own(s).chars().count().min(from);
        Ok(index(found.map(|at| before + rest[..at].chars().count())))
    }),
    method_of("lastIndexOf", 1, 2, |_, s, a| {
        let (s, needle) = (own(s), needle(&a[0])?);
        let end = match optional(a, 1) {
            Value::Nil => s.len(),
            last if int(last)? < 0 => return Ok(Value::Int(-1)),
            last => (byte_of(s, count(last)?) + needle.len()).min(s.len()),
        };
        let end = (end..=s.len())
            .find(|end| s.is_char_boundary(*end))
            .unwrap_or(s.len());
        Ok(index(
            s[..end].rfind(&needle).map(|at| s[..at].chars().count()),
        ))
    }),
    method_of("substring", 1, 2, |_, s, a| {
        substring(own(s), &a[0], a.get(1))
    }),
    method_of("subSequence", 2, 2, |_, s, a| {
        substring(own(s), &a[0], a.get(1))
    }),
    method_of("replace", 2, 2, |_, s, a| {
        Ok(Value::from(
            own(s).replace(&needle(&a[0])?, &needle(&a[1])?),
        ))
    }),
    method_of("replaceAll", 2, 2, |cx, s, a| {
        replace_regex(cx, s, &a[0], &a[1], true)
    }),
    method_of("replaceFirst", 2, 2, |cx, s, a| {
        replace_regex(cx, s, &a[0], &a[1], false)
    }),
    method_of("matches", 1, 1, |cx, s, a| {
        let found = super::core(cx, "re-matches", &[pattern(&a[0])?, s.clone()])?;
        Ok(Value::Bool(!found.is_nil()))
    }),
    method_of("split", 1, 2, |cx, s, a| {
        let mut args = vec![s.clone(), pattern(&a[0])?];
        args.extend(a.get(1).cloned());
        let pieces = call_var(cx, "clojure.string", "split", &args)?;
        Ok(Value::object(Array::new(
            "[Ljava.lang.String;",
            seq::to_vec(&pieces)?,
        )))
    }),
    method_of("trim", 0, 0, |_, s, _| {
        Ok(Value::str(own(s).trim_matches(|char| char <= ' ')))
    }),
    method_of("strip", 0, 0, |_, s, _| Ok(Value::str(own(s).trim()))),
    method_of("stripLeading", 0, 0, |_, s, _| {
        Ok(Value::str(own(s).trim_start()))
    }),
    method_of("stripTrailing", 0, 0, |_, s, _| {
        Ok(Value::str(own(s).trim_end()))
    }),
    method_of("toUpperCase", 0, 1, |_, s, _| {
        Ok(Value::from(own(s).to_uppercase()))
    }),
    method_of("toLowerCase", 0, 1, |_, s, _| {
        Ok(Value::from(own(s).to_lowercase()))
    }),
    method_of("equalsIgnoreCase", 1, 1, |_, s, a| {
        let other = a[0].as_str();
        Ok(Value::Bool(
            other.is_some_and(|other| folded(own(s)) == folded(other)),
        ))
    }),
    method_of("compareTo", 1, 1, |_, s, a| {
        Ok(compare(own(s), string(&a[0])?))
    }),
    method_of("compareToIgnoreCase", 1, 1, |_, s, a| {
        Ok(compare(&folded(own(s)), &folded(string(&a[0])?)))
    }),
    method_of("concat", 1, 1, |_, s, a| {
        Ok(Value::from(own(s).to_owned() + string(&a[0])?))
    }),
    method_of("repeat", 1, 1, |_, s, a| {
        match usize::try_from(int(&a[0])?) {
            Ok(times) => Ok(Value::from(own(s).repeat(times))),
            Err(_) => Err(Thrown::illegal_argument(format!(
                "count is negative: {}",
                a[0].to_text()
            ))),
        }
    }),
    method_of("getBytes", 0, 1, |_, s, a| {
        Ok(Value::object(Array::of_bytes(&encoded(
            own(s),
            optional(a, 0),
        ))))
    }),
    method_of("toCharArray", 0, 0, |_, s, _| {
        Ok(Value::object(Array::new(
            "[C",
            own(s).chars().map(Value::Char).collect(),
        )))
    }),
    method_of("intern", 0, 0, |_, s, _| Ok(s.clone())),
    method_of("lines", 0, 0, |_, s, _| {
        Ok(Value::list(own(s).lines().map(Value::str).collect()))
    }),
    method_of("formatted", 0, usize::MAX, |cx, s, a| {
        let args: Vec<Value> = std::iter::once(s.clone())
            .chain(a.iter().cloned())
            .collect();
        super::core(cx, "format", &args)
    }),
];

/// The text of a string whose method is called.
fn own(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The text with its matches of a regular expression (or of the text of one) replaced; `$1` in the
/// replacement is the first group.
pub fn replace_regex(
    cx: &Cx<'_>,
    subject: &Value,
    regex: &Value,
    replacement: &Value,
    all: bool,
) -> Result {
    let name = if all { "replace" } else { "replace-first" };
    let args = [
        subject.clone(),
        pattern(regex)?,
        Value::str(string(replacement)?),
    ];
    call_var(cx, "clojure.string", name, &args)
}

/// What to look for: a string, or a character or its code.
fn needle(value: &Value) -> Result<String> {
    match value {
        Value::Char(_) | Value::Int(_) => Ok(char(value)?.to_string()),
        _ => match value {
            Value::Nil => Err(not_a(value, "java.lang.String")),
            other => text(other),
        },
    }
}

fn index(found: Option<usize>) -> Value {
    Value::Int(found.map_or(-1, |index| index as i64))
}

fn count_or_zero(value: &Value) -> Result<usize> {
    if value.is_nil() { Ok(0) } else { count(value) }
}

/// The byte that a character starts at, or the end.
fn byte_of(text: &str, chars: usize) -> usize {
    text.char_indices()
        .nth(chars)
        .map_or(text.len(), |(byte, _)| byte)
}

fn from_char(text: &str, chars: usize) -> &str {
    &text[byte_of(text, chars)..]
}

fn out_of_bounds(message: String) -> Thrown {
    Thrown::new("java.lang.StringIndexOutOfBoundsException", message)
}

fn char_at(text: &str, index: i64) -> Result<char> {
    let found = usize::try_from(index)
        .ok()
        .and_then(|index| text.chars().nth(index));
    found.ok_or_else(|| {
        let len = text.chars().count();
        out_of_bounds(format!("index {index}, length {len}"))
    })
}

pub(super) fn substring(text: &str, begin: &Value, end: Option<&Value>) -> Result {
    let len = text.chars().count() as i64;
    let begin = int(begin)?;
    let end = end.map_or(Ok(len), int)?;
    match (usize::try_from(begin), usize::try_from(end)) {
        (Ok(from), Ok(to)) if from <= to && end <= len => {
            let from = byte_of(text, from);
            Ok(Value::str(&text[from..byte_of(text, to)]))
        }
        _ => Err(out_of_bounds(format!(
            "begin {begin}, end {end}, length {len}"
        ))),
    }
}

fn folded(text: &str) -> String {
    text.to_uppercase().to_lowercase()
}

/// The difference of the first characters that differ, else of the lengths.
fn compare(a: &str, b: &str) -> Value {
    let differing = a.encode_utf16().zip(b.encode_utf16()).find(|(a, b)| a != b);
    Value::Int(match differing {
        Some((a, b)) => i64::from(a) - i64::from(b),
        None => a.encode_utf16().count() as i64 - b.encode_utf16().count() as i64,
    })
}

/// True for the charsets in which each byte is a character.
fn is_latin(charset: &Value) -> bool {
    let name = charset.to_text().to_ascii_uppercase();
    matches!(&*name, "ISO-8859-1" | "ISO8859_1" | "LATIN1")
}

fn encoded(text: &str, charset: &Value) -> Vec<u8> {
    match is_latin(charset) {
        true => text
            .chars()
            .map(|char| u8::try_from(char).unwrap_or(b'?'))
            .collect(),
        false if charset.to_text().eq_ignore_ascii_case("US-ASCII") => text
            .chars()
            .map(|char| if char.is_ascii() { char as u8 } else { b'?' })
            .collect(),
        false => text.as_bytes().to_vec(),
    }
}

fn decoded(bytes: &[u8], charset: &Value) -> String {
    match is_latin(charset) {
        true => bytes.iter().map(|byte| char::from(*byte)).collect(),
        false => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn chars_text(array: &Value) -> Result {
    let mut text = String::new();
    for item in seq::to_vec(array)? {
        text.push(char(&item)?);
    }
    Ok(Value::from(text))
}

/// The flags of `Pattern/compile` as they are written in the expression.
fn flags(bits: i64) -> String {
    let letters = [(2, 'i'), (4, 'x'), (8, 'm'), (32, 's'), (64, 'u')];
    let on: String = letters
        .iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, letter)| letter)
        .collect();
    if on.is_empty() {
        on
    } else {
        format!("(?{on})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_of_characters() {
        let cut = |begin, end| substring("añb", &Value::Int(begin), Some(&Value::Int(end))).ok();
        assert_eq!(cut(1, 2), Some(Value::str("ñ")));
        assert_eq!(cut(3, 3), Some(Value::str("")));
        assert_eq!(cut(2, 1), None);
        assert_eq!(cut(0, 4), None);
    }

    #[test]
    fn compares_by_difference() {
        assert_eq!(compare("a", "c"), Value::Int(-2));
        assert_eq!(compare("abc", "a"), Value::Int(2));
    }
}
