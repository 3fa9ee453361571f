//! `riemann.keenio`: whole events at Keen IO.

use clj::{Cx, Native, Result, Value};
use sinks::keenio::{Entry, KeenIo};

use super::options::text;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "keenio";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([collection project-id write-key])",
    doc: "A stream that sends events, with all their fields, to a collection at Keen IO.",
    arity: (3, Some(3)),
    code: keenio,
}];

fn keenio(cx: &Cx<'_>, args: &[Value]) -> Result {
    let target = KeenIo::new(text(&args[0]), text(&args[1]), text(&args[2]));
    let outlet = cx.get::<Outlets>()?.http(NAME, args, target)?;
    Ok(sink::of_events(NAME, &outlet, |event| {
        Some(Entry::new(event))
    }))
}
