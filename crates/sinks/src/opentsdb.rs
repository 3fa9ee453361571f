//! OpenTSDB, by its telnet interface: `put metric seconds value tag=value …`.

use event::{Event, Fields};

use crate::socket::{Address, TcpSender};
use crate::target::{DeliveryError, Item, Target};
use crate::words;

pub const PORT: u16 = 4242;
/// Lines in one write.
const BATCH_LINES: usize = 1000;

/// A `put` line with its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Put(pub String);

impl Item for Put {
    fn size_bytes(&self) -> usize {
        self.0.len()
    }

    fn told(&self) -> String {
        self.0.clone()
    }
}

impl Put {
    /// The line of an event under a metric name and with tags; `None` if it has no metric or no
    /// time, or there are no tags: OpenTSDB wants one.
    pub fn new(event: &Event, metric_name: &str, tags: &[(String, String)]) -> Option<Put> {
        let (metric, time) = (event.metric()?, event.time()?);
        let tags: Vec<String> = tags
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!(" {}={}", word(name), word(value)))
            .collect();
        if tags.is_empty() {
            return None;
        }
        let (name, value) = (word(metric_name), words::number(&metric));
        Some(Put(format!(
            "put {name} {} {value}{}\n",
            time.floor_s(),
            tags.concat()
        )))
    }
}

/// The service, with dots for spaces.
pub fn metric_name(event: &Event) -> String {
    event.service().unwrap_or_default().replace(' ', ".")
}

/// The host, under the name `host`.
pub fn tags(event: &Event) -> Vec<(String, String)> {
    event
        .host()
        .map(|host| ("host".into(), host.into()))
        .into_iter()
        .collect()
}

/// Without white space, which would end it, and `=`.
pub(crate) fn word(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join("_")
        .replace('=', "_")
}

/// Delivers lines; what the server says of them is not heard.
pub struct OpenTsdb(TcpSender);

impl OpenTsdb {
    pub fn new(address: Address) -> OpenTsdb {
        OpenTsdb(TcpSender::new(address, None))
    }
}

impl Target for OpenTsdb {
    type Item = Put;

    fn batch_max(&self) -> usize {
        BATCH_LINES
    }

    fn deliver(&mut self, batch: &[Put]) -> Result<(), DeliveryError> {
        let lines: String = batch.iter().map(|put| put.0.as_str()).collect();
        Ok(self.0.send(lines.as_bytes())?)
    }

    fn confirm(&mut self) -> Result<(), DeliveryError> {
        Ok(self.0.confirm()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::event;

    #[test]
    fn lines() {
        let event = event();
        let put = Put::new(&event, &metric_name(&event), &tags(&event)).unwrap();
        assert_eq!(put.0, "put api.rate 1500000000 2.5 host=www1\n");
        let tags = [("a b".into(), "c d".into()), ("none".into(), String::new())];
        let put = Put::new(&event, "x y", &tags).unwrap();
        assert_eq!(put.0, "put x_y 1500000000 2.5 a_b=c_d\n");
        assert_eq!(Put::new(&event, "x", &[]), None);
    }
}
