//! `riemann.transport.graphite` and `.opentsdb`: what their lines say.

use std::sync::OnceLock;

use clj::{Cx, Exception, Map, Native, Thrown, Value};
use codec::opentsdb::Command;
use codec::{graphite, opentsdb};
use parking_lot::Mutex;

/// Natives of `riemann.transport.graphite`.
pub const GRAPHITE: &[Native] = &[Native {
    name: "decode-graphite-line",
    arglists: "([line] [line tags?])",
    doc: "The event of a line \"name value seconds\"; with tags?, name;key=value has attributes. Throws \
          what is wrong with it, as a string that try+ catches.",
    arity: (1, Some(2)),
    code: |_: &Cx<'_>, args| {
        let tags = args.get(1).is_some_and(Value::truthy);
        let draft = graphite::parse_line(args[0].as_str().unwrap_or_default(), tags);
        let draft = draft.map_err(|error| malformed(&error.to_string()))?;
        Ok(Value::Event(draft.build()))
    },
}];

/// Natives of `riemann.transport.opentsdb`.
pub const OPENTSDB: &[Native] = &[Native {
    name: "decode-opentsdb-line",
    arglists: "([line])",
    doc: "The event of a line \"put name seconds value key=value…\". Throws what is wrong with it, as \
          a string that try+ catches.",
    arity: (1, Some(1)),
    code: |_: &Cx<'_>, args| match opentsdb::parse_line(args[0].as_str().unwrap_or_default()) {
        Ok(Command::Put(draft)) => Ok(Value::Event(draft.build())),
        Ok(Command::Version) => Err(malformed("no event")),
        Err(opentsdb::LineError::Put(error)) => Err(malformed(error)),
        Err(error) => Err(malformed(&error.to_string())),
    },
}];

/// As slingshot throws a string.
fn malformed(error: &str) -> Thrown {
    Thrown::from_value(Value::object(Exception {
        class: "clojure.lang.ExceptionInfo".into(),
        message: Some(error.into()),
        data: Some(Map::from_iter([(
            Value::keyword("object"),
            Value::str(error),
        )])),
        cause: None,
        hint: OnceLock::new(),
        trace: Mutex::default(),
    }))
}
