//! Sinks whose protocol is not in this build: a configuration with them loads, and what they are
//! given throws.

use clj::{Native, Result, Thrown, Value, closure};

use super::options::Options;

pub const KAFKA: &[Native] = &[Native {
    name: "kafka",
    arglists: "([] [options])",
    doc: "A function of a topic that gives a stream. Not in this build: events that come throw.",
    arity: (0, Some(1)),
    code: |_, args| streams("kafka", args),
}];

pub const RABBITMQ: &[Native] = &[Native {
    name: "rabbitmq",
    arglists: "([] [options])",
    doc: "A function of options that gives a stream. Not in this build: events that come throw.",
    arity: (0, Some(1)),
    code: |_, args| streams("rabbitmq", args),
}];

/// A function of anything that gives a stream.
fn streams(name: &'static str, args: &[Value]) -> Result {
    for options in args {
        Options::read(name, options)?;
    }
    Ok(closure::function(name, move |_, _| {
        Ok(stream(
            name,
            &format!("{name}: not available in this build of cauchy"),
        ))
    }))
}

/// A stream that throws.
pub fn stream(name: &'static str, message: &str) -> Value {
    let message = message.to_owned();
    closure::function(name, move |_, _| {
        Err(Thrown::new(
            "java.lang.UnsupportedOperationException",
            message.clone(),
        ))
    })
}
