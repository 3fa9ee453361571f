//! Messages whose strings are not UTF-8.

use super::encode::{put_bytes, put_tag};
use super::wire::{BYTES, DecodeError, Reader};

/// Which strings and messages the fields of a message are.
#[derive(Clone, Copy)]
enum Kind {
    Msg,
    Query,
    Event,
    Attribute,
}

enum Part {
    Text,
    Nested(Kind),
    Other,
}

impl Kind {
    fn part(self, number: u32) -> Part {
        match (self, number) {
            (Kind::Msg, 5) => Part::Nested(Kind::Query),
            (Kind::Msg, 6) => Part::Nested(Kind::Event),
            (Kind::Event, 9) => Part::Nested(Kind::Attribute),
            (Kind::Msg, 3) | (Kind::Query, 1) | (Kind::Attribute, 1 | 2) => Part::Text,
            (Kind::Event, 2..=5 | 7) => Part::Text,
            _ => Part::Other,
        }
    }
}

/// A copy of a message in which every invalid sequence of a string is U+FFFD, as Java's decoder
/// leaves it. What is malformed otherwise stays so.
pub fn repair_msg(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    repair(Kind::Msg, bytes, &mut out);
    out
}

fn repair(kind: Kind, bytes: &[u8], out: &mut Vec<u8>) {
    let mut reader = Reader(bytes);
    while !reader.is_empty() {
        let field = reader.0;
        if copy_field(kind, &mut reader, field, out).is_err() {
            out.extend_from_slice(field);
            return;
        }
    }
}

fn copy_field(
    kind: Kind,
    reader: &mut Reader<'_>,
    field: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), DecodeError> {
    let tag = reader.tag()?;
    let part = if tag & 7 == BYTES {
        kind.part(tag >> 3)
    } else {
        Part::Other
    };
    match part {
        Part::Text => {
            let text = String::from_utf8_lossy(reader.bytes()?);
            put_tag(out, tag);
            put_bytes(out, text.as_bytes());
        }
        Part::Nested(kind) => {
            let mut nested = Vec::new();
            repair(kind, reader.bytes()?, &mut nested);
            put_tag(out, tag);
            put_bytes(out, &nested);
        }
        Part::Other => {
            reader.skip(tag)?;
            out.extend_from_slice(&field[..field.len() - reader.0.len()]);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use event::{Time, Views};

    use super::*;
    use crate::riemann::decode_msg;

    #[test]
    fn bad_strings_are_replaced_and_the_rest_kept() {
        let msg =
            b"\x10\x01\x32\x0e\x22\x02\xffa\x4a\x06\x0a\x01k\x12\x01\xfe\x68\x04\x2a\x03\x0a\x01q";
        let fixed = repair_msg(msg);
        let mut views = Views::new();
        let head = decode_msg(&fixed, Time::from_s(0), &mut views).unwrap();
        assert_eq!((head.ok, head.query), (Some(true), Some("q")));
        assert_eq!(views.get(0).host, Some("\u{fffd}a"));
        assert_eq!(views.get(0).attrs, [("k", "\u{fffd}")]);
    }

    #[test]
    fn a_sound_message_comes_back_as_it_was() {
        for msg in [&b"\x32\x05\x22\x03abc"[..], b"\x0b\x0c\x50\x07", b""] {
            assert_eq!(repair_msg(msg), msg);
        }
    }

    #[test]
    fn what_is_malformed_stays_malformed() {
        assert_eq!(repair_msg(b"\x32\x05\x22\x09a"), b"\x32\x05\x22\x09a");
        let fixed = repair_msg(b"\x32\x03\x22\x09\xff");
        assert!(decode_msg(&fixed, Time::from_s(0), &mut Views::new()).is_err());
    }
}
