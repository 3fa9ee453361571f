//! What is wrong with a configuration.

/// One thing that is wrong, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u32>,
    /// From 1.
    pub column: Option<u32>,
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// All of it as text for people: the place, the line of source with a caret, the remedy.
    pub text: String,
    /// It works, but is odd.
    pub is_warning: bool,
}

impl Problem {
    /// A problem that has no place in a source.
    pub fn plain(message: impl Into<String>) -> Problem {
        let message = message.into();
        Problem {
            text: message.clone(),
            message,
            ..Problem::default()
        }
    }
}
