//! A buffer with a limit: beyond it the oldest go, and are counted.

use clj::{Cx, Result, Thrown, Value};

use crate::{World, fields, limits};

/// How much a stream keeps at most, and its name, under which it counts what it drops.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    name: &'static str,
    max: usize,
}

impl Bound {
    /// What `:max` of the options says, or the usual number of events.
    ///
    /// # Errors
    /// When it is no number above zero.
    pub fn of(name: &'static str, options: &Value) -> Result<Bound> {
        let max = maximum(name, options, limits::EVENTS_MAX)?;
        Ok(Bound { name, max })
    }

    /// The usual number of events.
    pub const fn usual(name: &'static str) -> Bound {
        Bound {
            name,
            max: limits::EVENTS_MAX,
        }
    }

    pub fn max(&self) -> usize {
        self.max
    }

    /// Counts events that were dropped.
    pub fn dropped(&self, cx: &Cx<'_>, count: usize) {
        if let Some(world) = cx.rt.extension::<World>() {
            world.count_dropped(self.name, count);
        }
    }
}

/// The number that `:max` of the options says.
///
/// # Errors
/// When it is no whole number above zero.
pub fn maximum(name: &str, options: &Value, usual: usize) -> Result<usize> {
    match fields::get(options, "max") {
        Value::Nil => Ok(usual),
        Value::Int(max) if max > 0 => Ok(usize::try_from(max).unwrap_or(usize::MAX)),
        other => Err(Thrown::illegal_argument(format!(
            "{name}: :max must be a whole number above 0, not {}",
            other.to_readable()
        ))),
    }
}

/// A map of options before the children, if there is one, and the children.
pub fn options(args: &[Value]) -> (Value, &[Value]) {
    match args {
        [options @ Value::Map(_), children @ ..] => (options.clone(), children),
        children => (Value::Nil, children),
    }
}

/// The most recent items, oldest first.
#[derive(Debug)]
pub struct Recent<T> {
    items: Vec<T>,
    /// Where the oldest is once the limit has been reached.
    oldest: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Recent<T> {
        Recent {
            items: Vec::new(),
            oldest: 0,
        }
    }
}

impl<T> Recent<T> {
    /// Adds an item, in place of the oldest if there are as many as the bound allows.
    pub fn push(&mut self, cx: &Cx<'_>, bound: &Bound, item: T) {
        if self.items.len() < bound.max {
            self.items.push(item);
            return;
        }
        bound.dropped(cx, 1);
        if let Some(oldest) = self.items.get_mut(self.oldest) {
            *oldest = item;
            self.oldest = (self.oldest + 1) % bound.max;
        }
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All of them, oldest first.
    pub fn into_vec(mut self) -> Vec<T> {
        self.items.rotate_left(self.oldest);
        self.items
    }
}
