//! `riemann.logentries`: a line an event to Logentries.

use clj::{Cx, Native, Result, Value};
use sinks::logentries::{HOST, Line, Logentries, PORT};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "logentries";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends events as lines to Logentries. Options: :token, :host \
          \"data.logentries.com\", :port 80.",
    arity: (1, Some(1)),
    code: logentries,
}];

fn logentries(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let (address, token) = (options.address(HOST, PORT)?, options.required("token")?);
    let outlet = cx
        .get::<Outlets>()?
        .open(NAME, args, || Ok(Logentries::new(address, token)))?;
    Ok(sink::of_events(NAME, &outlet, |event| {
        Some(Line::new(event))
    }))
}
