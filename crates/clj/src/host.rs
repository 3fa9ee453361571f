//! The door to the outside.

use std::io;

/// How much a log line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
    /// Logged as an error where there is nothing above.
    Fatal,
}

/// What the language asks of the program it runs in. What a host does not answer itself is closed:
/// no files, no environment, no other programs, and a clock that stands still. A test hands in one
/// that answers just what it is about.
pub trait Host: Send + Sync {
    /// Milliseconds since 1970 (`System/currentTimeMillis`).
    fn now_ms(&self) -> i64 {
        0
    }
    /// A clock that never goes back, in nanoseconds (`System/nanoTime`).
    fn nano_time(&self) -> i64 {
        0
    }
    /// `Thread/sleep`.
    fn sleep_ms(&self, ms: u64) {
        let _ = ms;
    }
    fn env(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
    /// The whole environment, name and value.
    fn envs(&self) -> Vec<(String, String)> {
        Vec::new()
    }
    fn hostname(&self) -> String {
        "localhost".to_owned()
    }
    /// What `println` prints.
    fn print(&self, text: &str) {
        let _ = text;
    }
    fn print_error(&self, text: &str) {
        let _ = text;
    }
    fn read_file(&self, path: &str) -> io::Result<String> {
        Err(io::Error::new(io::ErrorKind::NotFound, path.to_owned()))
    }
    fn write_file(&self, path: &str, text: &str, append: bool) -> io::Result<()> {
        let _ = (path, text, append);
        Err(io::ErrorKind::PermissionDenied.into())
    }
    fn file_exists(&self, path: &str) -> bool {
        let _ = path;
        false
    }
    fn is_directory(&self, path: &str) -> bool {
        let _ = path;
        false
    }
    /// Names in a directory, in lexical order.
    fn list_directory(&self, path: &str) -> io::Result<Vec<String>> {
        let _ = path;
        Ok(Vec::new())
    }
    /// Makes a directory and those it lies in.
    fn create_directory(&self, path: &str) -> io::Result<()> {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Removes a file.
    fn remove_file(&self, path: &str) -> io::Result<()> {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }
    /// The addresses of a host.
    fn addresses(&self, name: &str) -> io::Result<Vec<std::net::IpAddr>> {
        let _ = name;
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Runs a program to its end.
    fn run(&self, program: &Program) -> io::Result<Ran> {
        let _ = program;
        Err(io::ErrorKind::Unsupported.into())
    }
    /// The source of a namespace, by its path below the search path (`mycorp/email`, without an
    /// extension): the file's name and its text. Embedded library files come before this is asked.
    fn find_source(&self, path: &str) -> Option<(String, String)> {
        let _ = path;
        None
    }
    /// A random number in [0, 1).
    fn random(&self) -> f64 {
        0.5
    }
    /// A log line of code; the logger is the namespace it stands in.
    fn log(&self, level: LogLevel, logger: &str, text: &str) {
        let _ = (level, logger, text);
    }
    /// True if such a line would be kept. The arguments of others are not evaluated.
    fn log_enabled(&self, level: LogLevel, logger: &str) -> bool {
        let _ = (level, logger);
        true
    }
}

/// A program to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name, then its arguments; never empty.
    pub words: Vec<String>,
    /// What it can read.
    pub input: String,
    /// Where it runs, if not where this program does.
    pub folder: Option<String>,
    /// The whole of its environment, if not ours.
    pub environment: Option<Vec<(String, String)>>,
}

/// A program that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its exit status; 128 and the signal's number if a signal ended it.
    pub status: i32,
    /// What it wrote, as UTF-8, mended where it is not.
    pub out: String,
    pub err: String,
}
