//! `riemann.librato`: metrics and annotations at Librato.

use clj::{Cx, Native, Result, Value};
use sinks::librato::{Entry, Librato, Settings};

use super::options::text;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "librato";

pub const NATIVES: &[Native] = &[Native {
    name: "librato-metrics",
    arglists: "([user api-key] [user api-key connections])",
    doc: "A map of streams: :gauge and :counter send the metric of one event or several; \
          :annotation tells of an event; :start-annotation opens an annotation, which \
          :end-annotation closes for an event of the same host and service. Options of connections \
          are not used.",
    arity: (2, Some(3)),
    code: librato,
}];

fn librato(cx: &Cx<'_>, args: &[Value]) -> Result {
    let outlets = cx.get::<Outlets>()?;
    let outlet = outlets.open(NAME, &args[..2], || {
        let settings = Settings::new(text(&args[0]), text(&args[1]));
        Ok(Librato::new(settings, outlets.agent()))
    })?;
    let stream = |entry: fn(&event::Event) -> Option<Entry>| sink::of_events(NAME, &outlet, entry);
    let numbers =
        |entry: fn(&event::Event) -> Option<Entry>| sink::of_numbers(NAME, &outlet, entry);
    Ok(sink::map([
        ("gauge", numbers(Entry::gauge)),
        ("counter", numbers(Entry::counter)),
        ("annotation", stream(Entry::annotation)),
        ("start-annotation", stream(Entry::start)),
        ("end-annotation", stream(Entry::end)),
    ]))
}
