//! What a record of the journal in front of the streams looks like.
//!
//! ```text
//!  0      1                    9
//! ┌──────┬────────────────────┬─────────────────────────────┐
//! │ kind │ received, i64 LE,  │ the message as it came:     │
//! │  1   │ µs since 1970      │ Riemann's protobuf, no frame│
//! └──────┴────────────────────┴─────────────────────────────┘
//! ┌──────┬────────────────────┬────────┬─────────┬────────┬─
//! │ kind │ received           │ length,│ message │ length │ …
//! │  2   │                    │ u32 LE │         │        │
//! └──────┴────────────────────┴────────┴─────────┴────────┴─
//! ```
//!
//! Short messages that were read together stand in one record. Events that came otherwise are a
//! Riemann message too. Another kind is for what comes later.

use event::Time;

/// A message of Riemann's protocol.
const MESSAGE: u8 = 1;

/// Several, each after its length.
const MESSAGES: u8 = 2;

const HEADER_BYTES: usize = 9;
const LENGTH_BYTES: usize = 4;

/// How long a record of several messages is at most: what one bad bit may cost. It is a page, which
/// disks seldom spoil a part of, and long enough that what stands around it counts for little.
const MESSAGES_BYTES: usize = 4 << 10;

/// Messages that one record takes.
pub struct Group<'m, 'a>(&'m [&'a [u8]]);

/// Parts messages into those that go into one record.
pub fn groups<'m, 'a>(messages: &'m [&'a [u8]]) -> impl Iterator<Item = Group<'m, 'a>> {
    let mut rest = messages;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |message: &&&[u8]| {
            bytes += LENGTH_BYTES + message.len();
            bytes <= MESSAGES_BYTES
        };
        let count = rest.iter().take_while(fits).count().max(1);
        let (group, others) = rest.split_at_checked(count)?;
        rest = others;
        Some(Group(group))
    })
}

impl Group<'_, '_> {
    /// Appends the record.
    pub fn put(&self, out: &mut Vec<u8>, received: Time) {
        if let [message] = self.0 {
            return put(out, received, |out| out.extend_from_slice(message));
        }
        head(out, MESSAGES, received);
        for message in self.0 {
            let length = u32::try_from(message.len()).expect("a short message");
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(message);
        }
    }
}

/// Appends a record whose message `write` appends.
pub fn put(out: &mut Vec<u8>, received: Time, write: impl FnOnce(&mut Vec<u8>)) {
    head(out, MESSAGE, received);
    write(out);
}

fn head(out: &mut Vec<u8>, kind: u8, received: Time) {
    out.push(kind);
    out.extend_from_slice(&received.us.to_le_bytes());
}

/// The messages of a record, in order.
#[derive(Clone, Debug)]
pub struct Messages<'a> {
    rest: &'a [u8],
    kind: u8,
}

impl<'a> Iterator for Messages<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.kind == MESSAGE {
            self.kind = MESSAGES;
            return Some(std::mem::take(&mut self.rest));
        }
        let (length, rest) = self.rest.split_first_chunk::<LENGTH_BYTES>()?;
        let length = u32::from_le_bytes(*length) as usize;
        // What is cut short decodes as no message.
        let (message, rest) = rest.split_at(length.min(rest.len()));
        self.rest = rest;
        Some(message)
    }
}

/// When a record's messages were received, and the messages; `None` if it is no such record.
pub fn read(record: &[u8]) -> Option<(Time, Messages<'_>)> {
    let (header, rest) = record.split_at_checked(HEADER_BYTES)?;
    let (&kind, received) = header.split_first()?;
    let us = i64::from_le_bytes(received.try_into().ok()?);
    let messages = Messages { rest, kind };
    matches!(kind, MESSAGE | MESSAGES).then(|| (Time::from_us(us), messages))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many messages stand in each record, having read them again.
    fn check(messages: &[&[u8]], expected: &[usize]) {
        let (mut read_again, mut counts) = (Vec::new(), Vec::new());
        for group in groups(messages) {
            let mut record = Vec::new();
            group.put(&mut record, Time::from_us(-7));
            let (received, found) = read(&record).unwrap();
            assert_eq!(received.us, -7);
            let found: Vec<Vec<u8>> = found.map(<[u8]>::to_vec).collect();
            counts.push(found.len());
            read_again.extend(found);
        }
        assert_eq!(read_again, messages);
        assert_eq!(counts, expected);
    }

    #[test]
    fn what_is_put_is_read() {
        check(&[], &[]);
        check(&[b"abc"], &[1]);
        check(&[b""], &[1]);
        check(&[b"abc", b"", b"d"], &[3]);
    }

    #[test]
    fn a_record_is_a_page_at_most_unless_a_message_is_longer() {
        let (long, short, half) = ([1; 5000], [2; 100], [3; 2044]);
        check(&[&long, &short, &short, &long], &[1, 2, 1]);
        check(&[&half, &half, &short], &[2, 1]);
        check(&[&short[..]; 100], &[39, 39, 22]);
    }

    #[test]
    fn other_records_are_none() {
        assert!(read(b"").is_none());
        assert!(read(&[MESSAGE; 8]).is_none());
        assert!(read(&[9; 20]).is_none());
    }

    #[test]
    fn a_record_that_is_cut_short_gives_what_is_there() {
        let mut record = Vec::new();
        let messages: [&[u8]; 2] = [b"abc", b"defg"];
        groups(&messages).for_each(|group| group.put(&mut record, Time::from_us(1)));
        for end in HEADER_BYTES..record.len() {
            let (_, found) = read(&record[..end]).unwrap();
            assert!(found.count() <= 2, "{end}");
        }
        let (_, mut found) = read(&record[..record.len() - 1]).unwrap();
        assert_eq!(found.next(), Some(&b"abc"[..]));
        assert_eq!(found.next(), Some(&b"def"[..]));
    }
}
