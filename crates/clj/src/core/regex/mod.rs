//! Regular expressions: Java's syntax and meaning, over an engine that takes linear time where the
//! expression allows it.

mod matcher;
mod natives;
mod translate;

use std::any::Any;
use std::ops::Range;
use std::sync::OnceLock;

use fancy_regex::{RegexBuilder, RuntimeError};

use crate::{Cx, Object, Result, Thrown, Value};

pub use matcher::Matcher;
pub use natives::{NATIVES, pattern};

/// Steps that a backtracking expression may take on one text.
const BACKTRACK_STEPS_MAX: usize = 1_000_000;

/// A compiled expression, `java.util.regex.Pattern`. Equal only to itself, as in Java.
pub struct Regex {
    source: String,
    /// Finds in texts that do not end with a line break, where `$` is the very end.
    usual: fancy_regex::Regex,
    /// Finds in texts that do: there `$` also stands before the break. Only if it has a `$`.
    before_break: Option<OnceLock<Option<fancy_regex::Regex>>>,
    /// Matches whole texts.
    whole: OnceLock<Option<fancy_regex::Regex>>,
}

/// Where the groups of a match are; group 0 is all of it.
pub type Groups = Vec<Option<Range<usize>>>;

impl Regex {
    /// Compiles an expression.
    ///
    /// # Errors
    /// `PatternSyntaxException`.
    pub fn new(source: &str) -> Result<Regex> {
        let translated = translate::translate(source, false);
        let usual = build(&translated.text).map_err(|error| {
            Thrown::new(
                "java.util.regex.PatternSyntaxException",
                format!("{} in the regular expression {source}", reason(&error)),
            )
        })?;
        Ok(Regex {
            source: source.to_owned(),
            usual,
            before_break: translated.has_end.then(OnceLock::new),
            whole: OnceLock::new(),
        })
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// The number of groups, the whole match counted.
    pub fn groups_len(&self) -> usize {
        self.usual.captures_len()
    }

    /// True if the text has a match in it.
    ///
    /// # Errors
    /// `StackOverflowError` when matching takes too many steps; so also below.
    pub fn is_match(&self, text: &str) -> Result<bool> {
        self.finder(text).is_match(text).map_err(too_long)
    }

    /// The first match at or after a byte.
    pub fn find_from(&self, text: &str, from: usize) -> Result<Option<Groups>> {
        groups_of(self.finder(text), text, from)
    }

    /// The match of the whole text.
    pub fn match_whole(&self, text: &str) -> Result<Option<Groups>> {
        let whole = self.whole.get_or_init(|| {
            build(&format!(
                "\\A(?:{})\\z",
                translate::translate(&self.source, false).text
            ))
            .ok()
        });
        match whole {
            Some(regex) => groups_of(regex, text, 0),
            None => Ok(self
                .find_from(text, 0)?
                .filter(|groups| groups.first().cloned().flatten() == Some(0..text.len()))),
        }
    }

    /// Where a named group stands among the groups.
    pub fn group_named(&self, name: &str) -> Option<usize> {
        self.usual
            .capture_names()
            .position(|known| known == Some(name))
    }

    fn finder(&self, text: &str) -> &fancy_regex::Regex {
        match &self.before_break {
            Some(cell) if text.ends_with(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) => {
                let slow =
                    cell.get_or_init(|| build(&translate::translate(&self.source, true).text).ok());
                slow.as_ref().unwrap_or(&self.usual)
            }
            _ => &self.usual,
        }
    }
}

fn build(text: &str) -> std::result::Result<fancy_regex::Regex, fancy_regex::Error> {
    RegexBuilder::new(text)
        .backtrack_limit(BACKTRACK_STEPS_MAX)
        .build()
}

fn reason(error: &fancy_regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ")
        .trim_start_matches("Parsing error at ")
        .to_owned()
}

fn groups_of(regex: &fancy_regex::Regex, text: &str, from: usize) -> Result<Option<Groups>> {
    if regex.captures_len() == 1 {
        let found = regex.find_from_pos(text, from).map_err(too_long)?;
        return Ok(found.map(|found| vec![Some(found.range())]));
    }
    let found = regex.captures_from_pos(text, from).map_err(too_long)?;
    Ok(found.map(|groups| {
        groups
            .iter()
            .map(|group| group.map(|group| group.range()))
            .collect()
    }))
}

fn too_long(error: fancy_regex::Error) -> Thrown {
    match error {
        fancy_regex::Error::RuntimeError(RuntimeError::BacktrackLimitExceeded) => Thrown::new(
            "java.lang.StackOverflowError",
            "this regular expression takes too many steps on this text",
        ),
        other => Thrown::runtime(other.to_string()),
    }
}

/// A match as `re-find` gives it: the text, or a vector of the groups if there are any.
pub fn groups_value(text: &str, groups: &Groups) -> Value {
    let mut texts = groups.iter().map(|group| {
        group
            .clone()
            .map(|range| Value::str(&text[range]))
            .unwrap_or_default()
    });
    if groups.len() == 1 {
        return texts.next().unwrap_or_default();
    }
    Value::vector(texts.collect())
}

impl Object for Regex {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.regex.Pattern"
    }

    fn print(&self, out: &mut String, _: bool) {
        out.push_str("#\"");
        let mut escaped = false;
        for char in self.source.chars() {
            if char == '"' && !escaped {
                out.push('\\');
            }
            escaped = char == '\\' && !escaped;
            out.push(char);
        }
        out.push('"');
    }

    fn text(&self) -> Option<String> {
        Some(self.source.clone())
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("matcher", [text]) => {
                let own = match Regex::new(&self.source) {
                    Ok(own) => Value::object(own),
                    Err(thrown) => return Some(Err(thrown)),
                };
                let args = [own, text.clone()];
                Some(super::call_var(cx, "clojure.core", "re-matcher", &args))
            }
            ("pattern" | "toString", []) => Some(Ok(Value::str(&self.source))),
            ("split", [Value::Str(text)]) => Some(self.split(text).map(Value::vector)),
            _ => None,
        }
    }
}

impl Regex {
    /// As Java's `split` without a limit: no empty texts at the end.
    pub fn split(&self, text: &str) -> Result<Vec<Value>> {
        let (mut parts, mut begin, mut from) = (Vec::new(), 0, 0);
        while let Some(found) = self
            .find_from(text, from)?
            .and_then(|groups| groups[0].clone())
        {
            if found.end > 0 && !(found.is_empty() && found.start >= text.len()) {
                parts.push(&text[begin..found.start]);
                begin = found.end;
            }
            from = after(text, &found);
            if from > text.len() {
                break;
            }
        }
        parts.push(&text[begin..]);
        while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        Ok(parts.into_iter().map(Value::str).collect())
    }
}

/// Where to look for the match after `found`; beyond the end when there can be none.
pub fn after(text: &str, found: &Range<usize>) -> usize {
    if !found.is_empty() {
        return found.end;
    }
    text[found.end..]
        .chars()
        .next()
        .map_or(text.len() + 1, |char| found.end + char.len_utf8())
}
