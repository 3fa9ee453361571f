//! Regular expressions in filters; most of them are a few letters at the start or anywhere.

use clj::core::regex::{self, Regex};
use clj::{Result, Value};

/// How to find an expression in a text.
pub struct Finder {
    plain: Option<Plain>,
    /// A [`Regex`] of the language.
    regex: Value,
}

/// An expression that is a plain text in a certain place.
enum Plain {
    Anywhere(Box<str>),
    AtStart(Box<str>),
    AtEnd(Box<str>),
    Whole(Box<str>),
}

impl Finder {
    /// The finder for a value that is an expression.
    pub fn of(value: &Value) -> Option<Finder> {
        let regex = value.downcast::<Regex>()?;
        Some(Finder {
            plain: plain(regex.source()),
            regex: value.clone(),
        })
    }

    /// The expression itself.
    pub fn regex(&self) -> &Value {
        &self.regex
    }

    /// True if the expression is found anywhere in the text.
    ///
    /// # Errors
    /// `StackOverflowError` when that takes too many steps.
    pub fn finds(&self, text: &str) -> Result<bool> {
        match &self.plain {
            Some(Plain::Anywhere(part)) => return Ok(text.contains(&**part)),
            Some(Plain::AtStart(part)) => return Ok(text.starts_with(&**part)),
            // Before a line break at the end there is an end, too.
            Some(Plain::AtEnd(part)) if !ends_with_break(text) => {
                return Ok(text.ends_with(&**part));
            }
            Some(Plain::Whole(whole)) if !ends_with_break(text) => return Ok(*text == **whole),
            _ => {}
        }
        self.regex
            .downcast::<Regex>()
            .map_or(Ok(false), |regex| regex.is_match(text))
    }

    /// True if finding takes no engine, which may run out of steps.
    pub(super) fn is_plain(&self) -> bool {
        self.plain.is_some()
    }

    /// The text that every match begins with, if being at the start is all that is asked.
    pub(super) fn prefix(&self) -> Option<&str> {
        match &self.plain {
            Some(Plain::AtStart(prefix)) => Some(prefix),
            _ => None,
        }
    }

    /// What `re-find` gives: the first match, with its groups if it has any, or nil.
    ///
    /// # Errors
    /// `StackOverflowError` when that takes too many steps.
    pub fn find(&self, text: &str) -> Result {
        let Some(regex) = self.regex.downcast::<Regex>() else {
            return Ok(Value::Nil);
        };
        let found = regex.find_from(text, 0)?;
        Ok(found.map_or(Value::Nil, |groups| regex::groups_value(text, &groups)))
    }
}

fn ends_with_break(text: &str) -> bool {
    text.ends_with(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
}

fn plain(source: &str) -> Option<Plain> {
    let (source, at_start) = match source.strip_prefix('^') {
        Some(rest) => (rest, true),
        None => (source.strip_prefix(".*").unwrap_or(source), false),
    };
    let (source, at_end) = match source.strip_suffix('$') {
        Some(rest) => (rest, true),
        None => (source.strip_suffix(".*").unwrap_or(source), false),
    };
    if source.contains(|char| r"\^$.|?*+()[]{}".contains(char)) {
        return None;
    }
    let source = Box::from(source);
    Some(match (at_start, at_end) {
        (false, false) => Plain::Anywhere(source),
        (true, false) => Plain::AtStart(source),
        (false, true) => Plain::AtEnd(source),
        (true, true) => Plain::Whole(source),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The finder agrees with the expression itself.
    fn check(source: &str) {
        let value = Value::object(Regex::new(source).unwrap());
        let finder = Finder::of(&value).unwrap();
        let regex = value.downcast::<Regex>().unwrap();
        let texts = [
            "", "a", "ab", "cab", "abc", "ab\n", "cab\r\n", "x\nab", "ab\nx", "a.b", "b",
        ];
        for text in texts {
            assert_eq!(
                finder.finds(text).unwrap(),
                regex.is_match(text).unwrap(),
                "{source} in {text:?}"
            );
        }
    }

    #[test]
    fn plain_expressions_are_found_as_expressions_are() {
        for source in [
            "", "^", "$", "ab", "^ab", "ab$", "^ab$", ".*ab", "ab.*", "^ab.*", ".*",
        ] {
            check(source);
            assert!(plain(source).is_some(), "{source}");
        }
    }

    #[test]
    fn others_are_left_to_the_engine() {
        for source in [
            "a.b", "a|b", "^.*ab", "a?b", r"a\.b", "[ab]", "(?i)AB", "^(ab)",
        ] {
            check(source);
            assert!(plain(source).is_none(), "{source}");
        }
    }
}
