//! The sinks that a configuration can name.

use clj::Runtime;

/// Defines the constructors of all sinks.
pub fn install(rt: &Runtime) {
    let _ = rt;
}
