//! Sequences: first, rest, and walking anything that has elements.

use std::sync::Arc;

use crate::list::Cells;
use crate::{Cx, LazySeq, List, Result, Thrown, Value, Vector};

/// The value as a non-empty sequence, or `Nil` when there is nothing in it. The result is always a
/// `List` or `Nil`.
///
/// # Errors
/// `IllegalArgumentException` for what has no elements; what a lazy body throws.
pub fn seq(value: &Value) -> Result {
    let mut value = value.clone();
    loop {
        value = match &value {
            Value::Nil => return Ok(Value::Nil),
            Value::List(list) if list.is_empty() => return Ok(Value::Nil),
            Value::List(_) => return Ok(value),
            Value::Lazy(lazy) => lazy.force()?,
            Value::Object(object) => match object.seq() {
                Some(seq) => seq?,
                None => return Err(not_seqable(&value)),
            },
            _ => return Ok(chunk(elements(&value)?, Value::Nil)),
        }
    }
}

/// The elements of a value that holds them all: a collection that is not a sequence, or a string.
fn elements(value: &Value) -> Result<Vec<Value>> {
    Ok(match value {
        Value::Vector(vector) => vector.to_vec(),
        Value::Map(map) => map
            .iter()
            .map(|(key, value)| entry(key.clone(), value.clone()))
            .collect(),
        Value::Set(set) => set.iter().cloned().collect(),
        Value::Str(text) => text.chars().map(Value::Char).collect(),
        Value::Event(event) => crate::event_value::entries(event)
            .map(|(key, value)| entry(key, value))
            .collect(),
        _ => return Err(not_seqable(value)),
    })
}

/// A map's entry, as `seq` gives it.
pub fn entry(key: Value, value: Value) -> Value {
    Value::vector(vec![key, value])
}

/// `items` and then `rest`; `rest` alone when there are none.
pub fn chunk(items: Vec<Value>, rest: Value) -> Value {
    if items.is_empty() {
        return rest;
    }
    Value::List(Arc::new(List::chunk(items.into(), rest)))
}

fn not_seqable(value: &Value) -> Thrown {
    Thrown::illegal_argument(format!(
        "Don't know how to create ISeq from: {}",
        value.class_name()
    ))
}

/// The first element, or nil.
///
/// # Errors
/// As [`seq`].
pub fn first(value: &Value) -> Result {
    if let Value::Vector(vector) = value {
        return Ok(vector.get(0).cloned().unwrap_or_default());
    }
    match seq(value)? {
        Value::List(list) => Ok(list.first().cloned().unwrap_or_default()),
        _ => Ok(Value::Nil),
    }
}

/// Everything after the first, possibly an empty list; never nil.
///
/// # Errors
/// As [`seq`].
pub fn rest(value: &Value) -> Result {
    match seq(value)? {
        Value::List(list) => Ok(list.rest()),
        _ => Ok(Value::list(Vec::new())),
    }
}

/// Everything after the first, or nil when there is nothing.
///
/// # Errors
/// As [`seq`].
pub fn next(value: &Value) -> Result {
    seq(&rest(value)?)
}

pub fn cons(first: Value, rest: Value) -> Value {
    Value::List(Arc::new(List::cons(first, rest)))
}

/// A lazy sequence with this body.
pub fn lazy(body: impl FnOnce() -> Result + Send + 'static) -> Value {
    Value::Lazy(Arc::new(LazySeq::new(body)))
}

/// Makes a sequence that may go on for long one that can be looked at just once, and does not hold
/// what it has given. For what is about to be walked, and not to be used afterwards.
pub(crate) fn let_go(value: &mut Value) {
    let is_long = match value {
        Value::Lazy(_) => true,
        Value::List(list) => list.known_len().is_none(),
        _ => false,
    };
    if is_long {
        *value = Value::Lazy(Arc::new(LazySeq::once(std::mem::take(value))));
    }
}

/// The first piece of a sequence: one element, or those at hand together.
pub enum Piece {
    End,
    One(Value, Value),
    /// Some elements, and the sequence after them.
    Chunk(Vec<Value>, Value),
}

/// Elements that a function of lazy sequences works through at once, as in Clojure.
const CHUNK_LEN: usize = 32;

/// Takes the first piece off a sequence.
///
/// # Errors
/// As [`seq`].
pub fn piece(value: &Value) -> Result<Piece> {
    let Value::List(list) = seq(value)? else {
        return Ok(Piece::End);
    };
    Ok(match &list.cells {
        Cells::Chunk { items, from, rest } => {
            let to = items.len().min(from + CHUNK_LEN);
            let rest = if to < items.len() {
                let cells = Cells::Chunk {
                    items: items.clone(),
                    from: to,
                    rest: rest.clone(),
                };
                Value::List(Arc::new(List {
                    cells,
                    meta: None,
                    span: None,
                }))
            } else {
                rest.clone()
            };
            Piece::Chunk(items[*from..to].to_vec(), rest)
        }
        Cells::Cons { first, rest } => Piece::One(first.clone(), rest.clone()),
        Cells::Array { .. } => Piece::One(list.first().cloned().unwrap_or_default(), list.rest()),
    })
}

