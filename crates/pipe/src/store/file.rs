//! A file of JSON lines.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use codec::json::{event_to_json, put_string};
use codec::riemann::decode_msg;
use event::{Time, Views};

use super::Store;
use crate::{Batch, Framing, PipeError};

/// Appends a line for each message: an event as an object, other messages as a string, and what
/// is not UTF-8 as `{"base64":"…"}`.
pub struct FileStore {
    file: File,
    place: String,
    framing: Framing,
    /// Where the last whole batch ends. What a full disk cut off after it is removed.
    whole_bytes: u64,
    lines: Vec<u8>,
}

impl FileStore {
    /// Opens or makes the file; `framing` says what the messages are.
    ///
    /// # Errors
    /// The system refuses.
    pub fn open(path: &Path, framing: Framing) -> Result<FileStore, PipeError> {
        let place = path.display().to_string();
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(PipeError::io(&place))?;
        let whole_bytes = file.metadata().map_err(PipeError::io(&place))?.len();
        Ok(FileStore {
            file,
            place,
            framing,
            whole_bytes,
            lines: Vec::new(),
        })
    }
}

impl Store for FileStore {
    fn store(&mut self, batch: &Batch, _origin: &str) -> Result<(), PipeError> {
        self.lines.clear();
        for message in batch.iter() {
            match self.framing {
                Framing::Events => put_events(&mut self.lines, message)?,
                _ => put_message(&mut self.lines, message),
            }
        }
        if let Err(error) = self.file.write_all(&self.lines) {
            self.file
                .set_len(self.whole_bytes)
                .map_err(PipeError::io(&self.place))?;
            return Err(PipeError::io(&self.place)(error));
        }
        self.whole_bytes += self.lines.len() as u64;
        Ok(())
    }
}

fn put_events(lines: &mut Vec<u8>, message: &[u8]) -> Result<(), PipeError> {
    let mut views = Views::new();
    let decoded = decode_msg(message, Time::from_s(0), &mut views);
    decoded.map_err(|error| PipeError::Message(format!("not an event: {error}")))?;
    for view in views.iter() {
        event_to_json(lines, &view);
        lines.push(b'\n');
    }
    Ok(())
}

fn put_message(lines: &mut Vec<u8>, message: &[u8]) {
    match std::str::from_utf8(message) {
        Ok(text) => put_string(lines, text),
        Err(_) => {
            let text = STANDARD.encode(message);
            lines.extend_from_slice(format!("{{\"base64\":\"{text}\"}}").as_bytes());
        }
    }
    lines.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_is_a_line_of_json() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut batch = Batch::new();
        batch.push("a \"quoted\"\nword".as_bytes());
        batch.push(&[0xff, 0]);
        let mut store = FileStore::open(&path, Framing::Lines).unwrap();
        store.store(&batch, "").unwrap();
        let mut store = FileStore::open(&path, Framing::Events).unwrap();
        batch.clear();
        batch.push(b"\x32\x07\x08\x01\x22\x03web");
        store.store(&batch, "").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines[..2],
            [r#""a \"quoted\"\nword""#, r#"{"base64":"/wA="}"#]
        );
        assert!(lines[2].starts_with(r#"{"host":"web","#), "{text}");
    }
}
