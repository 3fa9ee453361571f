//! A blocking client of Riemann's protocol.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{SystemTime, UNIX_EPOCH};

use codec::riemann::{decode_msg, encode_events, encode_query, frame};
use event::{Draft, Event, Number, Time, Views};

use super::PATIENCE;

pub struct Riemann {
    pub stream: TcpStream,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub ok: bool,
    pub error: Option<String>,
    pub events: Vec<Event>,
}

impl Riemann {
    pub fn connect(address: SocketAddr) -> Riemann {
        let stream = TcpStream::connect(address).expect("the server takes a connection");
        Riemann::over(stream).expect("a socket takes options")
    }

    pub fn try_connect(address: SocketAddr) -> io::Result<Riemann> {
        Riemann::over(TcpStream::connect(address)?)
    }

    fn over(stream: TcpStream) -> io::Result<Riemann> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Riemann { stream })
    }

    /// Sends events in one message and waits for the acknowledgement.
    pub fn send(&mut self, events: &[Event]) {
        let answer = self.try_send(events).expect("an answer");
        assert!(answer.ok, "{answer:?}");
    }

    pub fn try_send(&mut self, events: &[Event]) -> io::Result<Answer> {
        self.stream.write_all(&events_message(events))?;
        self.answer()
    }

    /// The events that match a query.
    pub fn query(&mut self, text: &str) -> Vec<Event> {
        self.stream
            .write_all(&query_message(text))
            .expect("the server reads");
        let answer = self.answer().expect("an answer");
        assert!(answer.ok, "{text}: {answer:?}");
        answer.events
    }

    /// Reads one answer.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let mut message = vec![0; u32::from_be_bytes(length) as usize];
        self.stream.read_exact(&mut message)?;
        let mut views = Views::new();
        let head = decode_msg(&message, Time::from_s(0), &mut views).map_err(io::Error::other)?;
        Ok(Answer {
            ok: head.ok.unwrap_or(false),
            error: head.error.map(str::to_owned),
            events: views.iter().map(|view| Event::from_view(&view)).collect(),
        })
    }
}

/// A framed message of events.
pub fn events_message(events: &[Event]) -> Vec<u8> {
    let mut message = Vec::new();
    frame(&mut message, |out| encode_events(out, events));
    message
}

/// A framed query.
pub fn query_message(text: &str) -> Vec<u8> {
    let mut message = Vec::new();
    frame(&mut message, |out| encode_query(out, text));
    message
}

/// An event of now that lives for five minutes.
pub fn event(service: &str, metric: i64) -> Event {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock after 1970");
    Draft {
        host: Some("test".into()),
        service: Some(service.into()),
        metric: Some(Number::Int(metric)),
        time: Some(Time::from_us(
            i64::try_from(now.as_micros()).expect("a near year"),
        )),
        ttl: Some(Number::F32(300.0)),
        ..Draft::record()
    }
    .build()
}
