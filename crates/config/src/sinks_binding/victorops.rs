//! `riemann.victorops`: messages to VictorOps.

use clj::{Cx, Native, Result, Value};
use sinks::victorops::{Kind, Message, VictorOps};

use super::options::text;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "victorops";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([api-key routing-key])",
    doc: "A map of streams :info, :warning, :critical, :acknowledgement and :recovery, which each \
          send such a message about the entity of an event's host and service.",
    arity: (2, Some(2)),
    code: victorops,
}];

fn victorops(cx: &Cx<'_>, args: &[Value]) -> Result {
    let target = VictorOps::new(text(&args[0]), text(&args[1]));
    let outlet = cx.get::<Outlets>()?.http(NAME, args, target)?;
    let stream =
        |kind| sink::of_events(NAME, &outlet, move |event| Some(Message::new(kind, event)));
    Ok(sink::map([
        ("info", stream(Kind::Info)),
        ("warning", stream(Kind::Warning)),
        ("critical", stream(Kind::Critical)),
        ("acknowledgement", stream(Kind::Acknowledgement)),
        ("recovery", stream(Kind::Recovery)),
    ]))
}
