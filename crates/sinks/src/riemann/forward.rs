//! Another Riemann server, or another Cauchy, as a target.

use event::Event;

use super::ClientError;
use super::tcp::TcpClient;
use super::udp::UdpClient;
use crate::target::{DeliveryError, Target};

/// Events in one message.
const BATCH_EVENTS: usize = 100;

/// Sends events on. Over TCP each message waits for its acknowledgement; one that failed for want
/// of a connection is sent again and may arrive twice.
pub enum Forward {
    Tcp(TcpClient),
    Udp(UdpClient),
}

impl Target for Forward {
    type Item = Event;

    fn batch_max(&self) -> usize {
        BATCH_EVENTS
    }

    fn deliver(&mut self, batch: &[Event]) -> Result<(), DeliveryError> {
        let sent = match self {
            Forward::Tcp(tcp) => tcp.send_events(batch),
            Forward::Udp(udp) => udp.send_events(batch),
        };
        sent.map_err(|error| DeliveryError {
            retry: !matches!(error, ClientError::Server(_) | ClientError::TooLarge { .. }),
            message: error.to_string(),
        })
    }
}
