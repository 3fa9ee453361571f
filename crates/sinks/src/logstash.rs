//! Logstash: a line of JSON an event, over TCP, TLS or UDP.

use std::sync::Arc;

use event::Event;
use rustls::ClientConfig;
use serde_json::Value;

use crate::document::document;
use crate::socket::{Address, TcpSender, UdpSender};
use crate::target::{DeliveryError, Item, Target};

pub const PORT: u16 = 9999;
/// Lines in one write.
const BATCH_LINES: usize = 1000;

/// A line with its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line(pub String);

impl Item for Line {
    fn size_bytes(&self) -> usize {
        self.0.len()
    }

    fn told(&self) -> String {
        self.0.clone()
    }
}

impl Line {
    pub fn new(event: &Event) -> Line {
        Line(format!("{}\n", Value::Object(document(event))))
    }
}

pub enum Logstash {
    Tcp(TcpSender),
    Udp(UdpSender),
}

impl Logstash {
    /// With a configuration, TLS.
    pub fn tcp(address: Address, tls: Option<Arc<ClientConfig>>) -> Logstash {
        Logstash::Tcp(TcpSender::new(address, tls))
    }

    pub fn udp(address: Address) -> Logstash {
        Logstash::Udp(UdpSender::new(address))
    }
}

impl Target for Logstash {
    type Item = Line;

    fn batch_max(&self) -> usize {
        match self {
            Logstash::Tcp(_) => BATCH_LINES,
            Logstash::Udp(_) => 1,
        }
    }

    fn deliver(&mut self, batch: &[Line]) -> Result<(), DeliveryError> {
        let lines: String = batch.iter().map(|line| line.0.as_str()).collect();
        match self {
            Logstash::Tcp(tcp) => tcp.send(lines.as_bytes())?,
            Logstash::Udp(udp) => udp.send(lines.as_bytes())?,
        }
        Ok(())
    }

    fn confirm(&mut self) -> Result<(), DeliveryError> {
        match self {
            Logstash::Tcp(tcp) => Ok(tcp.confirm()?),
            Logstash::Udp(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::event;

    #[test]
    fn a_line() {
        assert_eq!(
            Line::new(&event()).0,
            "{\"@timestamp\":\"2017-07-14T02:40:00.250Z\",\"host\":\"www1\",\
             \"service\":\"api rate\",\"state\":\"critical\",\"description\":\"too slow\",\
             \"metric\":2.5,\"tags\":[\"a\",\"b c\"],\"ttl\":60,\"zone\":\"b\"}\n"
        );
    }
}
