//! The values of the language.

use std::sync::Arc;

use event::{Decimal, Event, Number};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::{Callable, Keyword, LazySeq, List, Map, Object, Set, Symbol, Var, Vector};

/// Any value. Cheap to clone: a word or two, or a reference count.
///
/// `==` is Clojure's `=`: sequential collections compare by elements, numbers by category, events
/// as the maps they behave as.
///
/// The tag takes a whole word: with a byte, the small payloads lie beside it, and every move of a
/// value copies odd pieces that the processor cannot forward to the next load.
#[derive(Clone, Default)]
#[repr(u64)]
pub enum Value {
    #[default]
    Nil,
    Bool(bool),
    Int(i64),
    Double(f64),
    /// A 32-bit float, as `metric_f` and `ttl` come from the wire.
    Float(f32),
    Big(Arc<BigInt>),
    /// In lowest terms, never whole.
    Ratio(Arc<BigRational>),
    Decimal(Arc<Decimal>),
    Char(char),
    Str(Arc<str>),
    Keyword(Keyword),
    Symbol(Symbol),
    List(Arc<List>),
    /// A sequence that is worked out when it is looked at.
    Lazy(Arc<LazySeq>),
    Vector(Vector),
    Map(Map),
    Set(Set),
    /// An event; behaves as a map.
    Event(Event),
    Fn(Arc<dyn Callable>),
    Var(Arc<Var>),
    /// Everything else: atoms, exceptions, regexes, records, namespaces, classes …
    Object(Arc<dyn Object>),
}

impl Value {
    pub fn str(text: impl AsRef<str>) -> Value {
        Value::Str(Arc::from(text.as_ref()))
    }

    /// A keyword without a namespace.
    pub fn keyword(name: &str) -> Value {
        Value::Keyword(Keyword::new(None, name))
    }

    /// A symbol without a namespace.
    pub fn symbol(name: &str) -> Value {
        Value::Symbol(Symbol::new(None, name))
    }

    pub fn vector(items: Vec<Value>) -> Value {
        Value::Vector(Vector::from(items))
    }

    pub fn list(items: Vec<Value>) -> Value {
        Value::List(Arc::new(List::from(items)))
    }

    pub fn map(entries: impl IntoIterator<Item = (Value, Value)>) -> Value {
        Value::Map(entries.into_iter().collect())
    }

    pub fn object(object: impl Object) -> Value {
        Value::Object(Arc::new(object))
    }

    /// Everything but nil and false.
    pub fn truthy(&self) -> bool {
        !matches!(self, Value::Nil | Value::Bool(false))
    }

    pub fn is_nil(&self) -> bool {
        matches!(self, Value::Nil)
    }

    /// Drops the value; at once, if it holds nothing that could be freed.
    #[inline]
    pub(crate) fn discard(self) {
        match self {
            Value::Nil
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Double(_)
            | Value::Float(_)
            | Value::Char(_) => std::mem::forget(self),
            held => drop(held),
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(int) => Some(*int),
            _ => None,
        }
    }

    pub fn as_event(&self) -> Option<&Event> {
        match self {
            Value::Event(event) => Some(event),
            _ => None,
        }
    }

    /// The number this is, if it is one.
    pub fn as_number(&self) -> Option<Number> {
        Some(match self {
            Value::Int(int) => Number::Int(*int),
            Value::Double(float) => Number::F64(*float),
            Value::Float(float) => Number::F32(*float),
            Value::Big(big) => Number::Big(big.clone()),
            Value::Ratio(ratio) => Number::Ratio(ratio.clone()),
            Value::Decimal(decimal) => Number::Decimal(decimal.clone()),
            _ => return None,
        })
    }

    pub fn as_callable(&self) -> Option<&Arc<dyn Callable>> {
        match self {
            Value::Fn(callable) => Some(callable),
            _ => None,
        }
    }

    /// The object of type `T`, if this is one.
    pub fn downcast<T: Object>(&self) -> Option<&T> {
        match self {
            Value::Object(object) => object.as_any().downcast_ref(),
            _ => None,
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        match number {
            Number::Int(int) => Value::Int(int),
            Number::F64(float) => Value::Double(float),
            Number::F32(float) => Value::Float(float),
            Number::Big(big) => Value::Big(big),
            Number::Ratio(ratio) => Value::Ratio(ratio),
            Number::Decimal(decimal) => Value::Decimal(decimal),
        }
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Value {
        Value::Bool(bool)
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Value {
        Value::Int(int)
    }
}

impl From<f64> for Value {
    fn from(float: f64) -> Value {
        Value::Double(float)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::str(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Str(Arc::from(text))
    }
}

impl From<Event> for Value {
    fn from(event: Event) -> Value {
        Value::Event(event)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(option: Option<T>) -> Value {
        option.map_or(Value::Nil, Into::into)
    }
}

/// Values are moved and returned all the time.
const _: () = assert!(size_of::<Value>() == 24 && size_of::<crate::Result>() == 24);
