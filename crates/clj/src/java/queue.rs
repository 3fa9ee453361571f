//! Queues: Java's, which wait for an item, and Clojure's persistent one.

use std::any::Any;
use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::time_unit::duration;
use super::{JavaClass, Static, constructor};
use crate::core::arguments::count;
use crate::object::Kind;
use crate::{Cx, Object, Result, Thrown, Value, Vector, seq};

pub(super) const CLASSES: &[JavaClass] = &[
    queue_class("java.util.concurrent.LinkedBlockingQueue"),
    queue_class("java.util.concurrent.LinkedBlockingDeque"),
    queue_class("java.util.concurrent.ArrayBlockingQueue"),
    queue_class("java.util.concurrent.ConcurrentLinkedQueue"),
    queue_class("java.util.ArrayDeque"),
];

const fn queue_class(name: &'static str) -> JavaClass {
    JavaClass {
        name,
        construct: NEW,
        statics: &[],
        fields: &[],
    }
}

/// Items of a queue that was given no capacity.
const CAPACITY: usize = 1 << 20;

const NEW: Option<Static> = constructor(0, 2, |_, a| {
    let (capacity, items) = match a.first() {
        None => (CAPACITY, Vec::new()),
        Some(Value::Int(_)) => (count(&a[0])?, Vec::new()),
        Some(items) => (CAPACITY, seq::to_vec(items)?),
    };
    Ok(queue(capacity, items.into()))
});

fn queue(capacity: usize, items: VecDeque<Value>) -> Value {
    Value::object(Queue {
        capacity,
        items: Mutex::new(items),
        changed: Condvar::new(),
    })
}

/// A queue of so many items, to ask only how long it is.
pub(super) fn of_len(len: i64) -> Value {
    let len = usize::try_from(len).unwrap_or(0);
    queue(CAPACITY, std::iter::repeat_n(Value::Nil, len).collect())
}

struct Queue {
    capacity: usize,
    items: Mutex<VecDeque<Value>>,
    changed: Condvar,
}

impl Queue {
    /// Adds an item, waiting so long for room.
    fn offer(&self, item: &Value, time: Option<Duration>) -> bool {
        let mut items = self.items.lock();
        let is_full = |items: &mut VecDeque<Value>| items.len() >= self.capacity;
        match time {
            Some(time) => {
                self.changed.wait_while_for(&mut items, is_full, time);
            }
            None => self.changed.wait_while(&mut items, is_full),
        }
        let has_room = !is_full(&mut items);
        if has_room {
            items.push_back(item.clone());
            self.changed.notify_all();
        }
        has_room
    }

    /// Takes the first item, waiting so long for one.
    fn poll(&self, time: Option<Duration>) -> Option<Value> {
        let mut items = self.items.lock();
        match time {
            Some(time) => {
                self.changed
                    .wait_while_for(&mut items, |items| items.is_empty(), time);
            }
            None => self
                .changed
                .wait_while(&mut items, |items| items.is_empty()),
        }
        self.changed.notify_all();
        items.pop_front()
    }

    fn drain(&self) -> Vec<Value> {
        let mut items = self.items.lock();
        self.changed.notify_all();
        items.drain(..).collect()
    }
}

const NOW: Option<Duration> = Some(Duration::ZERO);

fn nothing() -> Thrown {
    Thrown::without_message("java.util.NoSuchElementException")
}

