//! Structures nested deeper than the stack: walked on more stack, dropped level by level.

use std::cell::{Cell, RefCell};

use crate::{Result, Thrown, interrupt};

/// Stack left below which a walk goes on on a new piece.
const RED_ZONE_BYTES: usize = 128 * 1024;
/// Size of a new piece.
const PIECE_BYTES: usize = 2 * 1024 * 1024;
/// Stack left below which running code is stopped, as Java's StackOverflowError.
const RESERVE_BYTES: usize = 256 * 1024;
/// Levels dropped by plain recursion, which take some 100 KiB of stack at most.
const DROP_LEVELS_MAX: u32 = 256;

/// Runs a step of a recursive walk over a value, on more stack if need be.
pub(crate) fn with_stack<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE_BYTES, PIECE_BYTES, step)
}

/// Stops code that has recursed too deep, or been interrupted.
///
/// # Errors
/// `java.lang.StackOverflowError` when little of the stack is left; as [`interrupt::check`].
pub fn check_stack() -> Result<()> {
    interrupt::check()?;
    match stacker::remaining_stack() {
        Some(left) if left < RESERVE_BYTES => {
            Err(Thrown::without_message("java.lang.StackOverflowError"))
        }
        _ => Ok(()),
    }
}

type Thing = Box<dyn Send>;

thread_local! {
    static LEVEL: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Thing>> = const { RefCell::new(Vec::new()) };
}

/// Drops something that may hold others of its kind. Beyond a number of levels it is set aside, and
/// dropped when the outermost is done.
pub(crate) fn drop_nested<T: Send + 'static>(thing: T) {
    let level = LEVEL.try_with(Cell::get).unwrap_or(0);
    if level >= DROP_LEVELS_MAX {
        let _ = WAITING.try_with(|waiting| waiting.borrow_mut().push(Box::new(thing)));
        return;
    }
    let _ = LEVEL.try_with(|cell| cell.set(level + 1));
    drop(thing);
    if level == 0 {
        while let Some(thing) = next_waiting() {
            drop(thing);
        }
    }
    let _ = LEVEL.try_with(|cell| cell.set(level));
}

fn next_waiting() -> Option<Thing> {
    WAITING
        .try_with(|waiting| waiting.borrow_mut().pop())
        .ok()
        .flatten()
}
