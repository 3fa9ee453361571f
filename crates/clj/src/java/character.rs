//! `java.lang.Character`.

use super::{JavaClass, Method, Static, constructor, member, method_of};
use crate::core::arguments::{int, not_a, optional};
use crate::{Result, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.lang.Character",
    construct: constructor(1, 1, |_, a| Ok(Value::Char(char(&a[0])?))),
    statics: STATICS,
    fields: &[
        ("MAX_VALUE", || Value::Char('\u{ffff}')),
        ("MIN_VALUE", || Value::Char('\0')),
    ],
}];

const STATICS: &[Static] = &[
    member("isDigit", 1, 1, |_, a| {
        test(a, |char| char.is_ascii_digit())
    }),
    member("isLetter", 1, 1, |_, a| test(a, char::is_alphabetic)),
    member("isLetterOrDigit", 1, 1, |_, a| {
        test(a, char::is_alphanumeric)
    }),
    member("isAlphabetic", 1, 1, |_, a| test(a, char::is_alphabetic)),
    member("isUpperCase", 1, 1, |_, a| test(a, char::is_uppercase)),
    member("isLowerCase", 1, 1, |_, a| test(a, char::is_lowercase)),
    member("isWhitespace", 1, 1, |_, a| {
        test(a, |char| {
            char.is_whitespace() && !"\u{a0}\u{2007}\u{202f}\u{85}".contains(char)
                || ('\u{1c}'..='\u{1f}').contains(&char)
        })
    }),
    member("isSpaceChar", 1, 1, |_, a| {
        test(a, |char| char.is_whitespace() && !char.is_control())
    }),
    member("toUpperCase", 1, 1, |_, a| {
        let char = char(&a[0])?;
        Ok(Value::Char(only(char.to_uppercase()).unwrap_or(char)))
    }),
    member("toLowerCase", 1, 1, |_, a| {
        let char = char(&a[0])?;
        Ok(Value::Char(only(char.to_lowercase()).unwrap_or(char)))
    }),
    member("toString", 1, 1, |_, a| {
        Ok(Value::from(char(&a[0])?.to_string()))
    }),
    member("valueOf", 1, 1, |_, a| Ok(Value::Char(char(&a[0])?))),
    member("getNumericValue", 1, 1, |_, a| {
        Ok(Value::Int(char(&a[0])?.to_digit(36).map_or(-1, i64::from)))
    }),
    member("digit", 2, 2, |_, a| {
        let radix = u32::try_from(int(optional(a, 1))?).unwrap_or(0);
        let digit = if (2..=36).contains(&radix) {
            char(&a[0])?.to_digit(radix)
        } else {
            None
        };
        Ok(Value::Int(digit.map_or(-1, i64::from)))
    }),
];

pub(super) const METHODS: &[Method] = &[method_of("charValue", 0, 0, |_, it, _| Ok(it.clone()))];

/// A character, of one or of its code.
pub(super) fn char(value: &Value) -> Result<char> {
    match value {
        Value::Char(char) => Ok(*char),
        Value::Int(code) => {
            let char = u32::try_from(*code).ok().and_then(char::from_u32);
            Ok(char.unwrap_or(char::REPLACEMENT_CHARACTER))
        }
        other => Err(not_a(other, "java.lang.Character")),
    }
}

fn test(args: &[Value], test: fn(char) -> bool) -> Result {
    super::object::truth(test(char(&args[0])?))
}

/// The one character of a change of case; `None` if there are more.
fn only(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}
