//! Runs the text tests of `spec/`.
//!
//! A file is steps parted by empty lines: a command, its input, `----`, and the output. With `UPDATE=1`
//! in the environment outputs are rewritten instead of compared; the diff is reviewed as code is.
//!
//! ```text
//! # What is tested, in a sentence that could stand in the manual.
//! streams
//! (rate 1 (tap out))
//! ----
//!
//! send
//! @0 service=foo metric=1
//! @0.5 service=bar metric=1
//! @1 service=baz metric=1
//! ----
//! out @1 service=bar metric=2
//! ```
//!
//! | command | input | output |
//! |---|---|---|
//! | `streams` | forms; those that give functions are the streams. The clock goes back to 0 | an error |
//! | `send` | events, each at its `@seconds`, to which the clock moves before | effects |
//! | `wait S` | none; the clock moves on by S seconds | effects |
//! | `eval` | forms | the value of each |
//!
//! An event is `field=value` by `field=value`, its time the time it is sent at unless it says
//! another; or any form of the language. An effect is what came to a `(tap name)`, an exception that
//! was reported, or one that ended the way of an event.

mod effects;
mod event_text;
mod file;
mod host;
mod session;

pub use file::check_folder;
