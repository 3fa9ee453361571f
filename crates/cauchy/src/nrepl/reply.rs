//! Answers to a message, on the connection that it came on.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::bencode::{self, Datum, Dict};

/// The writing side of a connection, for every thread that answers on it.
pub struct Writer(Mutex<TcpStream>);

impl Writer {
    pub fn new(stream: TcpStream) -> Writer {
        Writer(Mutex::new(stream))
    }

    /// Sends a message whole. A connection that does not take it is closed.
    fn send(&self, message: &Dict) {
        let mut bytes = Vec::new();
        bencode::encode_dict(message, &mut bytes);
        let mut stream = self.0.lock();
        if stream.write_all(&bytes).is_err() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Answers one message.
#[derive(Clone)]
pub struct Reply {
    writer: Arc<Writer>,
    id: Option<Datum>,
    session: Option<String>,
    ended: Arc<AtomicBool>,
}

impl Reply {
    pub fn new(writer: Arc<Writer>, id: Option<Datum>, session: Option<String>) -> Reply {
        Reply {
            writer,
            id,
            session,
            ended: Arc::default(),
        }
    }

    pub fn id(&self) -> Option<&Datum> {
        self.id.as_ref()
    }

    pub fn send<const N: usize>(&self, fields: [(&str, Datum); N]) {
        if !self.is_ended() {
            self.write(fields);
        }
    }

    /// Sends the last that there is to say. Only the first end counts, whoever comes to it: nothing
    /// is sent after it.
    pub fn end<const N: usize>(&self, words: &[&str], fields: [(&str, Datum); N]) {
        if !self.ended.swap(true, Ordering::Relaxed) {
            let fields = fields.into_iter().chain([("status", status(words))]);
            self.write(fields);
        }
    }

    fn write<'a>(&self, fields: impl IntoIterator<Item = (&'a str, Datum)>) {
        let mut message: Dict = fields
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        if let Some(id) = &self.id {
            message.insert("id".to_owned(), id.clone());
        }
        if let Some(session) = &self.session {
            message.insert("session".to_owned(), session.as_str().into());
        }
        self.writer.send(&message);
    }

    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}

pub fn status(words: &[&str]) -> Datum {
    Datum::List(words.iter().map(|word| Datum::from(*word)).collect())
}
