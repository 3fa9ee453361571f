//! What is sent: framed messages of 100 events, every key in no order.

use event::{Draft, Event, Number};

use crate::server::riemann::{event, events_message};

pub const EVENTS_PER_MESSAGE: usize = 100;
const SERVICES: usize = 100;
/// Fewest events prepared: few keys come several times, with other metrics.
const EVENTS_MIN: usize = 4_000;

/// Whether the events name their time to live.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ttl {
    Given,
    Absent,
}

pub struct Messages {
    pub keys: usize,
    pub events: usize,
    /// One after the other.
    pub bytes: Vec<u8>,
}

impl Messages {
    pub fn new(keys: usize, ttl: Ttl) -> Messages {
        Messages::of(shuffled(keys), keys, ttl)
    }

    /// Events without a time: each round of them is of another moment.
    pub fn without_time(keys: usize) -> Messages {
        let now = event("now", 0).edit(|event| event.time = None);
        Messages::made(shuffled(keys), keys, Ttl::Given, &now)
    }

    /// Each event is of the same key.
    pub fn of_one_key() -> Messages {
        Messages::of(vec![0; EVENTS_MIN], 1, Ttl::Given)
    }

    fn of(order: Vec<usize>, keys: usize, ttl: Ttl) -> Messages {
        Messages::made(order, keys, ttl, &event("now", 0))
    }

    fn made(order: Vec<usize>, keys: usize, ttl: Ttl, now: &Event) -> Messages {
        let rounds = EVENTS_MIN.div_ceil(order.len());
        let mut bytes = Vec::new();
        for round in 0..rounds {
            for part in order.chunks(EVENTS_PER_MESSAGE) {
                let events: Vec<Event> = part
                    .iter()
                    .map(|key| key_event(*key, round, ttl, now))
                    .collect();
                bytes.extend(events_message(&events));
            }
        }
        Messages {
            keys,
            events: rounds * order.len(),
            bytes,
        }
    }

    pub fn count(&self) -> usize {
        self.events / EVENTS_PER_MESSAGE
    }
}

fn key_event(key: usize, round: usize, ttl: Ttl, now: &Event) -> Event {
    Draft {
        host: Some(format!("web-{:05}.example.com", key / SERVICES).into()),
        service: Some(format!("disk {:02} used", key % SERVICES).into()),
        state: Some("ok".into()),
        description: Some("all is well on this one".into()),
        metric: Some(Number::F64((key + round) as f64)),
        tags: Some(vec!["production".into(), "web".into()]),
        // The highest number of keys must not expire while it is filled in.
        ttl: (ttl == Ttl::Given).then_some(Number::F32(3600.0)),
        ..now.draft()
    }
    .build()
}

/// The keys in an order that no cache foresees; each time the same.
fn shuffled(keys: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys).collect();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for last in (1..keys).rev() {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        order.swap(last, (seed % (last as u64 + 1)) as usize);
    }
    order
}
