//! What the records of a queue's journals look like.
//!
//! ```text
//!  0      1                   9              13
//! ┌──────┬───────────────────┬──────────────┬───────┬──────┬──────────────────┐
//! │ kind │ received, i64 LE, │ length of    │ route │ form │ body, to the end │
//! │  Q   │ µs since 1970     │ route, u32 LE│ UTF-8 │      │                  │
//! └──────┴───────────────────┴──────────────┴───────┴──────┴──────────────────┘
//! ┌──────┬───────────────────┬──────────────┬────────┬────────────────────────┐
//! │ kind │ given up, i64 LE, │ length of    │ reason │ the record of kind Q,  │
//! │  D   │ µs since 1970     │ reason, u32  │ UTF-8  │ to the end             │
//! └──────┴───────────────────┴──────────────┴────────┴────────────────────────┘
//! ```
//!
//! | form | body |
//! |---|---|
//! | 1 | an event, as a message of Riemann's protocol |
//! | 2 | a vector of events, as a message of Riemann's protocol |
//! | 3 | any value, as text that the language reads |
//!
//! The route says which of a sink's streams was given it: `[]`, or `[:trigger]`, or
//! `[["ops@example.com"]]`. The kinds of other journals are small numbers.

/// Something that waits to leave.
const WAITING: u8 = b'Q';

/// Something that was given up.
const DEAD: u8 = b'D';

const HEADER_BYTES: usize = 13;

/// What a stream was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One event, as a Riemann message.
    Event = 1,
    /// A vector of events, as a Riemann message.
    Events = 2,
    /// Anything else, as text.
    Text = 3,
}

/// A record that waits to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting<'a> {
    /// When the stream was given it, in microseconds since 1970.
    pub received_us: i64,
    /// Which of the sink's streams.
    pub route: &'a str,
    pub form: Form,
    pub body: &'a [u8],
}

/// A record that was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dead<'a> {
    /// When, in microseconds since 1970.
    pub given_up_us: i64,
    pub reason: &'a str,
    /// The record as it waited.
    pub record: &'a [u8],
}

/// Appends a record whose body `write` appends.
///
/// ```
/// use sinks::durable::record::{Form, put, read};
/// let mut bytes = Vec::new();
/// put(&mut bytes, 7, "[:trigger]", Form::Text, |out| out.extend_from_slice(b"nil"));
/// assert_eq!(read(&bytes).unwrap().route, "[:trigger]");
/// ```
pub fn put(
    out: &mut Vec<u8>,
    received_us: i64,
    route: &str,
    form: Form,
    write: impl FnOnce(&mut Vec<u8>),
) {
    put_head(out, WAITING, received_us, route);
    out.push(form as u8);
    write(out);
}

/// Reads what [`put`] wrote; `None` if it is no such record.
pub fn read(record: &[u8]) -> Option<Waiting<'_>> {
    let (received_us, route, rest) = read_head(record, WAITING)?;
    let (form, body) = rest.split_first()?;
    let form = match form {
        1 => Form::Event,
        2 => Form::Events,
        3 => Form::Text,
        _ => return None,
    };
    Some(Waiting {
        received_us,
        route,
        form,
        body,
    })
}

/// Appends the record of one that was given up.
pub fn put_dead(out: &mut Vec<u8>, given_up_us: i64, reason: &str, record: &[u8]) {
    put_head(out, DEAD, given_up_us, reason);
    out.extend_from_slice(record);
}

/// Reads what [`put_dead`] wrote; `None` if it is no such record.
pub fn read_dead(record: &[u8]) -> Option<Dead<'_>> {
    let (given_up_us, reason, record) = read_head(record, DEAD)?;
    Some(Dead {
        given_up_us,
        reason,
        record,
    })
}

fn put_head(out: &mut Vec<u8>, kind: u8, time_us: i64, text: &str) {
    let length = u32::try_from(text.len()).expect("a route or reason is below 4 GiB");
    out.push(kind);
    out.extend_from_slice(&time_us.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn read_head(record: &[u8], wanted: u8) -> Option<(i64, &str, &[u8])> {
    let (head, rest) = record.split_at_checked(HEADER_BYTES)?;
    let (kind, head) = head.split_first()?;
    let (time, length) = head.split_at_checked(8)?;
    let length = u32::from_le_bytes(length.try_into().ok()?);
    let (text, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let time_us = i64::from_le_bytes(time.try_into().ok()?);
    let text = std::str::from_utf8(text).ok()?;
    (*kind == wanted).then_some((time_us, text, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of numbers, the same in each run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % end as u64) as usize
        }

        fn bytes(&mut self, most: usize) -> Vec<u8> {
            let length = self.below(most + 1);
            (0..length).map(|_| self.below(256) as u8).collect()
        }
    }

    fn some_record(random: &mut Random) -> (i64, String, Form, Vec<u8>) {
        let route = String::from_utf8_lossy(&random.bytes(40)).into_owned();
        let form = [Form::Event, Form::Events, Form::Text][random.below(3)];
        let time = random.below(usize::MAX) as i64;
        (time, route, form, random.bytes(100))
    }

    #[test]
    fn what_is_put_is_read() {
        let mut random = Random(7);
        for _ in 0..2000 {
            let (time, route, form, body) = some_record(&mut random);
            let mut bytes = Vec::new();
            put(&mut bytes, time, &route, form, |out| out.extend(&body));
            let read = read(&bytes).unwrap();
            assert_eq!(read.received_us, time);
            assert_eq!((read.route, read.form, read.body), (&*route, form, &*body));
            let mut dead = Vec::new();
            put_dead(&mut dead, time, &route, &bytes);
            let read = read_dead(&dead).unwrap();
            assert_eq!((read.reason, read.record), (&*route, &*bytes));
        }
    }

    #[test]
    fn whatever_bytes_come_nothing_panics() {
        let mut random = Random(11);
        for _ in 0..2000 {
            let (time, route, form, body) = some_record(&mut random);
            let mut bytes = Vec::new();
            put(&mut bytes, time, &route, form, |out| out.extend(&body));
            for _ in 0..8 {
                let mut torn = bytes[..random.below(bytes.len() + 1)].to_vec();
                if !torn.is_empty() {
                    let at = random.below(torn.len());
                    torn[at] ^= 1 << random.below(8);
                }
                let known = read(&torn).is_some() || read_dead(&torn).is_some();
                assert!(!known || torn.len() >= HEADER_BYTES);
            }
            let noise = random.bytes(60);
            assert!(read(&noise).is_none() || noise[0] == WAITING);
        }
    }

    #[test]
    fn other_records_are_none() {
        assert_eq!(read(b""), None);
        let mut bytes = Vec::new();
        put(&mut bytes, 1, "[]", Form::Text, |_| ());
        assert!(read_dead(&bytes).is_none());
        let form = bytes.len() - 1;
        bytes[form] = 9;
        assert_eq!(read(&bytes), None);
        assert_eq!(read(&bytes[..form]), None);
    }
}
