//! Values that dynamic vars have on the current thread.

use std::cell::RefCell;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::{Value, Var};

/// All bindings in effect on a thread, to be carried to another.
#[derive(Clone, Default)]
pub struct Bindings(Option<Arc<Layer>>);

/// The vars of one `binding`, over those around it. The cells are shared with threads that the
/// bindings were carried to.
struct Layer {
    cells: Vec<(Arc<Var>, Arc<Mutex<Value>>)>,
    below: Bindings,
}

thread_local! {
    static CURRENT: RefCell<Bindings> = RefCell::default();
}

/// Runs `body` with vars bound.
pub fn with<R>(vars: Vec<(Arc<Var>, Value)>, body: impl FnOnce() -> R) -> R {
    let cells = vars
        .into_iter()
        .map(|(var, value)| (var, Arc::new(Mutex::new(value))))
        .collect();
    within(
        Bindings(Some(Arc::new(Layer {
            cells,
            below: capture(),
        }))),
        body,
    )
}

/// Binds vars until [`pop`], or until the `with` around it ends.
pub fn push(vars: Vec<(Arc<Var>, Value)>) {
    let cells = vars
        .into_iter()
        .map(|(var, value)| (var, Arc::new(Mutex::new(value))))
        .collect();
    let below = capture();
    drop(CURRENT.replace(Bindings(Some(Arc::new(Layer { cells, below })))));
}

/// Undoes the last [`push`]; false if nothing is bound.
pub fn pop() -> bool {
    let Some(layer) = capture().0 else {
        return false;
    };
    drop(CURRENT.replace(layer.below.clone()));
    true
}

/// Runs `body` with bindings captured before, perhaps on another thread.
pub fn within<R>(bindings: Bindings, body: impl FnOnce() -> R) -> R {
    let _restore = Restore(CURRENT.replace(bindings));
    body()
}

/// The bindings in effect.
pub fn capture() -> Bindings {
    CURRENT.with_borrow(Bindings::clone)
}

/// The value that a var is bound to on this thread.
pub fn lookup(var: &Var) -> Option<Value> {
    CURRENT.with_borrow(|current| Some(current.find(var)?.lock().clone()))
}

/// Changes what a var is bound to on this thread; false if it is not bound.
pub fn set(var: &Var, value: Value) -> bool {
    match CURRENT.with_borrow(|current| current.find(var)) {
        Some(cell) => {
            let old = std::mem::replace(&mut *cell.lock(), value);
            drop(old);
            true
        }
        None => false,
    }
}

/// Every bound var with its value.
pub fn all() -> Vec<(Arc<Var>, Value)> {
    let mut found: Vec<(Arc<Var>, Value)> = Vec::new();
    let mut current = capture();
    while let Some(layer) = current.0 {
        for (var, cell) in &layer.cells {
            if !found.iter().any(|(known, _)| Arc::ptr_eq(known, var)) {
                found.push((var.clone(), cell.lock().clone()));
            }
        }
        current = layer.below.clone();
    }
    found
}

impl Bindings {
    fn find(&self, var: &Var) -> Option<Arc<Mutex<Value>>> {
        let mut current = self;
        while let Some(layer) = &current.0 {
            let cell = layer
                .cells
                .iter()
                .find(|(bound, _)| std::ptr::eq(&**bound, var));
            if let Some((_, cell)) = cell {
                return Some(cell.clone());
            }
            current = &layer.below;
        }
        None
    }
}

/// Puts back what was bound before, also when `body` panics.
struct Restore(Bindings);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_nest_and_travel() {
        let var = Arc::new(Var::new("user", "*x*"));
        let value = |int| vec![(var.clone(), Value::Int(int))];
        with(value(1), || {
            with(value(2), || assert_eq!(lookup(&var), Some(Value::Int(2))));
            assert_eq!(lookup(&var), Some(Value::Int(1)));
            let captured = capture();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    assert_eq!(lookup(&var), None);
                    within(captured, || assert_eq!(lookup(&var), Some(Value::Int(1))));
                });
            });
            assert!(set(&var, Value::Int(5)));
            assert_eq!(lookup(&var), Some(Value::Int(5)));
        });
        assert_eq!(lookup(&var), None);
        assert!(!set(&var, Value::Nil));
    }
}
