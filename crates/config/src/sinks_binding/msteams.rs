//! `riemann.msteams`: cards to Microsoft Teams.

use clj::{Cx, Native, Result, Value};
use sinks::msteams::{Card, Teams};

use super::options::Options;
use super::outlets::Outlets;
use super::{json, sink};

const NAME: &str = "msteams";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options] [options http])",
    doc: "A stream that posts one event, or several in one card, to Microsoft Teams. Options: :url \
          (the incoming webhook), :formatter, a function of a list of events that gives the card \
          as a map. HTTP options are not used.",
    arity: (1, Some(2)),
    code: msteams,
}];

fn msteams(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let webhook = options.required("url")?;
    let arguments = [webhook.as_str().into()];
    let outlet = cx
        .get::<Outlets>()?
        .http(NAME, &arguments, Teams { webhook })?;
    let formatter = options.get("formatter");
    Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
        let card = match &formatter {
            Some(formatter) => {
                let events = Value::list(sink::flatten(value)?);
                let said = cx.call(formatter, &[events])?;
                Card(json::object("msteams: :formatter", &said)?)
            }
            None => Card::new(&sink::events(value)?),
        };
        outlet.offer(card);
        Ok(())
    }))
}
