//! Logentries: a line an event, after the token of the log.

use event::{Event, FieldRef, Fields};

use crate::socket::{Address, TcpSender};
use crate::target::{DeliveryError, Item, Target};
use crate::words;

pub const HOST: &str = "data.logentries.com";
pub const PORT: u16 = 80;
/// Lines in one write.
const BATCH_LINES: usize = 1000;

/// A line with its end, without the token.
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
    /// `name='value'` for each field and attribute that has one, and the description at the end.
    pub fn new(event: &Event) -> Line {
        let own = ["host", "service", "state", "metric", "tags", "time", "ttl"].map(String::from);
        let attributes = words::attributes(event).into_iter().map(|(name, _)| name);
        let mut parts: Vec<String> = own
            .into_iter()
            .chain(attributes)
            .filter(|name| !matches!(event.get(name), FieldRef::Absent | FieldRef::Nil))
            .map(|name| format!("{name}='{}'", words::field(event, &name)))
            .collect();
        parts.extend(event.description().map(String::from));
        Line(parts.join(" ").replace(['\r', '\n'], " ") + "\n")
    }
}

pub struct Logentries {
    token: String,
    sender: TcpSender,
}

impl Logentries {
    pub fn new(address: Address, token: impl Into<String>) -> Logentries {
        Logentries {
            token: token.into(),
            sender: TcpSender::new(address, None),
        }
    }

    fn text(&self, batch: &[Line]) -> String {
        batch
            .iter()
            .map(|line| format!("{} {}", self.token, line.0))
            .collect()
    }
}

impl Target for Logentries {
    type Item = Line;

    fn batch_max(&self) -> usize {
        BATCH_LINES
    }

    fn deliver(&mut self, batch: &[Line]) -> Result<(), DeliveryError> {
        let text = self.text(batch);
        Ok(self.sender.send(text.as_bytes())?)
    }

    fn confirm(&mut self) -> Result<(), DeliveryError> {
        Ok(self.sender.confirm()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::event;

    #[test]
    fn lines() {
        let logentries = Logentries::new(Address::new(HOST, PORT), "T");
        let event = event().edit(|draft| draft.description = Some("too\nslow".into()));
        assert_eq!(
            logentries.text(&[Line::new(&event), Line("x\n".into())]),
            "T host='www1' service='api rate' state='critical' metric='2.5' tags='a, b c' \
             time='1.50000000025E9' ttl='60' zone='b' too slow\nT x\n"
        );
    }
}
