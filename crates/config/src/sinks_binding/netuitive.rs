//! `riemann.netuitive`: samples at Netuitive.

use clj::{Cx, Native, Result, Value};
use sinks::netuitive::{Netuitive, Sample};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "netuitive";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends the metric of one event or several to Netuitive. Options: :api-key, \
          :url \"https://api.app.netuitive.com/ingest/\", :type \"Riemann\".",
    arity: (1, Some(1)),
    code: netuitive,
}];

fn netuitive(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let mut target = Netuitive::new(options.required("api-key")?);
    if let Some(url) = options.text("url") {
        target.url = url.trim_end_matches('/').to_owned();
    }
    target.kind = options.text_or("type", &target.kind);
    let outlet = cx.get::<Outlets>()?.http(NAME, args, target)?;
    Ok(sink::of_numbers(NAME, &outlet, Sample::new))
}
