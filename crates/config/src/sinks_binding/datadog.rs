//! `riemann.datadog`: gauges at Datadog.

use clj::{Cx, Native, Result, Value};
use sinks::datadog::{Datadog, Series};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "datadog";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends the metric of one event or several to Datadog. Options: :api-key.",
    arity: (1, Some(1)),
    code: datadog,
}];

fn datadog(cx: &Cx<'_>, args: &[Value]) -> Result {
    let key = Options::read(NAME, &args[0])?.required("api-key")?;
    let arguments = [key.as_str().into()];
    let outlet = cx
        .get::<Outlets>()?
        .http(NAME, &arguments, Datadog::new(key))?;
    Ok(sink::of_numbers(NAME, &outlet, Series::new))
}
