//! The stream operators and folds of Riemann, native; one operator, one file.
//!
//! A configuration builds streams by calling the functions of `riemann.streams`; each gives a
//! function value that wraps a [`Stream`]. Events go through it one by one ([`Stream::call`]), as
//! any function takes them, or by the [`Batch`] they were received in ([`Stream::push`]), with the
//! same effect.
//!
//! Start with `ops/`, where each file is one operator. What all of them share: [`Children`] calls
//! what comes next and catches what it throws, [`Pred`] tests an event wherever it lies, [`World`]
//! tells the time and runs tasks.
//!
//! This crate never does I/O and never starts a thread.

pub mod arithmetic;
pub mod batch;
pub mod bindings;
pub mod bins;
pub mod children;
pub mod distribution;
pub mod fields;
pub mod filter;
pub mod folds;
pub mod forms;
mod install;
pub mod keep;
pub mod limits;
pub mod macros;
pub mod ops;
pub mod past;
pub mod periodic;
pub mod planner;
pub mod predicate;
pub mod recent;
pub mod rescue;
pub mod rewrite;
pub mod samples;
pub mod selection;
mod siblings;
pub mod stream;
pub mod striped;
pub mod timer;
pub mod top_level;
pub mod window;
pub mod world;

pub use batch::Batch;
pub use children::Children;
pub use install::{FOLDS, INTERNAL, MACROS, OPERATORS, install};
pub use past::Past;
pub use predicate::Pred;
pub use selection::Selection;
pub use stream::{Stream, StreamFn};
pub use top_level::{Failures, TopLevel};
pub use world::World;
