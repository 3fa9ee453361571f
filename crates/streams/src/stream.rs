//! A node of the stream graph, and its face in the language.

use std::any::Any;
use std::sync::Arc;

use clj::{Callable, Cx, Native, Result, Thrown, Value};

use crate::filter::Filter;
use crate::keep::{self, Kept};
use crate::{Batch, Selection};

/// A node of the stream graph.
pub trait Stream: Send + Sync {
    /// One value, as a configuration function calls it. Returns what Riemann's returns.
    ///
    /// # Errors
    /// What the stream itself throws; what its children throw is caught before.
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result;

    /// The chosen events of a batch, in order; same effect as `call` on each.
    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        for index in chosen.iter() {
            if let Err(thrown) = self.call(cx, batch.value(index)) {
                batch.fail(cx, index, batch.name(), thrown);
            }
        }
    }

    /// True if all that this stream and those below it do stays inside them, so that it cannot be
    /// told whether a sibling saw an event before or after this one. False for what ends in
    /// functions of the configuration.
    fn is_contained(&self) -> bool {
        false
    }

    /// Takes out the state, for the stream in its place in the next configuration; nothing where
    /// there is none. No event comes after that.
    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        None
    }

    /// Goes on with the state that the stream in its place in the last configuration kept, before the
    /// first event comes.
    ///
    /// # Errors
    /// Why it does not fit; the stream begins anew.
    fn adopt(&self, _: &Cx<'_>, _: Kept) -> std::result::Result<(), String> {
        Ok(())
    }

    /// The filter that this stream is, if it is one.
    fn as_filter(&self) -> Option<&Filter> {
        None
    }
}

/// A stream as a function of the language.
pub struct StreamFn {
    name: &'static str,
    stream: Arc<dyn Stream>,
}

impl StreamFn {
    /// A stream as a callable; `name` is what errors call it.
    pub fn new(name: &'static str, stream: impl Stream + 'static) -> StreamFn {
        let stream: Arc<dyn Stream> = Arc::new(stream);
        keep::note(name, &stream);
        StreamFn { name, stream }
    }

    /// The function value of a stream; `name` is what errors call it.
    pub fn value(name: &'static str, stream: impl Stream + 'static) -> Value {
        Value::Fn(Arc::new(StreamFn::new(name, stream)))
    }

    pub fn stream(&self) -> &Arc<dyn Stream> {
        &self.stream
    }

    pub(crate) fn static_name(&self) -> &'static str {
        self.name
    }

    /// The stream behind a value, if it is one: a function, or an object that is called as one.
    pub fn of(value: &Value) -> Option<&StreamFn> {
        match value {
            Value::Fn(callable) => callable.as_any().downcast_ref(),
            Value::Object(object) => object.as_callable()?.as_any().downcast_ref(),
            _ => None,
        }
    }
}

impl Callable for StreamFn {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        match args {
            [value] => self.stream.call(cx, value),
            _ => Err(Thrown::arity(args.len(), self.name)),
        }
    }

    fn name(&self) -> Option<&str> {
        Some(self.name)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The entry of an operator in `riemann.streams`, of at least `fewest` arguments.
pub(crate) const fn operator(
    name: &'static str,
    arglists: &'static str,
    fewest: usize,
    code: clj::NativeFn,
    doc: &'static str,
) -> Native {
    Native {
        name,
        arglists,
        doc,
        arity: (fewest, None),
        code,
    }
}

/// The entry of a function of a fixed number of arguments, or a range of numbers.
pub(crate) const fn function(
    name: &'static str,
    arglists: &'static str,
    arity: (usize, usize),
    code: clj::NativeFn,
    doc: &'static str,
) -> Native {
    Native {
        name,
        arglists,
        doc,
        arity: (arity.0, Some(arity.1)),
        code,
    }
}
