//! Where streams put what is to wait in a journal.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use clj::{Cx, Result, Thrown, Value};
use sinks::durable::Backlog;
use streams::{Stream, StreamFn};

use super::entry;

thread_local! {
    /// A record on its way into the journal.
    static RECORD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The way into a queue, which is closed until the configuration is put in force.
pub struct Entrance {
    name: String,
    backlog: OnceLock<Arc<Backlog>>,
}

impl Entrance {
    pub fn new(name: &str) -> Entrance {
        Entrance {
            name: name.to_owned(),
            backlog: OnceLock::new(),
        }
    }

    /// Opens it. Nothing happens if it is open.
    pub fn open(&self, backlog: Arc<Backlog>) {
        let _ = self.backlog.set(backlog);
    }

    pub fn backlog(&self) -> Option<&Arc<Backlog>> {
        self.backlog.get()
    }

    /// Puts a value into the journal, under the route that leads to the stream that was given it.
    ///
    /// # Errors
    /// When the value cannot be written down, or the configuration is still being loaded.
    pub fn put(&self, cx: &Cx<'_>, route: &str, value: &Value) -> Result<()> {
        if value.is_nil() {
            return Ok(());
        }
        let Some(backlog) = self.backlog.get() else {
            return Err(Thrown::illegal_state(format!(
                "the queue {:?} opens when the configuration has loaded",
                self.name
            )));
        };
        let mut record = RECORD.take();
        record.clear();
        let written = entry::write(cx, &mut record, backlog.now_us(), route, value);
        if written.is_ok() {
            backlog.put(&record);
        }
        RECORD.set(record);
        written
    }
}

/// A stream that puts what it is given into a queue.
struct Enter {
    entrance: Arc<Entrance>,
    route: String,
}

/// A stream in the place of the one that a route leads to.
pub fn stream(name: &'static str, entrance: &Arc<Entrance>, route: &[Value]) -> Value {
    StreamFn::value(
        name,
        Enter {
            entrance: entrance.clone(),
            route: Value::vector(route.to_vec()).to_readable(),
        },
    )
}

impl Stream for Enter {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.entrance.put(cx, &self.route, value)?;
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        true
    }
}
