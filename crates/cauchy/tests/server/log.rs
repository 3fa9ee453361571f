//! What a server logs, line by line.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::PATIENCE;

/// The lines so far.
#[derive(Clone)]
pub struct Log(Arc<(Mutex<Lines>, Condvar)>);

#[derive(Default)]
struct Lines {
    lines: Vec<String>,
    ended: bool,
}

impl Log {
    /// Reads until the other end closes.
    pub fn follow(source: impl Read + Send + 'static) -> Log {
        let log = Log(Arc::default());
        let shared = log.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(source).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                shared.change(|lines| lines.lines.push(line));
            }
            shared.change(|lines| lines.ended = true);
        });
        log
    }

    fn change(&self, change: impl FnOnce(&mut Lines)) {
        change(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
    }

    /// Waits for a line that contains a text; gives the first.
    pub fn wait(&self, text: &str) -> String {
        self.wait_after(0, text)
    }

    /// The same, among the lines after the first `count`.
    pub fn wait_after(&self, count: usize, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        let mut lines = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(line) = lines
                .lines
                .iter()
                .skip(count)
                .find(|line| line.contains(text))
            {
                return line.clone();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !lines.ended, "'{text}' was not logged");
            let waited = self.0.1.wait_timeout(lines, left);
            lines = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub fn len(&self) -> usize {
        self.0
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .lines
            .len()
    }

    /// Lines that contain a text.
    pub fn count(&self, text: &str) -> usize {
        let lines = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines
            .lines
            .iter()
            .filter(|line| line.contains(text))
            .count()
    }

    /// The last lines.
    pub fn tail(&self, count: usize) -> String {
        let lines = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.lines[lines.lines.len().saturating_sub(count)..].join("\n")
    }
}
