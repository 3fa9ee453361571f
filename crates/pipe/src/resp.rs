//! Redis's protocol: commands out, replies in. Only what queues and stores need.
//!
//! ADR 13 tells why it is here and not a library.

use std::io::{Read, Write};
use std::net::TcpStream;

use sinks::socket::{Address, connect};

use crate::PipeError;
use crate::limits::REPLY_BYTES_MAX;

/// Bytes asked for at a read of replies.
const READ_BYTES: usize = 64 << 10;

/// Replies within replies; a read of a stream has four.
const DEPTH_MAX: usize = 8;

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A status, `OK` mostly.
    Status(String),
    /// An error in the server's words.
    Error(String),
    /// A number.
    Integer(i64),
    /// Bytes, or none.
    Bytes(Option<Vec<u8>>),
    /// Replies, or none.
    List(Option<Vec<Reply>>),
}

/// Appends the head of a command of so many words.
pub fn command(out: &mut Vec<u8>, words: usize) {
    put_number(out, b'*', words);
}

/// Appends a word of a command.
pub fn word(out: &mut Vec<u8>, word: &[u8]) {
    put_number(out, b'$', word.len());
    out.extend_from_slice(word);
    out.extend_from_slice(b"\r\n");
}

fn put_number(out: &mut Vec<u8>, kind: u8, number: usize) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.push(kind);
    out.extend_from_slice(&digits[at..]);
    out.extend_from_slice(b"\r\n");
}

/// The reply at the front of `bytes`, and how many bytes it has; `None` if it is not whole.
///
/// # Errors
/// It is no reply.
pub fn parse(bytes: &[u8]) -> Result<Option<(Reply, usize)>, &'static str> {
    parse_at(bytes, 0, DEPTH_MAX)
}

fn parse_at(bytes: &[u8], at: usize, depth: usize) -> Result<Option<(Reply, usize)>, &'static str> {
    let Some(length) = memchr::memchr(b'\r', &bytes[at..]) else {
        return Ok(None);
    };
    let line = &bytes[at..at + length];
    let end = at + length + 2;
    if end > bytes.len() {
        return Ok(None);
    }
    let (&kind, text) = line.split_first().ok_or("an empty line")?;
    let text = std::str::from_utf8(text).map_err(|_| "not UTF-8")?;
    let number = || text.parse::<i64>().map_err(|_| "not a number");
    match kind {
        b'+' => Ok(Some((Reply::Status(text.to_owned()), end))),
        b'-' => Ok(Some((Reply::Error(text.to_owned()), end))),
        b':' => Ok(Some((Reply::Integer(number()?), end))),
        b'$' => match usize::try_from(number()?) {
            Err(_) => Ok(Some((Reply::Bytes(None), end))),
            Ok(length) if length > REPLY_BYTES_MAX => Err("too long"),
            Ok(length) if bytes.len() < end + length + 2 => Ok(None),
            Ok(length) => {
                let value = bytes[end..end + length].to_vec();
                Ok(Some((Reply::Bytes(Some(value)), end + length + 2)))
            }
        },
        b'*' => match usize::try_from(number()?) {
            Err(_) => Ok(Some((Reply::List(None), end))),
            Ok(_) if depth == 0 => Err("too deep"),
            Ok(count) => parse_list(bytes, end, count, depth - 1),
        },
        _ => Err("of an unknown kind"),
    }
}

fn parse_list(
    bytes: &[u8],
    mut at: usize,
    count: usize,
    depth: usize,
) -> Result<Option<(Reply, usize)>, &'static str> {
    let mut list = Vec::new();
    for _ in 0..count {
        let Some((reply, end)) = parse_at(bytes, at, depth)? else {
            return Ok(None);
        };
        list.push(reply);
        at = end;
    }
    Ok(Some((Reply::List(Some(list)), at)))
}

/// A connection that opens when it is first used, and again after it broke.
pub struct Client {
    address: Address,
    place: String,
    database: u32,
    stream: Option<TcpStream>,
    held: Vec<u8>,
    parsed: usize,
}

impl Client {
    /// Of a server, and one of its databases.
    #[must_use]
    pub fn new(address: Address, database: u32) -> Client {
        Client {
            place: format!("redis {}:{}", address.host, address.port),
            address,
            database,
            stream: None,
            held: Vec::new(),
            parsed: 0,
        }
    }

    /// Sends commands that are already encoded, and gives each reply to `see`.
    ///
    /// # Errors
    /// The connection failed; the server may have done some of the commands, or all.
    pub fn send(
        &mut self,
        commands: &[u8],
        replies: usize,
        mut see: impl FnMut(Reply),
    ) -> Result<(), PipeError> {
        let result = self
            .open()
            .and_then(|()| self.exchange(commands, replies, &mut see));
        if result.is_err() {
            self.stream = None;
        }
        result
    }

