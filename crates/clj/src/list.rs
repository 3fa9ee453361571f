//! Lists, and sequences worked out on demand.

use std::cell::RefCell;
use std::sync::Arc;

use parking_lot::ReentrantMutex;

use crate::{Map, Result, Span, Thrown, Value, deep};

/// A list or any realised sequence: an array seen from an offset, or one item before another
/// sequence.
pub struct List {
    pub cells: Cells,
    pub meta: Option<Map>,
    /// Where the reader found it.
    pub span: Option<Span>,
}

#[derive(Clone)]
pub enum Cells {
    /// The items from `from` on; empty when `from` is the length.
    Array { items: Arc<[Value]>, from: usize },
    /// The items from `from` on, at least one, then the sequence `rest`. Functions of lazy
    /// sequences work through such a chunk at once, as Clojure does for vectors and ranges.
    Chunk {
        items: Arc<[Value]>,
        from: usize,
        rest: Value,
    },
    /// `rest` is a sequence: a list, a lazy one, or nil.
    Cons { first: Value, rest: Value },
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> List {
        List {
            cells: Cells::Array {
                items: items.into(),
                from: 0,
            },
            meta: None,
            span: None,
        }
    }
}

impl List {
    pub fn cons(first: Value, rest: Value) -> List {
        List::of(Cells::Cons { first, rest })
    }

    /// `items`, at least one, then the sequence `rest`.
    pub fn chunk(items: Arc<[Value]>, rest: Value) -> List {
        List::of(Cells::Chunk {
            items,
            from: 0,
            rest,
        })
    }

    fn of(cells: Cells) -> List {
        List {
            cells,
            meta: None,
            span: None,
        }
    }

    pub fn is_empty(&self) -> bool {
        match &self.cells {
            Cells::Array { items, from } => *from >= items.len(),
            Cells::Chunk { .. } | Cells::Cons { .. } => false,
        }
    }

    pub fn first(&self) -> Option<&Value> {
        match &self.cells {
            Cells::Array { items, from } | Cells::Chunk { items, from, .. } => items.get(*from),
            Cells::Cons { first, .. } => Some(first),
        }
    }

    /// Everything after the first, possibly an empty list.
    pub fn rest(&self) -> Value {
        let cells = match &self.cells {
            Cells::Array { items, from } => Cells::Array {
                items: items.clone(),
                from: (from + 1).min(items.len()),
            },
            Cells::Chunk { items, from, rest } if from + 1 < items.len() => Cells::Chunk {
                items: items.clone(),
                from: from + 1,
                rest: rest.clone(),
            },
            Cells::Chunk {
                rest: Value::Nil, ..
            }
            | Cells::Cons {
                rest: Value::Nil, ..
            } => {
                return Value::list(Vec::new());
            }
            Cells::Chunk { rest, .. } | Cells::Cons { rest, .. } => return rest.clone(),
        };
        Value::List(Arc::new(List::of(cells)))
    }

    /// The items, if this list is an array (as the reader makes them).
    pub fn as_slice(&self) -> Option<&[Value]> {
        match &self.cells {
            Cells::Array { items, from }
            | Cells::Chunk {
                items,
                from,
                rest: Value::Nil,
            } => Some(&items[*from..]),
            Cells::Chunk { .. } | Cells::Cons { .. } => None,
        }
    }

    /// The number of items, where it is known without walking.
    pub fn known_len(&self) -> Option<usize> {
        self.as_slice().map(<[Value]>::len)
    }

    #[must_use]
    pub fn with_meta(&self, meta: Option<Map>) -> List {
        List {
            cells: self.cells.clone(),
            meta,
            span: self.span.clone(),
        }
    }
}

