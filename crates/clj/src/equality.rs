//! `=` and hashing.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;

use crate::object::Kind;
use crate::{Result, Thrown, Value, deep, event_value, seq};

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        use Value::{Bool, Char, Event, Fn, Int, Keyword, Map, Nil, Object, Set, Str, Symbol, Var};
        match (self, other) {
            (Nil, Nil) => true,
            (Bool(a), Bool(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (Char(a), Char(b)) => a == b,
            (Str(a), Str(b)) => a == b,
            (Keyword(a), Keyword(b)) => a == b,
            (Symbol(a), Symbol(b)) => a == b,
            (Map(a), Map(b)) => a.same(b) || deep::with_stack(|| maps_equal(a, b)),
            (Set(a), Set(b)) => {
                a.len() == b.len() && deep::with_stack(|| a.iter().all(|item| b.contains(item)))
            }
            (Event(a), Event(b)) => a == b,
            (Event(a), Map(b)) | (Map(b), Event(a)) => {
                !a.is_record() && maps_equal(&event_value::to_map(a), b)
            }
            (Fn(a), Fn(b)) => std::sync::Arc::ptr_eq(a, b),
            (Var(a), Var(b)) => std::sync::Arc::ptr_eq(a, b),
            (Object(a), Object(b)) => {
                std::sync::Arc::ptr_eq(a, b) || a.equals(&**b) || a.equals_value(other)
            }
            (Object(object), other) | (other, Object(object)) => object.equals_value(other),
            _ if self.is_sequential() && other.is_sequential() => {
                deep::with_stack(|| sequences_equal(self, other))
            }
            _ => match (self.as_number(), other.as_number()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }
}

impl Eq for Value {}

impl Value {
    /// Lists, vectors and lazy sequences: what compares by elements in order.
    pub fn is_sequential(&self) -> bool {
        match self {
            Value::List(_) | Value::Lazy(_) | Value::Vector(_) => true,
            Value::Object(object) => object.kind() == Kind::Sequence,
            _ => false,
        }
    }
}

thread_local! {
    /// The first error that a comparison met in a lazy sequence, until it is asked for.
    static MET: RefCell<Option<Thrown>> = const { RefCell::new(None) };
}

/// `(= a b)`.
///
/// # Errors
/// What a lazy sequence in one of them throws. (`==` takes such a sequence for unequal.)
pub fn equal(a: &Value, b: &Value) -> Result<bool> {
    // A comparison that nobody asked for its error may have left one.
    MET.take();
    if a == b {
        return Ok(true);
    }
    match MET.take() {
        Some(thrown) => Err(thrown),
        None => Ok(false),
    }
}

fn maps_equal(a: &crate::Map, b: &crate::Map) -> bool {
    a.len() == b.len() && a.iter().all(|(key, value)| b.get(key) == Some(value))
}

fn sequences_equal(a: &Value, b: &Value) -> bool {
    if let (Value::Vector(a), Value::Vector(b)) = (a, b)
        && (a.same(b) || a.len() != b.len())
    {
        return a.same(b);
    }
    let (mut a, mut b) = (seq::iter(a), seq::iter(b));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(Ok(a)), Some(Ok(b))) if a == b => {}
            (Some(Err(thrown)), _) | (_, Some(Err(thrown))) => {
                MET.with_borrow_mut(|met| {
                    met.get_or_insert(thrown);
                });
                return false;
            }
            _ => return false,
        }
    }
}

/// Equal values hash alike, whatever their representation.
impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Value::Nil => state.write_u8(0),
            Value::Bool(bool) => state.write_u8(1 + u8::from(*bool)),
            Value::Char(char) => char.hash(state),
            Value::Str(text) => text.hash(state),
            Value::Keyword(keyword) => keyword.hash(state),
            Value::Symbol(symbol) => symbol.hash(state),
            Value::List(_) | Value::Lazy(_) | Value::Vector(_) => deep::with_stack(|| {
                seq::iter(self)
                    .map_while(Result::ok)
                    .for_each(|item| item.hash(state));
            }),
            Value::Map(map) => deep::with_stack(|| hash_entries(map.iter(), state)),
            Value::Event(event) => {
                let map = event_value::to_map(event);
                hash_entries(map.iter(), state);
            }
            Value::Set(set) => {
                let sum = set.iter().map(|item| FixedState::default().hash_one(item));
                state.write_u64(sum.fold(0, u64::wrapping_add));
            }
            Value::Fn(callable) => state.write_usize(std::sync::Arc::as_ptr(callable).addr()),
            Value::Var(var) => state.write_usize(std::sync::Arc::as_ptr(var).addr()),
            Value::Object(object) => match object.hash_code() {
                Some(hash) => state.write_u64(hash),
                None => state.write_usize(std::sync::Arc::as_ptr(object).addr()),
            },
            _ => {
                if let Some(number) = self.as_number() {
                    number.hash(state);
                }
            }
        }
    }
}

/// The hash of a map's entries, in whatever order.
pub(crate) fn hash_entries<'a>(
    entries: impl Iterator<Item = (&'a Value, &'a Value)>,
    state: &mut impl Hasher,
) {
    let sum = entries.map(|entry| FixedState::default().hash_one(entry));
    state.write_u64(sum.fold(0, u64::wrapping_add));
}
