//! `riemann.hipchat`: messages to a room of HipChat.

use clj::{Cx, Native, Result, Value};
use sinks::hipchat::{HipChat, Message, SERVER, color};
use sinks::words;

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "hipchat";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that tells a room of HipChat about one event, or several in one message. \
          Options: :token, :room, :server \"api.hipchat.com\", :from \"riemann\", :notify false. A \
          token of 40 characters is one of version 2 of the interface, others of version 1.",
    arity: (1, Some(1)),
    code: hipchat,
}];

fn hipchat(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let (token, room) = (options.required("token")?, options.required("room")?);
    let hipchat = HipChat {
        from: options.text_or("from", "riemann"),
        notify: options.flag("notify"),
        ..HipChat::new(&options.text_or("server", SERVER), token, room)
    };
    let label = format!("{NAME} {}", hipchat.room);
    let outlet = cx.get::<Outlets>()?.http(&label, args, hipchat)?;
    Ok(sink::stream(NAME, &outlet, |_, value, outlet| {
        let events = sink::events(value)?;
        if let Some(first) = events.first() {
            let texts: Vec<String> = events
                .iter()
                .map(|event| Message::new(event).text)
                .collect();
            let color = color(&words::field(first, "state"));
            outlet.offer(Message {
                text: texts.join("\n\n"),
                color,
            });
        }
        Ok(())
    }))
}