/// A long chain of cells is dropped cell by cell: dropping it recursively would use up the stack.
impl Drop for List {
    fn drop(&mut self) {
        let none = Cells::Cons {
            first: Value::Nil,
            rest: Value::Nil,
        };
        let Some(mut rest) = drop_cells(std::mem::replace(&mut self.cells, none)) else {
            return;
        };
        loop {
            let next = match &mut rest {
                Value::List(list) => Arc::get_mut(list).and_then(|list| {
                    let none = Cells::Cons {
                        first: Value::Nil,
                        rest: Value::Nil,
                    };
                    drop_cells(std::mem::replace(&mut list.cells, none))
                }),
                Value::Lazy(lazy) => Arc::get_mut(lazy).and_then(LazySeq::take_value),
                _ => None,
            };
            match next {
                Some(next) => rest = next,
                None => {
                    if !matches!(rest, Value::Nil) {
                        deep::drop_nested(rest);
                    }
                    return;
                }
            }
        }
    }
}

/// Drops the items of a cell and gives what comes after them.
fn drop_cells(cells: Cells) -> Option<Value> {
    let is_flat = |value: &Value| {
        matches!(
            value,
            Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Double(_) | Value::Keyword(_)
        )
    };
    match cells {
        Cells::Cons { first, rest } => {
            if !is_flat(&first) {
                deep::drop_nested(first);
            }
            Some(rest)
        }
        Cells::Chunk { items, rest, .. } => {
            deep::drop_nested(items);
            Some(rest)
        }
        Cells::Array { items, .. } => {
            deep::drop_nested(items);
            None
        }
    }
}

/// A sequence whose body runs once, when first looked at.
pub struct LazySeq {
    state: ReentrantMutex<RefCell<State>>,
}

type Thunk = Box<dyn FnOnce() -> Result + Send>;

enum State {
    Waiting(Thunk),
    /// Is given at the first look, and not kept.
    Once(Value),
    /// Being worked out; seen only by the body itself.
    Busy,
    /// The sequence: nil, or any value that `seq` takes.
    Done(Value),
}

impl LazySeq {
    pub fn new(body: impl FnOnce() -> Result + Send + 'static) -> LazySeq {
        LazySeq {
            state: ReentrantMutex::new(RefCell::new(State::Waiting(Box::new(body)))),
        }
    }

    /// A sequence that can be looked at just once.
    pub(crate) fn once(value: Value) -> LazySeq {
        LazySeq {
            state: ReentrantMutex::new(RefCell::new(State::Once(value))),
        }
    }

    /// True once the body has run.
    pub fn is_realized(&self) -> bool {
        matches!(*self.state.lock().borrow(), State::Done(_))
    }

    /// What the body gave, running it if need be: any value that `seq` takes. A body that throws
    /// throws again at the next look.
    ///
    /// # Errors
    /// What the body throws; `StackOverflowError` when sequences are nested too deep, or one needs
    /// itself.
    pub fn force(&self) -> Result {
        let state = self.state.lock();
        if let State::Done(value) = &*state.borrow() {
            return Ok(value.clone());
        }
        deep::check_stack()?;
        let waiting = state.replace(State::Busy);
        let body = match waiting {
            State::Waiting(body) => body,
            State::Once(value) => return Ok(value),
            State::Busy | State::Done(_) => {
                return Err(Thrown::without_message("java.lang.StackOverflowError"));
            }
        };
        match body() {
            Ok(value) => {
                state.replace(State::Done(value.clone()));
                Ok(value)
            }
            Err(thrown) => {
                let again = thrown.clone();
                state.replace(State::Waiting(Box::new(move || Err(again))));
                Err(thrown)
            }
        }
    }

    fn take_value(&mut self) -> Option<Value> {
        match self.state.get_mut().replace(State::Busy) {
            State::Done(value) => Some(value),
            other => {
                deep::drop_nested(other);
                None
            }
        }
    }
}

/// As for [`List`]: a body holds the sequence it is made from.
impl Drop for LazySeq {
    fn drop(&mut self) {
        match self.state.get_mut().replace(State::Busy) {
            State::Busy | State::Done(Value::Nil) => {}
            other => deep::drop_nested(other),
        }
    }
}
