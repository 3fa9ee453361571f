//! What an event looks like.

use std::borrow::Cow;

use event::{Draft, Event, Number, Time};

/// Services of a host; a greater number of keys is more hosts.
const SERVICES_PER_HOST: usize = 100;

/// Letters that fill a description.
const FILLER: &str = "all is well here, as it was before; ";

/// The events of a load: all alike but for their key and metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Pairs of host and service that differ.
    pub keys: usize,
    /// Tags of each event.
    pub tags: usize,
    /// Attributes of each event.
    pub attrs: usize,
    /// Length of the description; none if 0.
    pub description_bytes: usize,
    /// Time to live, in seconds.
    pub ttl_s: Option<f32>,
}

impl Default for Shape {
    /// As Riemann's own benchmark: a description, a tag, and one key.
    fn default() -> Shape {
        Shape {
            keys: 1,
            tags: 1,
            attrs: 0,
            description_bytes: 11,
            ttl_s: Some(60.0),
        }
    }
}

impl Shape {
    /// The event of a number; numbers that are equal modulo the keys have the same key.
    pub fn event(&self, number: usize, time: Option<Time>) -> Event {
        let mut draft = Draft {
            host: Some(host(number % self.keys.max(1)).into()),
            service: Some(service(number % self.keys.max(1)).into()),
            state: Some("ok".into()),
            metric: Some(Number::F64(number as f64)),
            ttl: self.ttl_s.map(Number::F32),
            time,
            ..Draft::record()
        };
        if self.description_bytes > 0 {
            let filler = FILLER.bytes().cycle().take(self.description_bytes);
            let text: Vec<u8> = filler.collect();
            draft.description = Some(String::from_utf8_lossy(&text).into_owned().into());
        }
        if self.tags > 0 {
            let tag = |tag: usize| Cow::Owned(format!("tag-{tag}"));
            draft.tags = Some((0..self.tags).map(tag).collect());
        }
        draft.attrs = (0..self.attrs)
            .map(|attr| {
                (
                    format!("attr-{attr}").into(),
                    format!("value {attr}").into(),
                )
            })
            .collect();
        draft.build()
    }

    /// The path of a key for protocols that have no host.
    pub(crate) fn path(&self, number: usize) -> String {
        let key = number % self.keys.max(1);
        format!("{}.{}", host(key), service(key).replace(' ', "-"))
    }
}

fn host(key: usize) -> String {
    format!("load-{:05}", key / SERVICES_PER_HOST)
}

fn service(key: usize) -> String {
    format!("load {:02}", key % SERVICES_PER_HOST)
}
