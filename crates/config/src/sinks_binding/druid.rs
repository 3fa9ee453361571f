//! `riemann.druid`: rows to Druid.

use clj::{Cx, Native, Result, Value};
use sinks::druid::{Druid, PORT, Row};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "druid";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends one event or several to Druid's Tranquility. Options: :host \
          \"localhost\", :port 8200, :dataset \"riemann\". Events without metric are passed over.",
    arity: (1, Some(1)),
    code: druid,
}];

fn druid(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let target = Druid {
        url: options.url("localhost", PORT)?,
        dataset: options.text_or("dataset", "riemann"),
    };
    let outlet = cx.get::<Outlets>()?.http(NAME, args, target)?;
    Ok(sink::of_numbers(NAME, &outlet, Row::new))
}
