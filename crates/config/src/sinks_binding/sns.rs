//! `riemann.sns`: messages to topics of Amazon SNS.

use std::sync::Arc;

use clj::{Cx, Native, Result, Value};
use sinks::outlet::Outlet;
use sinks::sns::{Message, REGION, Sns, region};

use super::letter::Writer;
use super::options::Options;
use super::outlets::Outlets;
use super::{aws, sink};

const NAME: &str = "sns-publisher";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([] [options] [aws-options message-options] [aws-options message-options async])",
    doc: "A function of topics' ARNs that gives a stream, which publishes a message about one event \
          or several to each. Options: :access-key and :secret-key (by default AWS_ACCESS_KEY_ID \
          and AWS_SECRET_ACCESS_KEY of the environment), :region (by default the topic's); of the \
          message :arn, :subject and :body, functions of a list of events. Nothing waits for SNS, \
          so that :async, :success and :error have nothing to do.",
    arity: (0, Some(3)),
    code: publisher,
}];

fn publisher(cx: &Cx<'_>, args: &[Value]) -> Result {
    let account = Options::read(NAME, args.first().unwrap_or(&Value::Nil))?;
    let message = match args.get(1) {
        Some(message) => Options::read(NAME, message)?,
        None => account.clone(),
    };
    let usual = message.names_or_text("arn")?;
    let writer = Writer::new(&message);
    let keys = aws::keys(cx, NAME, &account);
    let named = account.text("region");
    Ok(sink::of_recipients(NAME, move |cx, topics| {
        let topics = if topics.is_empty() {
            usual.clone()
        } else {
            topics
        };
        let mut outlets = Vec::new();
        for topic in topics {
            let region = named.as_deref().or(region(&topic)).unwrap_or(REGION);
            outlets.push((outlet(cx.get::<Outlets>()?, region, &keys)?, topic));
        }
        Ok(stream(outlets, writer.clone()))
    }))
}

fn outlet(
    outlets: &Outlets,
    region: &str,
    (access, secret): &(String, String),
) -> Result<Arc<Outlet<Message>>> {
    let arguments = [region, access.as_str(), secret.as_str()].map(Value::from);
    let target = Sns::new(region, access, secret, Box::new(jiff::Timestamp::now));
    outlets.http(&format!("sns {region}"), &arguments, target)
}

fn stream(topics: Vec<(Arc<Outlet<Message>>, String)>, writer: Writer) -> Value {
    sink::of_values(NAME, move |cx, value| {
        let events = sink::flatten(value)?;
        let (subject, body) = (writer.subject(cx, &events)?, writer.body(cx, &events)?);
        for (outlet, topic) in &topics {
            outlet.offer(Message::new(topic, &subject, &body));
        }
        Ok(())
    })
}
