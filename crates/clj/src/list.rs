//! Lists, and sequences worked out on demand.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::{Map, Result, Span, Value};

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
        List {
            cells: Cells::Cons { first, rest },
            meta: None,
            span: None,
        }
    }

    pub fn is_empty(&self) -> bool {
        match &self.cells {
            Cells::Array { items, from } => *from >= items.len(),
            Cells::Cons { .. } => false,
        }
    }

    pub fn first(&self) -> Option<&Value> {
        match &self.cells {
            Cells::Array { items, from } => items.get(*from),
            Cells::Cons { first, .. } => Some(first),
        }
    }

    /// Everything after the first, possibly an empty list.
    pub fn rest(&self) -> Value {
        match &self.cells {
            Cells::Array { items, from } => {
                let from = (from + 1).min(items.len());
                let cells = Cells::Array {
                    items: items.clone(),
                    from,
                };
                Value::List(Arc::new(List {
                    cells,
                    meta: None,
                    span: None,
                }))
            }
            Cells::Cons {
                rest: Value::Nil, ..
            } => Value::list(Vec::new()),
            Cells::Cons { rest, .. } => rest.clone(),
        }
    }

    /// The items, if this list is an array (as the reader makes them).
    pub fn as_slice(&self) -> Option<&[Value]> {
        match &self.cells {
            Cells::Array { items, from } => Some(&items[*from..]),
            Cells::Cons { .. } => None,
        }
    }
}

/// A long chain of cells is dropped cell by cell: dropping it recursively would use up the stack.
impl Drop for List {
    fn drop(&mut self) {
        let Cells::Cons { rest, .. } = &mut self.cells else {
            return;
        };
        let mut rest = std::mem::take(rest);
        loop {
            rest = match rest {
                Value::List(mut list) => match Arc::get_mut(&mut list) {
                    Some(List {
                        cells: Cells::Cons { rest, .. },
                        ..
                    }) => std::mem::take(rest),
                    _ => return,
                },
                Value::Lazy(mut lazy) => match Arc::get_mut(&mut lazy) {
                    Some(lazy) => match std::mem::replace(lazy.state.get_mut(), State::Busy) {
                        State::Done(value) => value,
                        _ => return,
                    },
                    None => return,
                },
                _ => return,
            }
        }
    }
}

/// A sequence whose body runs once, when first looked at.
pub struct LazySeq {
    state: Mutex<State>,
}

type Thunk = Box<dyn FnOnce() -> Result + Send>;

enum State {
    Waiting(Thunk),
    /// Being worked out; seen only by the body itself, or after its chain was dropped.
    Busy,
    /// The sequence: nil, a list, or another lazy sequence already looked through.
    Done(Value),
}

impl LazySeq {
    pub fn new(body: impl FnOnce() -> Result + Send + 'static) -> LazySeq {
        LazySeq {
            state: Mutex::new(State::Waiting(Box::new(body))),
        }
    }

    /// True once the body has run.
    pub fn is_realized(&self) -> bool {
        matches!(*self.state.lock(), State::Done(_))
    }

    /// What the body gave, running it if need be: any value that `seq` takes. A body that throws
    /// throws again at the next look.
    ///
    /// # Errors
    /// What the body throws.
    pub fn force(&self) -> Result {
        let mut state = self.state.lock();
        match std::mem::replace(&mut *state, State::Busy) {
            State::Done(value) => {
                *state = State::Done(value.clone());
                Ok(value)
            }
            State::Busy => Ok(Value::Nil),
            State::Waiting(body) => match body() {
                Ok(value) => {
                    *state = State::Done(value.clone());
                    Ok(value)
                }
                Err(thrown) => {
                    let again = thrown.clone();
                    *state = State::Waiting(Box::new(move || Err(again)));
                    Err(thrown)
                }
            },
        }
    }
}
