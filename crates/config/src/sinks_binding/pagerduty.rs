//! `riemann.pagerduty`: incidents at PagerDuty.

use clj::{Cx, Native, Result, Value, seq};
use sinks::pagerduty::{Action, Incident, PagerDuty, Version};

use super::options::{Options, text};
use super::outlets::Outlets;
use super::{json, sink};

const NAME: &str = "pagerduty";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A map of streams :trigger, :acknowledge and :resolve, which each do that to the incident \
          of an event's host and service. Options (or just the key): :service-key, :version :v1 \
          (or :v2), :formatter, a function of an event that gives a map of what the interface \
          wants: in version 1 the message, with :incident_key; in version 2 the payload. In \
          version 2 an event's :dedup-key says which incident it is about.",
    arity: (1, Some(1)),
    code: pagerduty,
}];

fn pagerduty(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = match &args[0] {
        Value::Str(_) => Value::map([(Value::keyword("service-key"), args[0].clone())]),
        map => map.clone(),
    };
    let options = Options::read(NAME, &options)?;
    let version = if options.text_or("version", "v1") == "v2" {
        Version::V2
    } else {
        Version::V1
    };
    let key = options.required("service-key")?;
    let arguments = [key.as_str().into(), Value::from(version == Version::V2)];
    let mut target = PagerDuty::new(version, key);
    if let Some(url) = options.text("url") {
        target.url = url;
    }
    let outlet = cx.get::<Outlets>()?.http(NAME, &arguments, target)?;
    let formatter = options.get("formatter");
    let stream = |action| {
        let formatter = formatter.clone();
        sink::stream(NAME, &outlet, move |cx, value, outlet| {
            sink::each_event(value, |value, event| {
                let mut incident = match version {
                    Version::V1 => Incident::v1(action, event),
                    Version::V2 => Incident::v2(action, event),
                };
                if let Some(formatter) = &formatter {
                    let said = cx.call(formatter, std::slice::from_ref(value))?;
                    incident.fields = json::object("pagerduty: :formatter", &said)?;
                }
                if version == Version::V2
                    && let Some(key) = seq::get(value, &Value::keyword("dedup-key"))
                {
                    incident.dedup_key = Some(text(&key));
                }
                outlet.offer(incident);
                Ok(())
            })
        })
    };
    Ok(sink::map([
        ("trigger", stream(Action::Trigger)),
        ("acknowledge", stream(Action::Acknowledge)),
        ("resolve", stream(Action::Resolve)),
    ]))
}
