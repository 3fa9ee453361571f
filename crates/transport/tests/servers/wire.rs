//! A client's side of the protocols, as bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use codec::riemann::{decode_msg, encode_events, encode_query, frame};
use event::{Event, Fields, Time, Views};

use crate::recorder::{PATIENCE, event};

/// An answer of Riemann's protocol.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    Ok,
    Error(Option<String>),
    /// The services of the events.
    Events(Vec<String>),
}

/// A framed message of events with those services.
pub fn events(services: &[&str]) -> Vec<u8> {
    let events: Vec<Event> = services.iter().map(|service| event(service)).collect();
    let mut message = Vec::new();
    frame(&mut message, |out| encode_events(out, &events));
    message
}

/// A framed query.
pub fn query(text: &str) -> Vec<u8> {
    let mut message = Vec::new();
    frame(&mut message, |out| encode_query(out, text));
    message
}

/// Connects, with a limit on how long a read may take.
pub fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends bytes and reads that many answers.
pub fn exchange(stream: &mut (impl Read + Write), bytes: &[u8], answers: usize) -> Vec<Answer> {
    stream.write_all(bytes).unwrap();
    (0..answers).map(|_| answer(stream)).collect()
}

/// Reads one framed answer.
pub fn answer(stream: &mut impl Read) -> Answer {
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut message = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut message).unwrap();
    let mut views = Views::new();
    let head = decode_msg(&message, Time::from_s(0), &mut views).unwrap();
    if head.ok == Some(false) {
        return Answer::Error(head.error.map(str::to_owned));
    }
    match message.as_slice() {
        [0x10, 1] => Answer::Ok,
        _ => Answer::Events(
            views
                .iter()
                .map(|view| view.service().unwrap_or_default().to_owned())
                .collect(),
        ),
    }
}

/// True if the server has closed the connection without another byte.
pub fn is_closed(stream: &mut impl Read) -> bool {
    match stream.read(&mut [0]) {
        Ok(length) => length == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}
