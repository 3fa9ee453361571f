//! `riemann.opsgenie`: alerts at Opsgenie.

use clj::{Cx, Native, Result, Thrown, Value};
use event::Event;
use sinks::opsgenie::{Alert, Opsgenie};

use super::options::Options;
use super::outlets::Outlets;
use super::{json, sink};

const NAME: &str = "opsgenie";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options] [api-key recipients])",
    doc: "A map of streams :trigger and :resolve, which open and close the alert of an event's \
          host, service and tags. Options (or just the key; recipients are the key's own): \
          :api-key, :body-fn, a function of an event that gives a map of what the interface wants, \
          :message and :alias among it.",
    arity: (1, Some(2)),
    code: opsgenie,
}];

fn opsgenie(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = match &args[0] {
        map @ (Value::Map(_) | Value::Object(_)) => Options::read(NAME, map)?,
        key => Options::read(
            NAME,
            &Value::map([(Value::keyword("api-key"), key.clone())]),
        )?,
    };
    let key = options.required("api-key")?;
    let arguments = [key.as_str().into()];
    let outlet = cx
        .get::<Outlets>()?
        .http(NAME, &arguments, Opsgenie::new(key))?;
    let Some(body) = options.get("body-fn") else {
        return Ok(sink::map([
            (
                "trigger",
                sink::of_events(NAME, &outlet, |event| Some(Alert::trigger(event))),
            ),
            (
                "resolve",
                sink::of_events(NAME, &outlet, |event| Some(Alert::resolve(event))),
            ),
        ]));
    };
    let stream = |opens: bool| {
        let body = body.clone();
        sink::stream(NAME, &outlet, move |cx, value, outlet| {
            sink::each_event(value, |value, event| {
                outlet.offer(alert(cx, &body, opens, value, event)?);
                Ok(())
            })
        })
    };
    Ok(sink::map([
        ("trigger", stream(true)),
        ("resolve", stream(false)),
    ]))
}

fn alert(cx: &Cx<'_>, body: &Value, opens: bool, value: &Value, event: &Event) -> Result<Alert> {
    let said = cx.call(body, std::slice::from_ref(value))?;
    let mut fields = json::object("opsgenie: :body-fn", &said)?;
    let alias = match fields.remove("alias") {
        Some(serde_json::Value::String(alias)) => alias,
        Some(serde_json::Value::Null) | None => sinks::opsgenie::alias(event),
        Some(serde_json::Value::Number(number)) => number.to_string(),
        Some(_) => {
            let message = "opsgenie: :body-fn must give a text as :alias";
            return Err(Thrown::illegal_argument(message));
        }
    };
    Ok(if opens {
        Alert::Trigger { alias, fields }
    } else {
        Alert::Resolve { alias }
    })
}
