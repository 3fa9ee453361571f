//! What a stream of messages without answers came to: sent, and stored at the other end.

use std::fmt::Write;

/// The outcome of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Streamed {
    /// Messages sent.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Seconds until the last one was sent.
    pub send_s: f64,
    /// Messages that the store has of them; `None` if nobody was asked.
    pub stored: Option<u64>,
    /// Seconds until the last one was stored.
    pub store_s: f64,
    /// Processor seconds of this program.
    pub cpu_s: f64,
}

impl Streamed {
    /// As a summary, a line a figure.
    ///
    /// ```
    /// let streamed = load::Streamed { sent: 200, sent_bytes: 20_000, send_s: 2.0, ..Default::default() };
    /// assert!(streamed.text().starts_with("sent    200 messages in 2.000 s: 100 msg/s, 0.0 MB/s\n"));
    /// ```
    #[must_use]
    pub fn text(&self) -> String {
        let rate = |count: u64, seconds: f64| count as f64 / seconds.max(1e-9);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "sent    {} messages in {:.3} s: {:.0} msg/s, {:.1} MB/s",
            self.sent,
            self.send_s,
            rate(self.sent, self.send_s),
            rate(self.sent_bytes, self.send_s) / 1e6
        );
        if let Some(stored) = self.stored {
            let _ = writeln!(
                text,
                "stored  {stored} messages in {:.3} s: {:.0} msg/s",
                self.store_s,
                rate(stored, self.store_s)
            );
            let _ = writeln!(text, "lost    {}", self.sent.saturating_sub(stored));
        }
        let _ = writeln!(
            text,
            "cpu     {:.3} s here, {:.0} ns a message",
            self.cpu_s,
            self.cpu_s * 1e9 / self.sent.max(1) as f64
        );
        text
    }

    /// Why the run did not go well, if it did not: sent and stored must be the same.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        match self.stored? {
            stored if stored < self.sent => {
                let lost = self.sent - stored;
                Some(format!("{lost} of {} messages were not stored", self.sent))
            }
            stored if stored > self.sent => {
                let more = stored - self.sent;
                Some(format!(
                    "{more} more messages were stored than sent: who else sends?"
                ))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_stored_is_told() {
        let check = |stored, expected: Option<&str>| {
            let streamed = Streamed {
                sent: 10,
                stored,
                ..Streamed::default()
            };
            assert_eq!(streamed.problem().as_deref(), expected);
        };
        check(None, None);
        check(Some(10), None);
        check(Some(7), Some("3 of 10 messages were not stored"));
        check(
            Some(11),
            Some("1 more messages were stored than sent: who else sends?"),
        );
    }
}
