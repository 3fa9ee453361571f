//! `riemann.mailgun`: mail by Mailgun's interface.

use clj::{Cx, Native, Result, Value};
use sinks::mailgun::{Letter, Mailgun};

use super::letter::Writer;
use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "mailgun";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options] [mailgun-options message-options])",
    doc: "A function of mail addresses that gives a stream, which mails one event or several. \
          Options: :sandbox (the sending domain) and :service-key; of the message :from \
          \"Riemann <riemann@SANDBOX>\", :to, :subject and :body, functions of a list of events.",
    arity: (0, Some(2)),
    code: mailgun,
}];

fn mailgun(cx: &Cx<'_>, args: &[Value]) -> Result {
    let service = Options::read(NAME, args.first().unwrap_or(&Value::Nil))?;
    let message = match args.get(1) {
        Some(message) => Options::read(NAME, message)?,
        None => service.clone(),
    };
    let sandbox = service.required("sandbox")?;
    let key = service.required("service-key")?;
    let arguments = [sandbox.as_str().into(), key.as_str().into()];
    let from = message
        .text_or("from", "Riemann <riemann@%s>")
        .replace("%s", &sandbox);
    let outlet = cx
        .get::<Outlets>()?
        .http(NAME, &arguments, Mailgun::new(sandbox, key))?;
    let to = message.names_or_text("to")?;
    let writer = Writer::new(&message);
    Ok(sink::of_recipients(NAME, move |_, recipients| {
        let to = if recipients.is_empty() {
            to.clone()
        } else {
            recipients
        };
        let (from, writer) = (from.clone(), writer.clone());
        Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
            let events = sink::flatten(value)?;
            outlet.offer(Letter {
                from: from.clone(),
                to: to.clone(),
                subject: writer.subject(cx, &events)?,
                text: writer.body(cx, &events)?,
            });
            Ok(())
        }))
    }))
}
