//! `riemann.kairosdb`: values to KairosDB.

use std::sync::Arc;

use clj::{Cx, Native, Result, Thrown, Value};
use event::Fields;
use sinks::http::HttpTarget;
use sinks::kairosdb::{Http, PORT, Point, Telnet, metric_name, tags};
use sinks::outlet::Outlet;

use super::opentsdb::tag_map;
use super::options::{Options, pairs, text};
use super::outlets::Outlets;
use super::sink;
use crate::index_object::to_event;

const NAME: &str = "kairosdb";

pub const NATIVES: &[Native] = &[
    Native {
        name: NAME,
        arglists: "([options])",
        doc: "A stream that sends the metric of one event or several to KairosDB. Options: :host \
              \"127.0.0.1\", :port 4242, :protocol :tcp (or :http), :metric-name, a function of an \
              event (kairosdb-metric-name), :tags, a function of an event that gives a map \
              (kairosdb-tags), :ttl, a function of an event that gives seconds, of use by HTTP. \
              Events without service or metric are passed over.",
        arity: (1, Some(1)),
        code: kairosdb,
    },
    Native {
        name: "kairosdb-metric-name",
        arglists: "([event])",
        doc: "The service, with dots for spaces.",
        arity: (1, Some(1)),
        code: |_, args| Ok(metric_name(&to_event(&args[0])?).into()),
    },
    Native {
        name: "kairosdb-tags",
        arglists: "([event])",
        doc: "A map of :fqdn, the host.",
        arity: (1, Some(1)),
        code: |_, args| Ok(tag_map(tags(&to_event(&args[0])?))),
    },
];

fn kairosdb(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let outlet = outlet(cx, &options)?;
    let [name, tag, ttl] = ["metric-name", "tags", "ttl"].map(|key| options.get(key));
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
            let Some(mut point) = Point::new(event, name, tags) else {
                return Ok(());
            };
            if let Some(ttl) = &ttl {
                point.ttl_s = cx.call(ttl, value)?.as_number().map(|s| s.to_i64_lossy());
            }
            outlet.offer(point);
            Ok(())
        })
    }))
}

fn outlet(cx: &Cx<'_>, options: &Options) -> Result<Arc<Outlet<Point>>> {
    let address = options.address("127.0.0.1", PORT)?;
    let label = format!("{NAME} {}:{}", address.host, address.port);
    let outlets = cx.get::<Outlets>()?;
    match options.text_or("protocol", "tcp").as_str() {
        "tcp" => outlets.open(&label, &["tcp".into()], || Ok(Telnet::new(address))),
        "http" => outlets.open(&label, &["http".into()], || {
            let url = format!("http://{}:{}", address.host, address.port);
            Ok(HttpTarget::new(Http { url }, outlets.agent()))
        }),
        other => Err(Thrown::illegal_argument(format!(
            "{NAME}: :protocol is :tcp or :http, not {other}"
        ))),
    }
}
