//! An append-only journal of records with named subscribers, each with its own checkpoint.
//!
//! A record is bytes; the journal never looks into one. It keeps records in the order in which
//! they came, under ids that go up by one, in files called segments. Each subscriber reads at its
//! own pace and stores how far it is; a segment goes when all have passed it. `FORMAT.md` draws
//! the files.
//!
//! The crate knows no clock: where time matters it is an argument. It reaches the disk through
//! [`disk::Disk`] alone, so that a test can crash it at every step.
//!
//! Start at [`Journal`]; what survives which crash is told at [`Durability`].

mod block;
mod buffer;
mod commit;
pub mod disk;
mod error;
mod id;
mod journal;
pub mod limits;
mod misnamed;
mod options;
mod packed;
mod reader;
mod record;
mod recovery;
pub mod region;
mod retention;
mod scan;
mod segment;
mod settings;
mod shared;
mod stats;
mod subscriber;
mod table;
mod verify;
mod writer;

pub use error::{Damage, Error, Result, lacks_room};
pub use id::Id;
pub use journal::Journal;
pub use options::{Compression, Durability, Mode, Now, Options, Retention, Start};
pub use reader::{Batch, OnDamage, Reader};
pub use recovery::Recovery;
pub use settings::Settings;
pub use stats::{Stats, SubscriberStats};
pub use verify::{Repaired, Verified, repair, verify};
