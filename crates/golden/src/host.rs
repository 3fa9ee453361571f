//! A host with nothing outside.

use clj::Host;

/// No files, no environment; time stands still.
pub struct NoHost;

impl Host for NoHost {}