impl Object for Queue {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.concurrent.LinkedBlockingQueue"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.util.Queue"
                | "java.util.Collection"
                | "java.util.concurrent.BlockingQueue"
                | "java.lang.Iterable"
        )
    }

    fn count(&self) -> Option<usize> {
        Some(self.items.lock().len())
    }

    fn seq(&self) -> Option<Result> {
        Some(Ok(Value::list(self.items.lock().iter().cloned().collect())))
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("add", [item]) => match self.offer(item, NOW) {
                true => Ok(Value::Bool(true)),
                false => Err(Thrown::illegal_state("Queue full")),
            },
            ("offer" | "addLast", [item]) => Ok(Value::Bool(self.offer(item, NOW))),
            ("offer", [item, time, unit]) => {
                duration(time, unit).map(|time| Value::Bool(self.offer(item, Some(time))))
            }
            ("put", [item]) => Ok(Value::Bool(self.offer(item, None))).map(|_| Value::Nil),
            ("poll" | "pollFirst", []) => Ok(self.poll(NOW).into()),
            ("poll", [time, unit]) => duration(time, unit).map(|time| self.poll(Some(time)).into()),
            ("take", []) => Ok(self.poll(None).into()),
            ("remove", []) => self.poll(NOW).ok_or_else(nothing),
            ("peek", []) => Ok(self.items.lock().front().cloned().into()),
            ("element", []) => self.items.lock().front().cloned().ok_or_else(nothing),
            ("size", []) => Ok(Value::Int(self.items.lock().len() as i64)),
            ("isEmpty", []) => Ok(Value::Bool(self.items.lock().is_empty())),
            ("contains", [item]) => Ok(Value::Bool(self.items.lock().contains(item))),
            ("remainingCapacity", []) => {
                let free = self.capacity.saturating_sub(self.items.lock().len());
                Ok(Value::Int(free as i64))
            }
            ("clear", []) => {
                self.drain();
                Ok(Value::Nil)
            }
            ("drainTo", [to]) => {
                let drained = self.drain();
                let count = Value::Int(drained.len() as i64);
                super::method(cx, to, "addAll", &[Value::list(drained)]).map(|_| count)
            }
            _ => return None,
        })
    }
}

/// `clojure.lang.PersistentQueue/EMPTY`
pub(super) fn empty_persistent() -> Value {
    Value::object(PersistentQueue {
        front: Value::Nil,
        back: Vector::default(),
    })
}

/// A queue of which each change makes another: items are taken off the front, and added at the
/// back.
pub struct PersistentQueue {
    /// A sequence, or nil; empty only if `back` is.
    front: Value,
    back: Vector,
}

impl PersistentQueue {
    fn items(&self) -> Result<Vec<Value>> {
        let mut items = seq::to_vec(&self.front)?;
        items.extend(self.back.iter().cloned());
        Ok(items)
    }

    /// The first item, or nil.
    ///
    /// # Errors
    /// What the items throw when they are walked.
    pub fn peek(&self) -> Result {
        seq::first(&self.front)
    }

    /// The queue without its first item.
    ///
    /// # Errors
    /// As [`PersistentQueue::peek`].
    pub fn pop(&self) -> Result {
        let rest = seq::next(&self.front)?;
        Ok(Value::object(match rest {
            Value::Nil => PersistentQueue {
                front: seq::seq(&Value::Vector(self.back.clone()))?,
                back: Vector::default(),
            },
            front => PersistentQueue {
                front,
                back: self.back.clone(),
            },
        }))
    }
}

impl Object for PersistentQueue {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.PersistentQueue"
    }

    fn kind(&self) -> Kind {
        Kind::Sequence
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<PersistentQueue>();
        other.is_some_and(|other| self.items().ok() == other.items().ok())
    }

    fn equals_value(&self, other: &Value) -> bool {
        other.is_sequential()
            && self
                .items()
                .is_ok_and(|items| seq::to_vec(other).is_ok_and(|other| items == other))
    }

    fn hash_code(&self) -> Option<u64> {
        use std::hash::BuildHasher;
        let items = Value::list(self.items().unwrap_or_default());
        Some(foldhash::fast::FixedState::default().hash_one(items))
    }

    fn count(&self) -> Option<usize> {
        self.items().ok().map(|items| items.len())
    }

    fn seq(&self) -> Option<Result> {
        Some(self.items().map(Value::list))
    }

    fn conj(&self, item: &Value) -> Option<Result> {
        let changed = match &self.front {
            Value::Nil => PersistentQueue {
                front: Value::list(vec![item.clone()]),
                back: self.back.clone(),
            },
            front => PersistentQueue {
                front: front.clone(),
                back: self.back.push(item.clone()),
            },
        };
        Some(Ok(Value::object(changed)))
    }

    fn empty(&self) -> Option<Value> {
        Some(empty_persistent())
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("peek", []) => Some(self.peek()),
            ("pop", []) => Some(self.pop()),
            _ => None,
        }
    }
}
