//! `java.security.MessageDigest`.

use std::any::Any;

use md5::Md5;
use parking_lot::Mutex;
use sha1::Sha1;
use sha2::digest::DynDigest;
use sha2::{Sha256, Sha384, Sha512};

use super::array::{Array, bytes_of};
use super::{JavaClass, member};
use crate::core::arguments::{int, string};
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.security.MessageDigest",
    construct: None,
    statics: &[
        member("getInstance", 1, 1, |_, a| {
            let name = string(&a[0])?;
            let Some(state) = digest(name) else {
                let message = format!("{name} MessageDigest not available");
                return Err(
                    Thrown::new("java.security.NoSuchAlgorithmException", message)
                        .with_hint("there are MD5, SHA-1, SHA-256, SHA-384 and SHA-512"),
                );
            };
            Ok(Value::object(MessageDigest {
                name: name.to_owned(),
                state: Mutex::new(state),
            }))
        }),
        member("isEqual", 2, 2, |_, a| {
            Ok(Value::Bool(bytes_of(&a[0])? == bytes_of(&a[1])?))
        }),
    ],
    fields: &[],
}];

fn digest(name: &str) -> Option<Box<dyn DynDigest + Send>> {
    Some(match &*name.to_ascii_uppercase() {
        "MD5" => Box::new(Md5::default()),
        "SHA" | "SHA1" | "SHA-1" => Box::new(Sha1::default()),
        "SHA-256" => Box::new(Sha256::default()),
        "SHA-384" => Box::new(Sha384::default()),
        "SHA-512" => Box::new(Sha512::default()),
        _ => return None,
    })
}

struct MessageDigest {
    name: String,
    state: Mutex<Box<dyn DynDigest + Send>>,
}

impl MessageDigest {
    fn update(&self, value: &Value) -> Result<()> {
        let bytes = match value {
            Value::Int(_) => vec![int(value)? as u8],
            bytes => bytes_of(bytes)?,
        };
        self.state.lock().update(&bytes);
        Ok(())
    }
}

impl Object for MessageDigest {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.security.MessageDigest"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("update", [bytes]) => self.update(bytes).map(|()| Value::Nil),
            ("update", [bytes, from, len]) => part(bytes, from, len).map(|part| {
                self.state.lock().update(&part);
                Value::Nil
            }),
            ("digest", last @ ([] | [_])) => {
                let updated = last.iter().try_for_each(|bytes| self.update(bytes));
                updated.map(|()| {
                    let bytes = self.state.lock().finalize_reset();
                    Value::object(Array::of_bytes(&bytes))
                })
            }
            ("reset", []) => {
                self.state.lock().reset();
                Ok(Value::Nil)
            }
            ("getAlgorithm", []) => Ok(Value::str(&self.name)),
            ("getDigestLength", []) => Ok(Value::Int(self.state.lock().output_size() as i64)),
            _ => return None,
        })
    }
}

fn part(bytes: &Value, from: &Value, len: &Value) -> Result<Vec<u8>> {
    let bytes = bytes_of(bytes)?;
    let (from, len) = (int(from)?, int(len)?);
    let range = usize::try_from(from)
        .ok()
        .zip(usize::try_from(from + len).ok());
    match range.and_then(|(from, to)| bytes.get(from..to)) {
        Some(part) => Ok(part.to_vec()),
        None => Err(Thrown::illegal_argument("Input buffer too short")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_what_the_standards_say() {
        // RFC 1321, FIPS 180.
        let check = |name: &str, start: &[u8]| {
            let mut state = digest(name).expect("known");
            state.update(b"abc");
            assert_eq!(&state.finalize_reset()[..4], start);
        };
        check("md5", &[0x90, 0x01, 0x50, 0x98]);
        check("SHA-1", &[0xa9, 0x99, 0x3e, 0x36]);
        check("SHA-256", &[0xba, 0x78, 0x16, 0xbf]);
        assert!(digest("MD4").is_none());
    }
}
