//! `riemann.stackdriver`: metrics at Stackdriver.

use clj::{Cx, Native, Result, Value};
use event::Fields;
use sinks::stackdriver::{Point, Stackdriver, metric_name};

use super::options::{Options, text};
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "stackdriver";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends the metric of one event or several to Stackdriver. Options: \
          :api-key, :name, a function of an event that gives the metric's name (:service), in \
          which white space becomes dots.",
    arity: (1, Some(1)),
    code: stackdriver,
}];

fn stackdriver(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let key = options.required("api-key")?;
    let arguments = [key.as_str().into()];
    let outlet = cx
        .get::<Outlets>()?
        .http(NAME, &arguments, Stackdriver::new(key))?;
    let Some(name) = options.get("name") else {
        return Ok(sink::of_numbers(NAME, &outlet, |event| {
            Point::new(event, &metric_name(event))
        }));
    };
    Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
        sink::each_number(value, |value, event| {
            if event.metric().is_some() {
                let name = text(&cx.call(&name, std::slice::from_ref(value))?);
                let name = name.split_whitespace().collect::<Vec<_>>().join(".");
                Point::new(event, &name)
                    .into_iter()
                    .for_each(|point| outlet.offer(point));
            }
            Ok(())
        })
    }))
}
