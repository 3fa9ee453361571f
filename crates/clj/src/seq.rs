//! Sequences: first, rest, and walking anything that has elements.

use std::sync::Arc;

use crate::list::Cells;
use crate::{Cx, LazySeq, List, Result, Thrown, Value};

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
            _ => return array_seq(&value),
        }
    }
}

fn array_seq(value: &Value) -> Result {
    let pair = |(key, value): (&Value, &Value)| Value::vector(vec![key.clone(), value.clone()]);
    let items: Vec<Value> = match value {
        Value::Vector(vector) => vector.iter().cloned().collect(),
        Value::Map(map) => map.iter().map(pair).collect(),
        Value::Set(set) => set.iter().cloned().collect(),
        Value::Str(text) => text.chars().map(Value::Char).collect(),
        Value::Event(event) => crate::event_value::entries(event)
            .map(|(key, value)| Value::vector(vec![key, value]))
            .collect(),
        _ => return Err(not_seqable(value)),
    };
    Ok(if items.is_empty() {
        Value::Nil
    } else {
        Value::list(items)
    })
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

/// Walks the elements of anything that `seq` takes. Stops after the first error.
pub fn iter(value: &Value) -> Iter {
    Iter {
        rest: value.clone(),
        array: None,
    }
}

/// All elements.
///
/// # Errors
/// As [`seq`].
pub fn to_vec(value: &Value) -> Result<Vec<Value>> {
    match value {
        Value::Vector(vector) => Ok(vector.iter().cloned().collect()),
        _ => iter(value).collect(),
    }
}

/// See [`iter`].
pub struct Iter {
    rest: Value,
    array: Option<(Arc<[Value]>, usize)>,
}

impl Iterator for Iter {
    type Item = Result;

    fn next(&mut self) -> Option<Result> {
        loop {
            if let Some((items, at)) = &mut self.array {
                if let Some(item) = items.get(*at) {
                    *at += 1;
                    return Some(Ok(item.clone()));
                }
                return None;
            }
            match seq(&std::mem::take(&mut self.rest)) {
                Err(thrown) => return Some(Err(thrown)),
                Ok(Value::List(list)) => match &list.cells {
                    Cells::Array { items, from } => self.array = Some((items.clone(), *from)),
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
        Value::Var(var) => match var.root() {
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
