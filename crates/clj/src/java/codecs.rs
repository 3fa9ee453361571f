//! Bytes and texts as other texts: Base64, and the encoding of URLs.

use std::any::Any;

use super::array::{Array, bytes_of};
use super::{JavaClass, member};
use crate::core::arguments::string;
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.util.Base64",
        construct: None,
        statics: &[
            member("getEncoder", 0, 0, |_, _| {
                Ok(Value::object(Encoder {
                    url: false,
                    pad: true,
                }))
            }),
            member("getUrlEncoder", 0, 0, |_, _| {
                Ok(Value::object(Encoder {
                    url: true,
                    pad: true,
                }))
            }),
            member("getMimeEncoder", 0, 0, |_, _| {
                Ok(Value::object(Encoder {
                    url: false,
                    pad: true,
                }))
            }),
            member("getDecoder", 0, 0, |_, _| {
                Ok(Value::object(Decoder { url: false }))
            }),
            member("getUrlDecoder", 0, 0, |_, _| {
                Ok(Value::object(Decoder { url: true }))
            }),
            member("getMimeDecoder", 0, 0, |_, _| {
                Ok(Value::object(Decoder { url: false }))
            }),
        ],
        fields: &[],
    },
    JavaClass {
        name: "java.net.URLEncoder",
        construct: None,
        statics: &[member("encode", 1, 2, |_, a| {
            Ok(Value::from(url_encoded(string(&a[0])?)))
        })],
        fields: &[],
    },
    JavaClass {
        name: "java.net.URLDecoder",
        construct: None,
        statics: &[member("decode", 1, 2, |_, a| {
            url_decoded(string(&a[0])?).map(Value::from)
        })],
        fields: &[],
    },
    JavaClass {
        name: "java.nio.charset.StandardCharsets",
        construct: None,
        statics: &[],
        fields: &[
            ("UTF_8", || Value::str("UTF-8")),
            ("US_ASCII", || Value::str("US-ASCII")),
            ("ISO_8859_1", || Value::str("ISO-8859-1")),
        ],
    },
    JavaClass {
        name: "java.nio.charset.Charset",
        construct: None,
        statics: &[
            member("forName", 1, 1, |_, a| Ok(a[0].clone())),
            member("defaultCharset", 0, 0, |_, _| Ok(Value::str("UTF-8"))),
        ],
        fields: &[],
    },
];

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// `Base64.Encoder`
struct Encoder {
    url: bool,
    pad: bool,
}

impl Encoder {
    fn text(&self, bytes: &[u8]) -> String {
        let digits = if self.url { URL_DIGITS } else { DIGITS };
        let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for three in bytes.chunks(3) {
            let byte = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for index in 0..4 {
                if index <= three.len() {
                    let digit = bits >> (18 - 6 * index) & 63;
                    text.push(char::from(digits[digit as usize]));
                } else if self.pad {
                    text.push('=');
                }
            }
        }
        text
    }
}

impl Object for Encoder {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.Base64$Encoder"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("encodeToString", [bytes]) => {
                bytes_of(bytes).map(|bytes| Value::from(self.text(&bytes)))
            }
            ("encode", [bytes]) => bytes_of(bytes)
                .map(|bytes| Value::object(Array::of_bytes(self.text(&bytes).as_bytes()))),
            ("withoutPadding", []) => Ok(Value::object(Encoder {
                url: self.url,
                pad: false,
            })),
            _ => return None,
        })
    }
}

/// `Base64.Decoder`
struct Decoder {
    url: bool,
}

impl Decoder {
    fn bytes(&self, text: &[u8]) -> Result<Vec<u8>> {
        let digits = if self.url { URL_DIGITS } else { DIGITS };
        let end = text
            .iter()
            .rposition(|byte| *byte != b'=')
            .map_or(0, |last| last + 1);
        let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
        for byte in &text[..end] {
            let Some(digit) = digits.iter().position(|digit| digit == byte) else {
                let message = format!("Illegal base64 character {byte:x}");
                return Err(Thrown::illegal_argument(message));
            };
            bits = bits << 6 | digit as u32;
            count += 6;
            if count >= 8 {
                count -= 8;
                bytes.push((bits >> count) as u8);
            }
        }
        if count == 6 {
            let message = "Last unit does not have enough valid bits";
            return Err(Thrown::illegal_argument(message));
        }
        Ok(bytes)
    }
}

impl Object for Decoder {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.Base64$Decoder"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("decode", [text]) => Some(
                bytes_of(text)
                    .and_then(|text| self.bytes(&text))
                    .map(|bytes| Value::object(Array::of_bytes(&bytes))),
            ),
            _ => None,
        }
    }
}

/// As forms are encoded: a space is a plus.
fn url_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b' ' => encoded.push('+'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => {
                encoded.push(byte.into());
            }
            _ => {
                use std::fmt::Write;
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

fn url_decoded(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = after
                    .get(..2)
                    .and_then(|digits| str::from_utf8(digits).ok());
                let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())
                else {
                    return Err(Thrown::illegal_argument(
                        "URLDecoder: Illegal hex characters in escape (%) pattern",
                    ));
                };
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => bytes.push(*byte),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_goes_there_and_back() {
        let encoder = Encoder {
            url: false,
            pad: true,
        };
        let decoder = Decoder { url: false };
        // RFC 4648, section 10.
        let vectors = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let texts = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
        for (bytes, text) in vectors.iter().zip(texts) {
            assert_eq!(encoder.text(bytes.as_bytes()), text);
            assert_eq!(
                decoder.bytes(text.as_bytes()).expect("valid"),
                bytes.as_bytes()
            );
        }
        assert!(decoder.bytes(b"Zg-_").is_err());
    }

    #[test]
    fn urls_go_there_and_back() {
        assert_eq!(url_encoded("a b&ñ"), "a+b%26%C3%B1");
        assert_eq!(url_decoded("a+b%26%C3%B1").expect("valid"), "a b&ñ");
        assert!(url_decoded("%zz").is_err());
    }
}
