//! `riemann.blueflood`: values to Blueflood.

use clj::{Cx, Native, Result, Value};
use event::Fields;
use sinks::blueflood::{Blueflood, PORT, Point, TTL_S};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "blueflood";

/// `blueflood-ingest` itself is written in the language.
pub const NATIVES: &[Native] = &[Native {
    name: "-ingest",
    arglists: "([options])",
    doc: "A stream that sends the metric of one event or several to Blueflood.",
    arity: (1, Some(1)),
    code: |cx: &Cx<'_>, args: &[Value]| -> Result {
        let options = Options::read("blueflood-ingest", &args[0])?;
        let tenant = options.text_or("tenant-id", "tenant-id");
        let target = Blueflood {
            url: options.url("localhost", PORT)?,
            tenant,
        };
        let arguments = [target.url.as_str().into(), target.tenant.as_str().into()];
        let outlet = cx.get::<Outlets>()?.http(NAME, &arguments, target)?;
        let usual = options
            .get("ttl")
            .and_then(|ttl| ttl.as_i64())
            .unwrap_or(TTL_S);
        Ok(sink::of_numbers(NAME, &outlet, move |event| {
            Point::new(event, event.ttl().map_or(usual, |ttl| ttl.to_i64_lossy()))
        }))
    },
}];
