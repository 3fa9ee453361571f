//! `java.util.regex.Matcher`: a search that goes on from match to match.

use std::any::Any;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Groups, Regex, after, groups_value};
use crate::core::arguments::int;
use crate::core::call_var;
use crate::{Cx, Object, Result, Thrown, Value};

/// A regular expression on its way through a text.
pub struct Matcher {
    regex: Value,
    text: Arc<str>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    from: usize,
    last: Option<Groups>,
}

impl Matcher {
    /// A search at the beginning; `regex` is a [`Regex`] object.
    pub fn new(regex: Value, text: Arc<str>) -> Matcher {
        Matcher {
            regex,
            text,
            state: Mutex::default(),
        }
    }

    fn regex(&self) -> Result<&Regex> {
        self.regex
            .downcast()
            .ok_or_else(|| Thrown::illegal_state("No match available"))
    }

    /// Goes to the next match; its groups, or nil.
    ///
    /// # Errors
    /// When matching takes too many steps.
    pub fn find(&self) -> Result {
        let regex = self.regex()?;
        let mut state = self.state.lock();
        state.last = match state.from <= self.text.len() {
            true => regex.find_from(&self.text, state.from)?,
            false => None,
        };
        match &state.last {
            Some(groups) => {
                let value = groups_value(&self.text, groups);
                let found = groups.first().cloned().flatten().unwrap_or(0..0);
                state.from = after(&self.text, &found);
                Ok(value)
            }
            None => Ok(Value::Nil),
        }
    }

    fn matches(&self) -> Result<bool> {
        let groups = self.regex()?.match_whole(&self.text)?;
        let matched = groups.is_some();
        self.state.lock().last = groups;
        Ok(matched)
    }

    /// The groups of the last match.
    ///
    /// # Errors
    /// `IllegalStateException` if there is none.
    pub fn groups(&self) -> Result {
        match &self.state.lock().last {
            Some(groups) => Ok(groups_value(&self.text, groups)),
            None => Err(Thrown::illegal_state("No match found")),
        }
    }

    fn group(&self, index: &Value) -> Result<Option<std::ops::Range<usize>>> {
        let index = match index {
            Value::Str(name) => self
                .regex()?
                .group_named(name)
                .ok_or_else(|| Thrown::illegal_argument(format!("No group with name <{name}>")))?,
            index => usize::try_from(int(index)?).unwrap_or(usize::MAX),
        };
        let state = self.state.lock();
        let groups = state
            .last
            .as_ref()
            .ok_or_else(|| Thrown::illegal_state("No match found"))?;
        groups.get(index).cloned().ok_or_else(|| {
            Thrown::new(
                "java.lang.IndexOutOfBoundsException",
                format!("No group {index}"),
            )
        })
    }

    fn position(&self, bytes: usize) -> Value {
        Value::Int(self.text[..bytes].chars().count() as i64)
    }
}

impl Object for Matcher {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.regex.Matcher"
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let zero = [Value::Int(0)];
        let index = args.first().unwrap_or(&zero[0]);
        Some(match (name, args.len()) {
            ("find", 0) => self.find().map(|found| Value::Bool(!found.is_nil())),
            ("matches", 0) => self.matches().map(Value::Bool),
            ("group", 0 | 1) => self
                .group(index)
                .map(|range| range.map(|range| Value::str(&self.text[range])).into()),
            ("start", 0 | 1) => self
                .group(index)
                .map(|range| range.map_or(Value::Int(-1), |r| self.position(r.start))),
            ("end", 0 | 1) => self
                .group(index)
                .map(|range| range.map_or(Value::Int(-1), |r| self.position(r.end))),
            ("groupCount", 0) => self
                .regex()
                .map(|regex| Value::Int(regex.groups_len() as i64 - 1)),
            ("reset", 0) => {
                *self.state.lock() = State::default();
                Ok(Value::Nil)
            }
            ("replaceAll" | "replaceFirst", 1) => {
                let name = if name == "replaceAll" {
                    "replace"
                } else {
                    "replace-first"
                };
                let text = Value::Str(self.text.clone());
                call_var(
                    cx,
                    "clojure.string",
                    name,
                    &[text, self.regex.clone(), index.clone()],
                )
            }
            _ => return None,
        })
    }
}
