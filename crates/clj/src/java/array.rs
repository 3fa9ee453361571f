//! Java's arrays: of bytes, of anything.

use std::any::Any;

use parking_lot::Mutex;

use super::{JavaClass, member};
use crate::core::arguments::{count, int, not_a};
use crate::{Cx, Object, Result, Thrown, Value, seq};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.util.Arrays",
        construct: None,
        statics: &[
            member("asList", 0, usize::MAX, |_, a| match a {
                [array] if array.downcast::<Array>().is_some() => {
                    Ok(Value::list(seq::to_vec(array)?))
                }
                items => Ok(Value::list(items.to_vec())),
            }),
            member("toString", 1, 1, |_, a| {
                let items: Vec<String> = seq::to_vec(&a[0])?.iter().map(Value::to_text).collect();
                Ok(Value::from(format!("[{}]", items.join(", "))))
            }),
            member("equals", 2, 2, |_, a| {
                Ok(Value::Bool(seq::to_vec(&a[0])? == seq::to_vec(&a[1])?))
            }),
            member("copyOf", 2, 2, |_, a| copy(&a[0], 0, count(&a[1])?)),
            member("copyOfRange", 3, 3, |_, a| {
                copy(&a[0], count(&a[1])?, count(&a[2])?)
            }),
            member("fill", 2, 2, |_, a| {
                array(&a[0])?.items.lock().fill(a[1].clone());
                Ok(Value::Nil)
            }),
        ],
        fields: &[],
    },
    JavaClass {
        name: "java.util.Collections",
        construct: None,
        statics: &[
            member("emptyList", 0, 0, |_, _| Ok(Value::list(Vec::new()))),
            member("emptyMap", 0, 0, |_, _| Ok(Value::map([]))),
            member("singletonList", 1, 1, |_, a| Ok(Value::list(a.to_vec()))),
            member("max", 1, 1, |cx, a| last_sorted(cx, &a[0])),
            member("min", 1, 1, |cx, a| {
                seq::first(&super::core(cx, "sort", std::slice::from_ref(&a[0]))?)
            }),
            member("unmodifiableList", 1, 1, |_, a| {
                Ok(Value::vector(seq::to_vec(&a[0])?))
            }),
        ],
        fields: &[],
    },
];

/// Items that can be changed in place, of a class such as `[B`. Equal only to itself.
pub struct Array {
    class: &'static str,
    items: Mutex<Vec<Value>>,
}

impl Array {
    pub fn new(class: &'static str, items: Vec<Value>) -> Array {
        Array {
            class,
            items: Mutex::new(items),
        }
    }

    /// An array of bytes, each an integer from -128 to 127.
    pub fn of_bytes(bytes: &[u8]) -> Array {
        Array::new(
            "[B",
            bytes
                .iter()
                .map(|byte| Value::Int((*byte as i8).into()))
                .collect(),
        )
    }

    pub fn len(&self) -> usize {
        self.items.lock().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn to_vec(&self) -> Vec<Value> {
        self.items.lock().clone()
    }

    /// The item at an index.
    ///
    /// # Errors
    /// `ArrayIndexOutOfBoundsException`; so also [`Array::set`].
    pub fn at(&self, index: &Value) -> Result {
        let items = self.items.lock();
        let item = usize::try_from(int(index)?)
            .ok()
            .and_then(|index| items.get(index));
        item.cloned()
            .ok_or_else(|| out_of_bounds(index, items.len()))
    }

    pub fn set(&self, index: &Value, item: Value) -> Result<()> {
        let mut items = self.items.lock();
        let len = items.len();
        let place = usize::try_from(int(index)?)
            .ok()
            .and_then(|index| items.get_mut(index));
        *place.ok_or_else(|| out_of_bounds(index, len))? = item;
        Ok(())
    }
}

fn out_of_bounds(index: &Value, len: usize) -> Thrown {
    Thrown::new(
        "java.lang.ArrayIndexOutOfBoundsException",
        format!("Index {} out of bounds for length {len}", index.to_text()),
    )
}

/// The array that a value is.
pub fn array(value: &Value) -> Result<&Array> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "[Ljava.lang.Object;"))
}

/// The bytes of an array of bytes, or the UTF-8 of a text.
pub fn bytes_of(value: &Value) -> Result<Vec<u8>> {
    if let Value::Str(text) = value {
        return Ok(text.as_bytes().to_vec());
    }
    let array: &Array = value.downcast().ok_or_else(|| not_a(value, "[B"))?;
    let items = array.items.lock();
    items
        .iter()
        .map(|item| int(item).map(|int| int as u8))
        .collect()
}

fn copy(value: &Value, from: usize, to: usize) -> Result {
    let array = array(value)?;
    let items = array.items.lock();
    let nothing = match array.class {
        "[B" | "[I" | "[J" | "[S" => Value::Int(0),
        "[D" => Value::Double(0.0),
        _ => Value::Nil,
    };
    let copied = (from..to)
        .map(|index| items.get(index).unwrap_or(&nothing).clone())
        .collect();
    Ok(Value::object(Array::new(array.class, copied)))
}

fn last_sorted(cx: &Cx<'_>, items: &Value) -> Result {
    let sorted = super::core(cx, "sort", std::slice::from_ref(items))?;
    Ok(seq::to_vec(&sorted)?.pop().unwrap_or_default())
}

impl Object for Array {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        self.class
    }

    fn count(&self) -> Option<usize> {
        Some(self.len())
    }

    fn get(&self, key: &Value) -> Option<Value> {
        matches!(key, Value::Int(_))
            .then(|| self.at(key).ok())
            .flatten()
    }

    fn seq(&self) -> Option<Result> {
        Some(Ok(Value::list(self.to_vec())))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("length", []) => Some(Ok(Value::Int(self.len() as i64))),
            ("clone", []) => Some(Ok(Value::object(Array::new(self.class, self.to_vec())))),
            _ => None,
        }
    }
}
