//! Editing a line: whether it is whole, and what its last word can become.

use std::cell::RefCell;
use std::sync::Arc;

use clj::reader::Reader;
use clj::{Cx, Runtime};
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use super::World;
use crate::host::Machine;

/// What the editor asks about a line.
pub struct Line<W> {
    world: RefCell<W>,
    /// Reads what is typed, and evaluates nothing.
    reading: Arc<Runtime>,
}

impl<W: World> Line<W> {
    pub fn new(world: W) -> Line<W> {
        Line {
            world: RefCell::new(world),
            reading: Runtime::new(Arc::new(Machine::new(Vec::new()))),
        }
    }

    pub fn namespace(&self) -> String {
        self.world.borrow().namespace().to_owned()
    }

    /// Evaluates a text, as [`World::evaluate`].
    ///
    /// # Errors
    /// As there.
    pub fn evaluate(&self, text: &str) -> Result<(), String> {
        self.world.borrow_mut().evaluate(text)
    }

    /// True if a form has begun and not ended.
    fn is_unfinished(&self, text: &str) -> bool {
        let cx = Cx::new(&self.reading);
        let mut reader = Reader::new(&cx, "REPL".into(), text);
        loop {
            match reader.read() {
                Ok(Some(_)) => {}
                Ok(None) => return false,
                Err(thrown) => {
                    let message = thrown.message().unwrap_or_default();
                    return message.starts_with("EOF while reading");
                }
            }
        }
    }
}

/// Where the word before the cursor begins.
fn word_start(line: &str, cursor: usize) -> usize {
    let ends_word = |char: char| char.is_whitespace() || "()[]{}\"'`~@^;,#".contains(char);
    line[..cursor]
        .char_indices()
        .rev()
        .find(|(_, char)| ends_word(*char))
        .map_or(0, |(index, char)| index + char.len_utf8())
}

impl<W: World> Validator for Line<W> {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if self.is_unfinished(context.input()) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

impl<W: World> Completer for Line<W> {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let start = word_start(line, cursor);
        let prefix = &line[start..cursor];
        if prefix.is_empty() {
            return Ok((start, Vec::new()));
        }
        Ok((start, self.world.borrow_mut().completions(prefix)))
    }
}

impl<W: World> Hinter for Line<W> {
    type Hint = String;
}

impl<W: World> Highlighter for Line<W> {}

impl<W: World> Helper for Line<W> {}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl World for Nothing {
        fn evaluate(&mut self, _: &str) -> Result<(), String> {
            Ok(())
        }

        fn namespace(&self) -> &str {
            "user"
        }

        fn completions(&mut self, _: &str) -> Vec<String> {
            Vec::new()
        }
    }

    #[test]
    fn a_text_is_unfinished_until_all_that_was_opened_is_closed() {
        let line = Line::new(Nothing);
        for text in ["(+ 1", "\"a", "[{:a (", "1 (b", "#{", "'", "(str \"(\""] {
            assert!(line.is_unfinished(text), "{text}");
        }
        for text in [
            "",
            "1",
            "(+ 1 2)",
            "; (",
            "\\( 1",
            "(a))",
            "::nowhere/x",
            "\"(\"",
        ] {
            assert!(!line.is_unfinished(text), "{text}");
        }
    }

    #[test]
    fn a_word_ends_where_a_form_may_begin() {
        assert_eq!(word_start("(map fol", 8), 5);
        assert_eq!(word_start("(folds/me 1)", 9), 1);
        assert_eq!(word_start("x", 1), 0);
        assert_eq!(word_start("\u{e9} @co", 6), 4);
    }
}
