//! A client over UDP: nothing comes back.

use codec::riemann::encode_events;
use event::Event;
use parking_lot::Mutex;

use super::ClientError;
use crate::socket::{Address, UdpSender};

/// The largest datagram that a Riemann server takes unless told otherwise.
pub const DATAGRAM_BYTES: usize = 16_384;

pub struct UdpClient {
    max_bytes: usize,
    sender: Mutex<UdpSender>,
}

impl UdpClient {
    pub fn new(address: Address, max_bytes: usize) -> UdpClient {
        UdpClient {
            max_bytes,
            sender: Mutex::new(UdpSender::new(address)),
        }
    }

    /// Sends events, as many to a datagram as fit.
    ///
    /// # Errors
    /// When an event does not fit into a datagram (those before it are sent), or the host has no
    /// address.
    pub fn send_events(&self, events: &[Event]) -> Result<(), ClientError> {
        let mut sender = self.sender.lock();
        let mut datagram = Vec::new();
        let mut one = Vec::new();
        for event in events {
            one.clear();
            encode_events(&mut one, [event]);
            if one.len() > self.max_bytes {
                self.flush(&mut sender, &mut datagram)?;
                return Err(ClientError::TooLarge {
                    size_bytes: one.len(),
                });
            }
            if datagram.len() + one.len() > self.max_bytes {
                self.flush(&mut sender, &mut datagram)?;
            }
            datagram.extend_from_slice(&one);
        }
        self.flush(&mut sender, &mut datagram)
    }

    fn flush(&self, sender: &mut UdpSender, datagram: &mut Vec<u8>) -> Result<(), ClientError> {
        if datagram.is_empty() {
            return Ok(());
        }
        sender
            .send(datagram)
            .map_err(|error| ClientError::Disconnected(error.to_string()))?;
        datagram.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use codec::riemann::decode_msg;
    use event::{Draft, Time, Views};

    use super::*;

    fn event(service: &str) -> Event {
        Draft {
            service: Some(service.into()),
            ..Draft::record()
        }
        .build()
    }

    #[test]
    fn fills_datagrams_and_refuses_what_fits_none() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = Address::new("127.0.0.1", socket.local_addr().unwrap().port());
        let client = UdpClient::new(address, 40);
        let events = [
            event(&"a".repeat(10)),
            event(&"b".repeat(10)),
            event(&"c".repeat(10)),
        ];
        client.send_events(&events).unwrap();
        let mut services = Vec::new();
        for _ in 0..2 {
            let mut buffer = [0; 100];
            let size = socket.recv(&mut buffer).unwrap();
            let mut views = Views::new();
            decode_msg(&buffer[..size], Time::from_s(0), &mut views).unwrap();
            services.push(views.len());
        }
        assert_eq!(services, [2, 1]);
        let error = client.send_events(&[event(&"d".repeat(60))]).unwrap_err();
        assert!(
            matches!(error, ClientError::TooLarge { size_bytes: 64 }),
            "{error:?}"
        );
    }
}
