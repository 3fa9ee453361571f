//! Where messages are stored: a module a store.

mod count;
mod file;
mod journal;
mod redis;
mod riemann;

pub use self::count::CountStore;
pub use self::file::FileStore;
pub use self::journal::JournalStore;
pub use self::redis::{RedisStore, RedisWay};
pub use self::riemann::RiemannStore;

use crate::{Batch, PipeError};

/// Takes messages for good.
pub trait Store: Send {
    /// Stores all messages of a batch. `origin` and the batch's numbers name them: the same
    /// message has the same name when it comes again.
    ///
    /// # Errors
    /// They are not stored, or not all: the same batch comes again.
    fn store(&mut self, batch: &Batch, origin: &str) -> Result<(), PipeError>;
}
