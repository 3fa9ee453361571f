//! Another Cauchy, or a Riemann.

use std::io::{Read, Write};
use std::net::TcpStream;

use codec::riemann::{Frames, decode_msg, frame};
use event::{Time, Views};
use sinks::socket::{Address, connect};

use super::Store;
use crate::limits::MESSAGE_BYTES_MAX;
use crate::{Batch, PipeError};

/// Bytes asked for at a read of an answer.
const ANSWER_BYTES: usize = 4096;

/// Sends events over Riemann's protocol and waits for the answer. Takes what the framing `events`
/// makes.
pub struct RiemannStore {
    address: Address,
    place: String,
    stream: Option<TcpStream>,
}

impl RiemannStore {
    /// Of a server; connects at the first batch.
    #[must_use]
    pub fn new(address: Address) -> RiemannStore {
        RiemannStore {
            place: format!("riemann {}:{}", address.host, address.port),
            address,
            stream: None,
        }
    }

    fn exchange(&mut self, bytes: &[u8]) -> Result<(), PipeError> {
        let failed = PipeError::io(&self.place);
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => none.insert(connect(&self.address).map_err(&failed)?),
        };
        stream.write_all(bytes).map_err(&failed)?;
        let mut answer = Vec::new();
        let mut read = [0; ANSWER_BYTES];
        loop {
            let count = stream.read(&mut read).map_err(&failed)?;
            if count == 0 {
                return Err(failed(std::io::ErrorKind::UnexpectedEof.into()));
            }
            answer.extend_from_slice(&read[..count]);
            if let Some(message) = Frames::new(&answer, MESSAGE_BYTES_MAX).next() {
                return check(message.map_err(|error| self.refused(&error.to_string()))?)
                    .map_err(|words| self.refused(&words));
            }
        }
    }

    fn refused(&self, answer: &str) -> PipeError {
        PipeError::Refused {
            place: self.place.clone(),
            answer: answer.to_owned(),
        }
    }
}

fn check(message: &[u8]) -> Result<(), String> {
    let mut views = Views::new();
    let head = decode_msg(message, Time::from_s(0), &mut views).map_err(|e| e.to_string())?;
    match head.ok {
        Some(true) => Ok(()),
        _ => Err(head.error.unwrap_or("not ok").to_owned()),
    }
}

impl Store for RiemannStore {
    fn store(&mut self, batch: &Batch, _origin: &str) -> Result<(), PipeError> {
        let mut bytes = Vec::with_capacity(batch.bytes().len() + 4);
        // Messages of one event, one after the other, are a message of all of them.
        frame(&mut bytes, |out| out.extend_from_slice(batch.bytes()));
        let result = self.exchange(&bytes);
        if matches!(result, Err(PipeError::Io { .. })) {
            self.stream = None;
        }
        result
    }
}
