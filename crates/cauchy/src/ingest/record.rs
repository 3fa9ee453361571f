//! What a record of the journal in front of the streams looks like.
//!
//! ```text
//!  0      1                    9
//! ┌──────┬────────────────────┬─────────────────────────────┐
//! │ kind │ received, i64 LE,  │ the message as it came:     │
//! │  1   │ µs since 1970      │ Riemann's protobuf, no frame│
//! └──────┴────────────────────┴─────────────────────────────┘
//! ```
//!
//! Events that came otherwise are a Riemann message too. Another kind is for what comes later.

use event::Time;

/// A message of Riemann's protocol.
const MESSAGE: u8 = 1;

const HEADER_BYTES: usize = 9;

/// Appends a record whose message `write` appends.
pub fn put(out: &mut Vec<u8>, received: Time, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(MESSAGE);
    out.extend_from_slice(&received.us.to_le_bytes());
    write(out);
}

/// When a record's message was received, and the message; `None` if it is no such record.
pub fn read(record: &[u8]) -> Option<(Time, &[u8])> {
    let (header, message) = record.split_at_checked(HEADER_BYTES)?;
    let (kind, received) = header.split_first()?;
    let us = i64::from_le_bytes(received.try_into().ok()?);
    (*kind == MESSAGE).then(|| (Time::from_us(us), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_read() {
        let mut bytes = Vec::new();
        put(&mut bytes, Time::from_us(-7), |out| out.extend(b"abc"));
        let (received, message) = read(&bytes).unwrap();
        assert_eq!((received.us, message), (-7, &b"abc"[..]));
    }

    #[test]
    fn other_records_are_none() {
        assert_eq!(read(b""), None);
        assert_eq!(read(&[MESSAGE; 8]), None);
        assert_eq!(read(&[9; 20]), None);
    }
}
