//! Bencode: what nREPL's messages are written in.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};

/// Bytes of one message.
pub const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// Lists and dictionaries within each other.
const DEPTH_MAX: usize = 32;

/// Digits of the longest number.
const DIGITS_MAX: usize = 20;

/// What a message is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    Int(i64),
    Text(String),
    List(Vec<Datum>),
    Dict(Dict),
}

/// Text that is not UTF-8 is mended as it is read: nREPL has no use for other bytes.
pub type Dict = BTreeMap<String, Datum>;

impl From<&str> for Datum {
    fn from(text: &str) -> Datum {
        Datum::Text(text.to_owned())
    }
}

impl From<String> for Datum {
    fn from(text: String) -> Datum {
        Datum::Text(text)
    }
}

impl Datum {
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Datum::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Datum::Int(int) => Some(*int),
            Datum::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Appends the encoded form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Datum::Int(int) => out.extend_from_slice(format!("i{int}e").as_bytes()),
            Datum::Text(text) => encode_text(text, out),
            Datum::List(items) => {
                out.push(b'l');
                items.iter().for_each(|item| item.encode(out));
                out.push(b'e');
            }
            Datum::Dict(dict) => encode_dict(dict, out),
        }
    }
}

/// Appends the encoded form of a message.
pub fn encode_dict(dict: &Dict, out: &mut Vec<u8>) {
    out.push(b'd');
    for (key, value) in dict {
        encode_text(key, out);
        value.encode(out);
    }
    out.push(b'e');
}

fn encode_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{}:", text.len()).as_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// Reads one message; `None` at the end of the input.
///
/// # Errors
/// `InvalidData` for what is no message or a longer one than [`MESSAGE_BYTES_MAX`].
pub fn read_message(source: &mut impl BufRead) -> io::Result<Option<Dict>> {
    if source.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut decoder = Decoder {
        source: source.take(MESSAGE_BYTES_MAX as u64),
    };
    match decoder.datum(0)? {
        Some(Datum::Dict(dict)) => Ok(Some(dict)),
        _ => Err(wrong("a message is a dictionary")),
    }
}

struct Decoder<R> {
    source: io::Take<R>,
}

impl<R: BufRead> Decoder<R> {
    /// The next datum; `None` where a list or dictionary ends.
    fn datum(&mut self, depth: usize) -> io::Result<Option<Datum>> {
        if depth > DEPTH_MAX {
            return Err(wrong("nested too deep"));
        }
        Ok(Some(match self.byte()? {
            b'e' => return Ok(None),
            b'i' => {
                let digits = self.until(b'e', String::new())?;
                Datum::Int(digits.parse().map_err(|_| wrong("not a number"))?)
            }
            b'l' => {
                let mut items = Vec::new();
                while let Some(item) = self.datum(depth + 1)? {
                    items.push(item);
                }
                Datum::List(items)
            }
            b'd' => Datum::Dict(self.dict(depth)?),
            digit if digit.is_ascii_digit() => {
                let length = self.until(b':', char::from(digit).to_string())?;
                let length = length.parse().map_err(|_| wrong("not a length"))?;
                Datum::Text(self.text(length)?)
            }
            _ => return Err(wrong("not bencode")),
        }))
    }

    fn dict(&mut self, depth: usize) -> io::Result<Dict> {
        let mut dict = Dict::new();
        while let Some(key) = self.datum(depth + 1)? {
            let (Datum::Text(key), Some(value)) = (key, self.datum(depth + 1)?) else {
                return Err(wrong("not a dictionary"));
            };
            dict.insert(key, value);
        }
        Ok(dict)
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.source.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn until(&mut self, end: u8, mut digits: String) -> io::Result<String> {
        while digits.len() <= DIGITS_MAX {
            match self.byte()? {
                byte if byte == end => return Ok(digits),
                byte => digits.push(char::from(byte)),
            }
        }
        Err(wrong("a number without an end"))
    }

    /// Grows as bytes come, so that a length alone takes no memory.
    fn text(&mut self, length: u64) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.source.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> io::Result<Option<Dict>> {
        read_message(&mut text.as_bytes())
    }

    #[test]
    fn messages_come_back_as_they_were() {
        let text = "d4:code7:(+ 1 2)2:idi-3e4:listl1:a0:de1:\u{e9}1:bee";
        let text = text.replace("1:\u{e9}", "2:\u{e9}");
        let message = read(&text).expect("bencode").expect("a message");
        assert_eq!(message["id"], Datum::Int(-3));
        assert_eq!(message["code"].as_text(), Some("(+ 1 2)"));
        let mut encoded = Vec::new();
        encode_dict(&message, &mut encoded);
        assert_eq!(
            read(std::str::from_utf8(&encoded).expect("UTF-8")).expect("bencode"),
            Some(message)
        );
        assert_eq!(read("").expect("an end"), None);
    }

    #[test]
    fn what_is_no_message_is_told() {
        let deep = "d1:a".to_owned() + &"l".repeat(100);
        for text in [
            "x",
            "e",
            "i1e",
            "le",
            "d1:a",
            "d1:ae",
            "di1ei2ee",
            "d1:a99999999999:",
            "d1:ai1",
            "d1:ai--e",
            "d1:a-1:",
            "d999999999999999999999999:",
            "d9:abc",
            &deep,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let long = format!(
            "d1:a{}:{}e",
            MESSAGE_BYTES_MAX,
            "x".repeat(MESSAGE_BYTES_MAX)
        );
        assert!(read(&long).is_err());
    }
}
