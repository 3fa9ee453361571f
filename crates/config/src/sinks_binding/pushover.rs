//! `riemann.pushover`: notices on a telephone.

use clj::{Cx, Native, Result, Value, seq};
use sinks::pushover::{Notice, Pushover};

use super::options::{Options, text};
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "pushover";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([token user] [token user options])",
    doc: "A stream that sends a notice for each event. Options: :formatter, a function of an event \
          that gives a map of :title and :message.",
    arity: (2, Some(3)),
    code: pushover,
}];

fn pushover(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, args.get(2).unwrap_or(&Value::Nil))?;
    let target = Pushover::new(text(&args[0]), text(&args[1]));
    let outlet = cx.get::<Outlets>()?.http(NAME, &args[..2], target)?;
    let Some(formatter) = options.get("formatter") else {
        return Ok(sink::of_events(NAME, &outlet, |event| {
            Some(Notice::new(event))
        }));
    };
    Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
        sink::each_event(value, |value, _| {
            let said = cx.call(&formatter, std::slice::from_ref(value))?;
            let [title, message] = ["title", "message"]
                .map(|key| text(&seq::get(&said, &Value::keyword(key)).unwrap_or_default()));
            outlet.offer(Notice { title, message });
            Ok(())
        })
    }))
}
