//! The functions of regular expressions.

use super::{Matcher, Regex, after, groups_value};
use crate::core::arguments::{not_a, string};
use crate::core::native;
use crate::{Native, Result, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "re-pattern",
        "([s])",
        "A regular expression, of its text.",
        (1, Some(1)),
        |_, a| pattern(&a[0]),
    ),
    native(
        "re-find",
        "([m] [re s])",
        "The first match, or a matcher's next.",
        (1, Some(2)),
        |_, a| match a {
            [matcher] => self::matcher(matcher)?.find(),
            _ => {
                let text = string(&a[1])?;
                let found = regex(&a[0])?.find_from(text, 0)?;
                Ok(found.map(|groups| groups_value(text, &groups)).into())
            }
        },
    ),
    native(
        "re-matches",
        "([re s])",
        "The match of the whole text.",
        (2, Some(2)),
        |_, a| {
            let text = string(&a[1])?;
            let found = regex(&a[0])?.match_whole(text)?;
            Ok(found.map(|groups| groups_value(text, &groups)).into())
        },
    ),
    native(
        "re-seq",
        "([re s])",
        "All matches.",
        (2, Some(2)),
        |_, a| {
            let (regex, text) = (regex(&a[0])?, string(&a[1])?);
            let (mut found, mut from) = (Vec::new(), 0);
            while from <= text.len()
                && let Some(groups) = regex.find_from(text, from)?
            {
                found.push(groups_value(text, &groups));
                from = after(text, &groups.first().cloned().flatten().unwrap_or(0..0));
            }
            Ok(seq::chunk(found, Value::Nil))
        },
    ),
    native(
        "re-matcher",
        "([re s])",
        "A search for matches.",
        (2, Some(2)),
        |_, a| {
            regex(&a[0])?;
            Ok(Value::object(Matcher::new(
                a[0].clone(),
                string(&a[1])?.into(),
            )))
        },
    ),
    native(
        "re-groups",
        "([m])",
        "The groups of a matcher's last match.",
        (1, Some(1)),
        |_, a| matcher(&a[0])?.groups(),
    ),
];

/// A regular expression, of one or of its text.
///
/// # Errors
/// `PatternSyntaxException`, or `ClassCastException` for neither.
pub fn pattern(value: &Value) -> Result {
    match value.downcast::<Regex>() {
        Some(_) => Ok(value.clone()),
        None => Ok(Value::object(Regex::new(string(value)?)?)),
    }
}

fn regex(value: &Value) -> Result<&Regex> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "java.util.regex.Pattern"))
}

fn matcher(value: &Value) -> Result<&Matcher> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "java.util.regex.Matcher"))
}
