//! Xymon: status messages, several to a connection.

use event::{Event, Fields};

use crate::socket::{Address, exchange};
use crate::target::{DeliveryError, Item, Target};
use crate::words;

pub const PORT: u16 = 1984;
/// The longest message that all servers take.
pub const COMBO_BYTES: usize = 4096;
/// Status messages in one delivery.
const BATCH_MESSAGES: usize = 100;
/// The server answers nothing of use.
const ANSWER_BYTES: u64 = 4096;

/// A status message, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status(pub String);

impl Item for Status {
    fn size_bytes(&self) -> usize {
        self.0.len()
    }

    fn told(&self) -> String {
        self.0.clone()
    }
}

impl Status {
    /// `status host.service colour description`, with the time to live in minutes if there is one.
    /// In the host, commas stand for dots; in the service, underscores for dots and spaces.
    pub fn new(event: &Event) -> Status {
        let host = event.host().unwrap_or_default().replace('.', ",");
        let service = event.service().unwrap_or_default().replace(['.', ' '], "_");
        let lifetime = event.ttl().map_or(0, |ttl| ttl.to_i64_lossy() / 60);
        let lifetime = if lifetime > 0 {
            format!("+{lifetime}")
        } else {
            String::new()
        };
        let colour = colour(event.state().unwrap_or_default());
        let description = words::field(event, "description");
        Status(format!(
            "status{lifetime} {host}.{service} {colour} {description}"
        ))
    }
}

/// A state that is a colour of Xymon's stays; `ok`, `warning`, `critical` and `expired` have one.
pub fn colour(state: &str) -> &str {
    match state {
        "green" | "yellow" | "red" | "blue" | "purple" | "clear" => state,
        "ok" => "green",
        "warning" => "yellow",
        "critical" | "error" => "red",
        "expired" => "purple",
        _ => "clear",
    }
}

/// Joins messages to as few as possible, none longer than `max_bytes` unless it is one alone.
pub fn combine(batch: &[Status], max_bytes: usize) -> Vec<String> {
    const HEAD: &str = "combo\n";
    let mut messages: Vec<String> = Vec::new();
    for Status(status) in batch {
        match messages.last_mut() {
            Some(last) if last.len() + status.len() + 2 <= max_bytes => {
                last.push_str(status);
                last.push_str("\n\n");
            }
            _ => messages.push(format!("{HEAD}{status}\n\n")),
        }
    }
    messages
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xymon {
    pub address: Address,
}

impl Target for Xymon {
    type Item = Status;

    fn batch_max(&self) -> usize {
        BATCH_MESSAGES
    }

    fn deliver(&mut self, batch: &[Status]) -> Result<(), DeliveryError> {
        for message in combine(batch, COMBO_BYTES) {
            exchange(&self.address, message.as_bytes(), ANSWER_BYTES)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::event;

    #[test]
    fn a_status() {
        let event = event().edit(|draft| draft.host = Some("www1.example.com".into()));
        let expected = "status+1 www1,example,com.api_rate red too slow";
        assert_eq!(Status::new(&event).0, expected);
        let event = event.edit(|draft| {
            draft.ttl = None;
            draft.state = Some("blue".into());
        });
        assert_eq!(
            Status::new(&event).0,
            "status www1,example,com.api_rate blue too slow"
        );
    }

    #[test]
    fn combines_what_fits() {
        let statuses = ["aaaa", "bbbb", "cccccccccccccccccccccc", "d"].map(|s| Status(s.into()));
        assert_eq!(
            combine(&statuses, 20),
            [
                "combo\naaaa\n\nbbbb\n\n",
                "combo\ncccccccccccccccccccccc\n\n",
                "combo\nd\n\n"
            ]
        );
    }
}
