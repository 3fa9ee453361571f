//! When a message is due, if they are sent at a rate.

/// An open loop: messages are due at equal distances, whatever the server does. A round trip is
/// reckoned from when its message was due, not from when it could be sent, so that a server that
/// stalls is charged for all that waited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// When the first is due, in the caller's nanoseconds.
    start_ns: u64,
    /// Nanoseconds from one to the next.
    gap_ns: f64,
}

impl Pace {
    /// From a start on, `rate` messages a second.
    pub fn new(start_ns: u64, rate: f64) -> Pace {
        Pace {
            start_ns,
            gap_ns: 1e9 / rate,
        }
    }

    /// How many messages are due by now.
    pub fn due(&self, now_ns: u64) -> u64 {
        match now_ns.checked_sub(self.start_ns) {
            Some(since_ns) => (since_ns as f64 / self.gap_ns) as u64 + 1,
            None => 0,
        }
    }

    /// When the message of a number is due; the first is 0.
    pub fn intended_ns(&self, number: u64) -> u64 {
        self.start_ns + (number as f64 * self.gap_ns).ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_due_when_it_was_intended() {
        for rate in [3.0, 70.0, 1_000.0, 333_333.0, 5e6] {
            let pace = Pace::new(1_000, rate);
            assert_eq!(pace.due(999), 0);
            for number in (0..100).chain([12_345, 10_000_019]) {
                let intended = pace.intended_ns(number);
                assert!(pace.due(intended) > number, "{rate} {number}");
                assert!(
                    pace.due(intended.saturating_sub(2)) <= number,
                    "{rate} {number}"
                );
            }
        }
    }
}
