//! A host that has nothing.

use clj::Host;

pub struct Pretend;

impl Host for Pretend {}
