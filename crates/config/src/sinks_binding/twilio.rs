//! `riemann.twilio`: short messages.

use clj::{Cx, Native, Result, Value};
use sinks::twilio::{Sms, Twilio};

use super::letter::Writer;
use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "twilio";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options] [twilio-options message-options])",
    doc: "A function of telephone numbers that gives a stream, which sends a short message about \
          one event or several to each. Options: :account and :service-key; of the message :from \
          \"+15005550006\", :to, :body, a function of a list of events.",
    arity: (0, Some(2)),
    code: twilio,
}];

fn twilio(cx: &Cx<'_>, args: &[Value]) -> Result {
    let service = Options::read(NAME, args.first().unwrap_or(&Value::Nil))?;
    let message = match args.get(1) {
        Some(message) => Options::read(NAME, message)?,
        None => service.clone(),
    };
    let account = service.required("account")?;
    let key = service.required("service-key")?;
    let arguments = [account.as_str().into(), key.as_str().into()];
    let outlet = cx
        .get::<Outlets>()?
        .http(NAME, &arguments, Twilio::new(account, key))?;
    let from = message.text_or("from", "+15005550006");
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
            let body = writer.body(cx, &sink::flatten(value)?)?;
            for to in &to {
                outlet.offer(Sms {
                    from: from.clone(),
                    to: to.clone(),
                    body: body.clone(),
                });
            }
            Ok(())
        }))
    }))
}
