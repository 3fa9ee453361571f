//! What is wrong with a query, and where.

use std::fmt;

/// A query that cannot be read. [`Display`](fmt::Display) is the bare message, as Riemann answers
/// it; [`QueryError::render`] shows the place too.
///
/// ```
/// let text = r#"service =~ foo"#;
/// let error = query::parse(text).unwrap_err();
/// assert_eq!(error.to_string(), "mismatched input 'foo' expecting STRING");
/// let shown = "\
/// line 1, column 12: mismatched input 'foo' expecting STRING
///     service =~ foo
///                ^";
/// assert_eq!(error.render(text), shown);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// One line for each mistake.
    pub message: String,
    /// Bytes before the first mistake.
    pub offset: usize,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl QueryError {
    /// A mistake at a byte of the text; the end of the text if it is beyond.
    pub(crate) fn at(text: &str, offset: usize, message: impl Into<String>) -> QueryError {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        QueryError {
            message: message.into(),
            offset: before.len(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// The message after its place, the line of the query, and a caret below the mistake.
    pub fn render(&self, text: &str) -> String {
        let line = text.split('\n').nth(self.line - 1).unwrap_or("");
        let blank = |char| if char == '\t' { '\t' } else { ' ' };
        let indent: String = line.chars().take(self.column - 1).map(blank).collect();
        let place = format!("line {}, column {}", self.line, self.column);
        format!("{place}: {}\n    {line}\n    {indent}^", self.message)
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for QueryError {}
