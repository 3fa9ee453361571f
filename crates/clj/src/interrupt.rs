//! Stopping code that runs on another thread, at its next call or turn of a loop.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::{Result, Thrown};

/// Interrupts of bodies that have not ended. Zero nearly always, which is all that running code looks
/// at.
static INTERRUPTED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static CURRENT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// Stops a body that runs under it.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Flag>);

#[derive(Default)]
struct Flag(AtomicBool);

impl Interrupt {
    /// Stops the body, now or when it begins.
    pub fn interrupt(&self) {
        if !self.0.0.swap(true, Ordering::Relaxed) {
            INTERRUPTED.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Runs a body that can be interrupted, once.
    pub fn run<R>(self, body: impl FnOnce() -> R) -> R {
        let _scope = Scope(CURRENT.replace(Some(self)));
        body()
    }
}

impl Drop for Flag {
    fn drop(&mut self) {
        if *self.0.get_mut() {
            INTERRUPTED.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Puts back what was around a body, also when it panics.
struct Scope(Option<Interrupt>);

impl Drop for Scope {
    fn drop(&mut self) {
        drop(CURRENT.replace(self.0.take()));
    }
}

/// Stops code that has been interrupted.
///
/// # Errors
/// `java.lang.ThreadDeath`, at every check until the body has ended.
#[inline]
pub fn check() -> Result<()> {
    if INTERRUPTED.load(Ordering::Relaxed) == 0 {
        return Ok(());
    }
    check_this_thread()
}

#[cold]
fn check_this_thread() -> Result<()> {
    let stopped = CURRENT.with_borrow(|current| {
        let flag = current.as_ref().map(|interrupt| &interrupt.0.0);
        flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    });
    match stopped {
        true => Err(Thrown::without_message("java.lang.ThreadDeath")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_interrupted_body_stops() {
        let (mine, other) = (Interrupt::default(), Interrupt::default());
        mine.clone().run(|| {
            assert!(check().is_ok());
            other.interrupt();
            assert!(check().is_ok());
            mine.interrupt();
            assert!(check().is_err());
            assert!(check().is_err());
        });
        assert!(check().is_ok());
    }
}
