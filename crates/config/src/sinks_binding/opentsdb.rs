//! `riemann.opentsdb`: a line an event to OpenTSDB.

use clj::{Cx, Native, Result, Value};
use event::Fields;
use sinks::opentsdb::{OpenTsdb, PORT, Put, metric_name, tags};

use super::options::{Options, pairs, text};
use super::outlets::Outlets;
use super::sink;
use crate::index_object::to_event;

const NAME: &str = "opentsdb";

pub const NATIVES: &[Native] = &[
    Native {
        name: NAME,
        arglists: "([options])",
        doc: "A stream that sends the metric of one event or several to OpenTSDB. Options: :host \
              \"127.0.0.1\", :port 4242, :metric-name, a function of an event \
              (opentsdb-metric-name), :tags, a function of an event that gives a map \
              (opentsdb-tags). Events without service or metric are passed over.",
        arity: (1, Some(1)),
        code: opentsdb,
    },
    Native {
        name: "opentsdb-metric-name",
        arglists: "([event])",
        doc: "The service, with dots for spaces.",
        arity: (1, Some(1)),
        code: |_, args| Ok(metric_name(&to_event(&args[0])?).into()),
    },
    Native {
        name: "opentsdb-tags",
        arglists: "([event])",
        doc: "A map of :host.",
        arity: (1, Some(1)),
        code: |_, args| Ok(tag_map(tags(&to_event(&args[0])?))),
    },
];

/// Tags as a map with keywords.
pub fn tag_map(tags: Vec<(String, String)>) -> Value {
    Value::map(
        tags.into_iter()
            .map(|(name, value)| (Value::keyword(&name), value.into())),
    )
}

fn opentsdb(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let address = options.address("127.0.0.1", PORT)?;
    let label = format!("{NAME} {}:{}", address.host, address.port);
    let outlet = cx
        .get::<Outlets>()?
        .open(&label, &[], || Ok(OpenTsdb::new(address)))?;
    let (name, tag) = (options.get("metric-name"), options.get("tags"));
    if name.is_none() && tag.is_none() {
        return Ok(sink::of_numbers(NAME, &outlet, |event| {
            event.service()?;
            Put::new(event, &metric_name(event), &tags(event))
        }));
    }
    Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
        sink::each_number(value, |value, event| {
            if event.service().is_none() || event.metric().is_none() {
                return Ok(());
            }
            let value = std::slice::from_ref(value);
            let name = match &name {
                Some(name) => text(&cx.call(name, value)?),
                None => metric_name(event),
            };
            let tags = match &tag {
                Some(tag) => pairs(&cx.call(tag, value)?)?,
                None => tags(event),
            };
            Put::new(event, &name, &tags)
                .into_iter()
                .for_each(|put| outlet.offer(put));
            Ok(())
        })
    }))
}