    /// Sends one command and returns its reply.
    ///
    /// # Errors
    /// As [`Client::send`]; [`PipeError::Refused`] if the reply is an error.
    pub fn ask(&mut self, words: &[&[u8]]) -> Result<Reply, PipeError> {
        let mut bytes = Vec::new();
        command(&mut bytes, words.len());
        words.iter().for_each(|one| word(&mut bytes, one));
        let mut answer = Reply::List(None);
        self.send(&bytes, 1, |reply| answer = reply)?;
        match answer {
            Reply::Error(answer) => Err(self.refused(answer)),
            answer => Ok(answer),
        }
    }

    /// The error for a reply that is none that was expected.
    #[must_use]
    pub fn refused(&self, answer: String) -> PipeError {
        PipeError::Refused {
            place: self.place.clone(),
            answer,
        }
    }

    fn open(&mut self) -> Result<(), PipeError> {
        if self.stream.is_some() {
            return Ok(());
        }
        let stream = connect(&self.address).map_err(PipeError::io(&self.place))?;
        self.held.clear();
        self.parsed = 0;
        self.stream = Some(stream);
        if self.database > 0 {
            let mut select = Vec::new();
            command(&mut select, 2);
            word(&mut select, b"SELECT");
            word(&mut select, self.database.to_string().as_bytes());
            let mut refused = None;
            self.exchange(&select, 1, &mut |reply| {
                if let Reply::Error(answer) = reply {
                    refused = Some(answer);
                }
            })?;
            if let Some(answer) = refused {
                return Err(self.refused(answer));
            }
        }
        Ok(())
    }

    fn exchange(
        &mut self,
        commands: &[u8],
        replies: usize,
        see: &mut dyn FnMut(Reply),
    ) -> Result<(), PipeError> {
        let failed = PipeError::io(&self.place);
        let Some(stream) = &mut self.stream else {
            return Err(failed(std::io::ErrorKind::NotConnected.into()));
        };
        stream.write_all(commands).map_err(&failed)?;
        let mut seen = 0;
        while seen < replies {
            let parsed = parse(&self.held[self.parsed..]).map_err(|why| PipeError::Refused {
                place: self.place.clone(),
                answer: format!("a reply that is {why}"),
            })?;
            if let Some((reply, bytes)) = parsed {
                self.parsed += bytes;
                seen += 1;
                see(reply);
                continue;
            }
            self.held.drain(..self.parsed);
            self.parsed = 0;
            let before = self.held.len();
            self.held.resize(before + READ_BYTES, 0);
            let read = stream.read(&mut self.held[before..]).map_err(&failed);
            self.held.truncate(before + *read.as_ref().unwrap_or(&0));
            if read? == 0 {
                return Err(failed(std::io::ErrorKind::UnexpectedEof.into()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_are_written_as_redis_reads_them() {
        let mut out = Vec::new();
        command(&mut out, 2);
        word(&mut out, b"GET");
        word(&mut out, b"a key of 20 letters.");
        assert_eq!(out, b"*2\r\n$3\r\nGET\r\n$20\r\na key of 20 letters.\r\n");
    }

    #[test]
    fn replies_of_each_kind_are_read() {
        let bytes = b"*4\r\n+OK\r\n-ERR no\r\n:-7\r\n*2\r\n$2\r\n\r\n\r\n$-1\r\n+next";
        let expected = Reply::List(Some(vec![
            Reply::Status("OK".into()),
            Reply::Error("ERR no".into()),
            Reply::Integer(-7),
            Reply::List(Some(vec![
                Reply::Bytes(Some(b"\r\n".to_vec())),
                Reply::Bytes(None),
            ])),
        ]));
        assert_eq!(parse(bytes), Ok(Some((expected, bytes.len() - 5))));
        for short in 0..bytes.len() - 5 {
            assert_eq!(parse(&bytes[..short]), Ok(None));
        }
        assert!(parse(b"?\r\n").is_err() && parse(b"*1\r\n".repeat(9).as_slice()).is_err());
    }

    proptest! {
        #[test]
        fn no_reply_panics(bytes in prop::collection::vec(
            prop_oneof![Just(b'*'), Just(b'$'), Just(b':'), Just(b'\r'), Just(b'\n'), b'0'..=b'9', any::<u8>()],
            0..60,
        )) {
            let _ = parse(&bytes);
        }
    }
}
