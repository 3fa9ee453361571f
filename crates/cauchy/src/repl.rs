//! `cauchy repl`: a prompt, on a world of its own or on a running server.

mod line;
mod local;
mod remote;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::{env, io};

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use crate::cli;
use line::Line;

/// Lines kept of what was typed before.
const HISTORY_LINES_MAX: usize = 1_000;

/// Where the lines are kept, in the user's folder.
const HISTORY_FILE: &str = ".cauchy_history";

/// What a prompt talks to.
pub trait World {
    /// Evaluates a text, and prints what comes of it.
    ///
    /// # Errors
    /// One line: why nothing more can be evaluated.
    fn evaluate(&mut self, text: &str) -> Result<(), String>;

    /// The current namespace.
    fn namespace(&self) -> &str;

    /// Names that begin with the prefix.
    fn completions(&mut self, prefix: &str) -> Vec<String>;
}

/// Reads, evaluates and prints until the input ends.
///
/// # Errors
/// One line: why it cannot.
pub fn run(repl: &cli::Repl) -> Result<(), String> {
    match &repl.connect {
        Some(address) => prompt(remote::Remote::connect(address)?),
        None => prompt(local::Local::new(repl.search.clone())?),
    }
}

fn prompt(world: impl World) -> Result<(), String> {
    let failed = |error: ReadlineError| format!("the prompt: {error}");
    let config = Config::builder()
        .max_history_size(HISTORY_LINES_MAX)
        .map_err(failed)?
        .auto_add_history(true)
        .build();
    let mut editor: Editor<Line<_>, FileHistory> = Editor::with_config(config).map_err(failed)?;
    editor.set_helper(Some(Line::new(world)));
    let home = env::var_os("HOME").filter(|_| io::stdin().is_terminal());
    let history = home.map(|home| PathBuf::from(home).join(HISTORY_FILE));
    if let Some(path) = &history {
        // There is none the first time.
        let _ = editor.load_history(path);
    }
    let outcome = read_and_evaluate(&mut editor);
    if let Some(path) = &history
        && let Err(error) = editor.save_history(path)
    {
        tracing::debug!("{}: {error}", path.display());
    }
    outcome
}

fn read_and_evaluate(editor: &mut Editor<Line<impl World>, FileHistory>) -> Result<(), String> {
    loop {
        let Some(namespace) = editor.helper().map(Line::namespace) else {
            return Ok(());
        };
        match editor.readline(&format!("{namespace}=> ")) {
            Ok(text) => {
                if let Some(line) = editor.helper() {
                    line.evaluate(&text)?;
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(()),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Ok(());
            }
            Err(error) => return Err(format!("the prompt: {error}")),
        }
    }
}
