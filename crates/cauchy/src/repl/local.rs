//! A world of its own.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use config::{Code, Configuration, Console, Failure, Session};

use super::World;
use crate::start;

/// Words of a configuration, evaluated in this process.
pub struct Local {
    configuration: Arc<Configuration>,
    session: Session,
    namespace: String,
}

impl Local {
    /// # Errors
    /// What is wrong, as text.
    pub fn new(search: Vec<PathBuf>) -> Result<Local, String> {
        Ok(Local {
            configuration: start::load_nothing(search)?,
            session: Session::default(),
            namespace: "user".to_owned(),
        })
    }
}

impl World for Local {
    fn evaluate(&mut self, text: &str) -> Result<(), String> {
        let code = Code {
            file: "REPL",
            text,
            namespace: None,
            is_file: false,
        };
        let namespace = &mut self.namespace;
        let mut each = |value: &str, current: &str| {
            println!("{value}");
            current.clone_into(namespace);
        };
        let terminal: Arc<dyn Console> = Arc::new(Terminal);
        let outcome =
            self.configuration
                .evaluate(&mut self.session, &code, Some(terminal), &mut each);
        if let Err(Failure::Thrown { text, .. }) = outcome {
            eprintln!("{}", text.trim_end());
        }
        Ok(())
    }

    fn namespace(&self) -> &str {
        &self.namespace
    }

    fn completions(&mut self, prefix: &str) -> Vec<String> {
        let found = self.configuration.completions(&self.namespace, prefix);
        found.into_iter().map(|found| found.name).collect()
    }
}

/// This process's own screen and keyboard.
struct Terminal;

impl Console for Terminal {
    fn out(&self, text: &str) {
        print!("{text}");
        let _ = io::Write::flush(&mut io::stdout());
    }

    fn err(&self, text: &str) {
        eprint!("{text}");
    }

    fn read_line(&self) -> Option<String> {
        read_line()
    }
}

/// The next line that is typed; `None` at the end of the input.
pub fn read_line() -> Option<String> {
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line);
    read.is_ok_and(|bytes| bytes > 0).then_some(line)
}
