//! What time it is, and what is to be done when.
//!
//! A [`Clock`] tells the time: [`SystemClock`] the machine's, [`VirtualClock`] the one that a test
//! moves by hand. A [`Scheduler`] keeps tasks in order of their time; either a [`Driver`]'s threads
//! run them as the clock reaches them, or [`VirtualClock::advance`] does, one by one, without waiting.
//!
//! This crate never knows what it schedules, and keeps no global state: whoever needs the time is
//! handed a clock.

mod driver;
mod interval;
mod queue;
mod scheduler;
mod system;
mod task;
mod virtual_clock;

pub use driver::{Driver, PanicHook, THREADS_DEFAULT};
pub use interval::Interval;
pub use scheduler::{Due, Scheduler};
pub use system::SystemClock;
pub use task::{Callback, Task};
pub use virtual_clock::VirtualClock;

use event::Time;

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// The time since 1970, as Riemann's `unix-time`.
    fn now(&self) -> Time;

    /// A time from an arbitrary start that never goes back, as Riemann's `linear-time`.
    fn linear(&self) -> Time;
}