/// Walks the elements of anything that `seq` takes. Stops after the first error.
pub fn iter(value: &Value) -> Iter {
    match value {
        Value::Vector(vector) => Iter {
            rest: Value::Nil,
            at: At::Vector(vector.clone(), 0),
        },
        _ => Iter {
            rest: value.clone(),
            at: At::Rest,
        },
    }
}

/// All elements.
///
/// # Errors
/// As [`seq`].
pub fn to_vec(value: &Value) -> Result<Vec<Value>> {
    match value {
        Value::Vector(vector) => Ok(vector.to_vec()),
        Value::List(list) => match list.as_slice() {
            Some(items) => Ok(items.to_vec()),
            None => iter(value).collect(),
        },
        _ => iter(value).collect(),
    }
}

/// See [`iter`].
pub struct Iter {
    rest: Value,
    at: At,
}

enum At {
    Rest,
    Array(Arc<[Value]>, usize),
    Vector(Vector, usize),
}

impl Iter {
    /// What has not been walked yet, as a sequence.
    pub fn into_rest(self) -> Value {
        match self.at {
            At::Rest => self.rest,
            At::Array(items, from) => chunk(items[from..].to_vec(), self.rest),
            At::Vector(vector, from) => {
                chunk(vector.iter().skip(from).cloned().collect(), self.rest)
            }
        }
    }
}

impl Iterator for Iter {
    type Item = Result;

    fn next(&mut self) -> Option<Result> {
        loop {
            let item = match &mut self.at {
                At::Array(items, at) => items.get(*at).map(|item| (item, at)),
                At::Vector(items, at) => items.get(*at).map(|item| (item, at)),
                At::Rest => None,
            };
            if let Some((item, at)) = item {
                *at += 1;
                return Some(Ok(item.clone()));
            }
            self.at = At::Rest;
            match seq(&std::mem::take(&mut self.rest)) {
                Err(thrown) => return Some(Err(thrown)),
                Ok(Value::List(list)) => match &list.cells {
                    Cells::Array { items, from } => self.at = At::Array(items.clone(), *from),
                    Cells::Chunk { items, from, rest } => {
                        self.rest = rest.clone();
                        self.at = At::Array(items.clone(), *from);
                    }
                    Cells::Cons { first, rest } => {
                        self.rest = rest.clone();
                        return Some(Ok(first.clone()));
                    }
                },
                Ok(_) => return None,
            }
        }
    }
}

/// Calls what is not a function but can be called: keywords, maps, sets, vectors, symbols, vars.
pub(crate) fn call_collection(cx: &Cx<'_>, function: &Value, args: &[Value]) -> Result {
    let default = || args.get(1).cloned().unwrap_or_default();
    let arity = |most: usize| {
        let fits = (1..=most).contains(&args.len());
        if fits {
            Ok(())
        } else {
            Err(Thrown::arity(args.len(), &function.class_name()))
        }
    };
    match function {
        Value::Keyword(_) | Value::Symbol(_) => {
            arity(2)?;
            Ok(get(&args[0], function).unwrap_or_else(default))
        }
        Value::Map(map) => {
            arity(2)?;
            Ok(map.get(&args[0]).cloned().unwrap_or_else(default))
        }
        Value::Set(set) => {
            arity(1)?;
            Ok(set.get(&args[0]).cloned().unwrap_or_default())
        }
        Value::Event(_) => {
            arity(2)?;
            Ok(get(function, &args[0]).unwrap_or_else(default))
        }
        Value::Vector(vector) => {
            arity(1)?;
            let Value::Int(index) = args[0] else {
                return Err(Thrown::illegal_argument("Key must be integer"));
            };
            let item = usize::try_from(index)
                .ok()
                .and_then(|index| vector.get(index));
            item.cloned()
                .ok_or_else(|| Thrown::new("java.lang.IndexOutOfBoundsException", ""))
        }
        Value::Var(var) => match var.get() {
            Some(root) => cx.call(&root, args),
            None => Err(Thrown::illegal_state(format!(
                "Attempting to call unbound fn: #'{}/{}",
                var.namespace, var.name
            ))),
        },
        Value::Nil => Err(Thrown::null_pointer("Cannot call nil")),
        _ => Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class clojure.lang.IFn",
            function.class_name()
        ))),
    }
}

/// `(get coll key)`; `None` if it is not there, or `coll` has no keys.
pub fn get(coll: &Value, key: &Value) -> Option<Value> {
    match coll {
        Value::Map(map) => map.get(key).cloned(),
        Value::Event(event) => match key {
            Value::Keyword(key) => crate::event_value::get(event, key),
            _ => None,
        },
        Value::Set(set) => set.get(key).cloned(),
        Value::Vector(vector) => match key {
            Value::Int(index) => vector.get(usize::try_from(*index).ok()?).cloned(),
            _ => None,
        },
        Value::Str(text) => match key {
            Value::Int(index) => text
                .chars()
                .nth(usize::try_from(*index).ok()?)
                .map(Value::Char),
            _ => None,
        },
        Value::Object(object) => object.get(key),
        _ => None,
    }
}
