//! History: samples of series, kept in compressed blocks, rolled up with their histograms.
//!
//! A [`Sample`] is a number, a histogram or a text of a [`Series`] at a time. Samples go into the
//! head, which a journal protects; [`Store::tick`] seals them into batches of immutable blocks,
//! one bucket of time each, merges batches, and rolls buckets that have settled up into [`Cell`]s
//! of a minute and of half an hour. Samples are a set: late ones and those out of order find their
//! place, and the same one twice is one. `FORMAT.md` draws the files.
//!
//! - [`Store::open`], [`Store::append`], [`Store::tick`] from a thread of the caller's.
//! - [`Store::samples`] and [`Store::cells`] answer a [`Query`] by calling back, one series after
//!   the other; a callback that breaks off cancels. [`Store::series`] lists names.
//! - [`verify`] looks at every byte of a folder; every read looks at its checksums.
//!
//! The crate knows no clock: where time matters it is an argument. It reaches the disk through
//! the journal's `Disk` alone, so that a test can crash it at every step; blocks stand on the small
//! interface [`Blocks`].

mod bins;
mod bits;
mod block;
mod blocks;
mod cell;
mod chosen;
mod closed;
mod column;
mod dense;
mod dictionary;
mod error;
mod export;
mod file_reader;
mod file_writer;
mod files;
mod gather;
mod head;
mod info;
mod layout;
pub mod limits;
mod memory;
mod mend;
mod options;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet_file;
mod query;
mod record;
mod seal;
mod series;
mod snapshot;
mod stats;
mod steps;
mod store;
mod sum;
mod upkeep;
mod value;
mod verify;
mod view;

pub use block::Packed;
pub use blocks::{Batch, Blocks, EachFound, Found, NextBlock, Period, Wanted};
pub use cell::Cell;
pub use chosen::Chosen;
pub use error::{Damage, Error, Result};
pub use export::{export, import};
pub use info::{Info, info};
pub use memory::MemoryBlocks;
pub use mend::Scrubbed;
pub use options::{Keep, Options};
#[cfg(feature = "parquet")]
pub use parquet_file::{export_parquet, import_parquet};
pub use query::{Answered, Query};
pub use series::Series;
pub use snapshot::roll_back;
pub use stats::{Recovery, Stats};
pub use store::Store;
pub use value::{Sample, Value};
pub use verify::{Verified, verify};
