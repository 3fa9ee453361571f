//! Streams of bytes that are in memory.

use std::any::Any;

use parking_lot::Mutex;

use super::array::bytes_of;
use super::{Array, JavaClass, constructor};
use crate::core::arguments::int;
use crate::{Cx, Object, Result, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.io.ByteArrayInputStream",
        construct: constructor(1, 1, |_, a| Ok(from_bytes(bytes_of(&a[0])?))),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.io.ByteArrayOutputStream",
        construct: constructor(0, 1, |_, _| Ok(Value::object(Output::default()))),
        statics: &[],
        fields: &[],
    },
];

/// `java.io.InputStream` over bytes, with how far they have been read.
pub struct Input {
    bytes: Vec<u8>,
    at: Mutex<usize>,
}

/// A stream to read bytes from.
pub fn from_bytes(bytes: Vec<u8>) -> Value {
    Value::object(Input {
        bytes,
        at: Mutex::new(0),
    })
}

/// The stream that a value is.
pub fn input(value: &Value) -> Option<&Input> {
    value.downcast()
}

impl Input {
    fn rest(&self) -> &[u8] {
        let mut at = self.at.lock();
        let rest = &self.bytes[*at..];
        *at = self.bytes.len();
        rest
    }

    /// What has not been read yet, as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.rest()).into_owned()
    }
}

impl Object for Input {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.io.ByteArrayInputStream"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.io.InputStream" | "java.io.Closeable" | "java.lang.AutoCloseable"
        )
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(Ok(match (name, args) {
            ("read", []) => {
                let mut at = self.at.lock();
                match self.bytes.get(*at) {
                    Some(byte) => {
                        *at += 1;
                        Value::Int(i64::from(*byte))
                    }
                    None => Value::Int(-1),
                }
            }
            ("readAllBytes", []) => Value::object(Array::of_bytes(self.rest())),
            ("available", []) => Value::Int((self.bytes.len() - *self.at.lock()) as i64),
            ("reset", []) => {
                *self.at.lock() = 0;
                Value::Nil
            }
            ("close", []) => Value::Nil,
            _ => return None,
        }))
    }
}

/// `java.io.ByteArrayOutputStream`.
#[derive(Default)]
struct Output(Mutex<Vec<u8>>);

impl Output {
    fn write(&self, value: &Value) -> Result {
        match value {
            Value::Int(_) => self.0.lock().push(int(value)? as u8),
            Value::Str(text) => self.0.lock().extend_from_slice(text.as_bytes()),
            _ => self.0.lock().extend_from_slice(&bytes_of(value)?),
        }
        Ok(Value::Nil)
    }

    fn part(&self, [bytes, from, len]: [&Value; 3]) -> Result {
        let bytes = bytes_of(bytes)?;
        let from = usize::try_from(int(from)?).unwrap_or(usize::MAX);
        let len = usize::try_from(int(len)?).unwrap_or(usize::MAX);
        let part = from.checked_add(len).and_then(|end| bytes.get(from..end));
        match part {
            Some(part) => {
                self.0.lock().extend_from_slice(part);
                Ok(Value::Nil)
            }
            None => Err(crate::Thrown::without_message(
                "java.lang.IndexOutOfBoundsException",
            )),
        }
    }
}

impl Object for Output {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.io.ByteArrayOutputStream"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.io.OutputStream"
                | "java.io.Closeable"
                | "java.io.Flushable"
                | "java.lang.AutoCloseable"
        )
    }

    fn text(&self) -> Option<String> {
        Some(String::from_utf8_lossy(&self.0.lock()).into_owned())
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(Ok(match (name, args) {
            ("write" | "writeBytes", [value]) => return Some(self.write(value)),
            ("write", [bytes, from, len]) => return Some(self.part([bytes, from, len])),
            ("toByteArray", []) => Value::object(Array::of_bytes(&self.0.lock())),
            ("toString", [] | [_]) => self.text().into(),
            ("size", []) => Value::Int(self.0.lock().len() as i64),
            ("reset", []) => {
                self.0.lock().clear();
                Value::Nil
            }
            ("flush" | "close", []) => Value::Nil,
            _ => return None,
        }))
    }
}
