//! Values that are not one of an event's usual kinds.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::{Number, PackedHistogram};

/// A value of the language, carried by an event that does not look inside.
pub trait Foreign: Any + Send + Sync + Debug {
    fn as_any(&self) -> &dyn Any;
    /// The text that `str` gives, as it travels in a protobuf attribute.
    fn to_text(&self) -> String;
    /// The value as JSON text.
    fn to_json(&self) -> String;
    /// Clojure's `=`.
    fn same(&self, other: &dyn Foreign) -> bool;
    /// True if it is a collection with this text among its items.
    fn holds(&self, _text: &str) -> bool {
        false
    }
}

/// A field or attribute whose value is not of the usual kind (a number as host, a nested map).
#[derive(Clone, Debug)]
pub enum Attr {
    Nil,
    Bool(bool),
    Num(Number),
    Str(Arc<str>),
    List(Arc<[Attr]>),
    /// Keys are keyword names.
    Map(Arc<[(Arc<str>, Attr)]>),
    Histogram(PackedHistogram),
    Foreign(Arc<dyn Foreign>),
}

impl PartialEq for Attr {
    fn eq(&self, other: &Attr) -> bool {
        match (self, other) {
            (Attr::Nil, Attr::Nil) => true,
            (Attr::Bool(a), Attr::Bool(b)) => a == b,
            (Attr::Num(a), Attr::Num(b)) => a == b,
            (Attr::Str(a), Attr::Str(b)) => a == b,
            (Attr::List(a), Attr::List(b)) => a == b,
            (Attr::Map(a), Attr::Map(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|(key, value)| b.iter().any(|(k, v)| k == key && v == value))
            }
            (Attr::Histogram(a), Attr::Histogram(b)) => a == b,
            (Attr::Foreign(a), Attr::Foreign(b)) => a.same(&**b),
            _ => false,
        }
    }
}

impl Attr {
    /// The text that Clojure's `str` gives; a nested value in a readable form, a histogram in base64.
    pub fn to_text(&self) -> String {
        match self {
            Attr::Nil => String::new(),
            Attr::Bool(bool) => bool.to_string(),
            Attr::Num(number) => number.to_text(),
            Attr::Str(text) => text.to_string(),
            Attr::List(items) => {
                let items: Vec<String> = items.iter().map(Attr::to_readable).collect();
                format!("[{}]", items.join(" "))
            }
            Attr::Map(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(k, v)| format!(":{k} {}", v.to_readable()))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
            Attr::Histogram(packed) => packed.as_ref().to_base64(),
            Attr::Foreign(foreign) => foreign.to_text(),
        }
    }

    fn to_readable(&self) -> String {
        match self {
            Attr::Nil => "nil".into(),
            Attr::Str(text) => format!("{text:?}"),
            Attr::Num(number) => number.to_string(),
            _ => self.to_text(),
        }
    }
}
