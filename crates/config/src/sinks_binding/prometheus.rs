//! `riemann.prometheus`: values to Prometheus' Pushgateway.

use clj::{Cx, Native, Result, Value};
use sinks::prometheus::{JOB, Labels, PORT, PushGateway, Sample};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "prometheus";

pub const NATIVES: &[Native] = &[
    Native {
        name: NAME,
        arglists: "([options])",
        doc: "A stream that pushes the metric of one event or several to the Pushgateway. Options: \
              :host \"localhost\", :port 9091, :job \"riemann\", :separator \",\" between tags, \
              :exclude-fields #{:service :metric :tags :time :ttl}, fields that are no labels; \
              tags are one label always.",
        arity: (1, Some(1)),
        code: |cx, args| prometheus(cx, args, true),
    },
    Native {
        name: "prometheus-batch",
        arglists: "([options])",
        doc: "As prometheus, for several events at once; tags are a label only when \
              :exclude-fields does not name them.",
        arity: (1, Some(1)),
        code: |cx, args| prometheus(cx, args, false),
    },
];

fn prometheus(cx: &Cx<'_>, args: &[Value], labels_tags: bool) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let usual = Labels::default();
    let mut labels = Labels {
        separator: options.text_or("separator", ","),
        exclude: options.names("exclude-fields")?.unwrap_or(usual.exclude),
    };
    if labels_tags {
        labels.exclude.retain(|name| name != "tags");
    }
    let url = options.url("localhost", PORT)?;
    let gateway = PushGateway {
        job: options.text_or("job", JOB),
        ..PushGateway::new(url)
    };
    let arguments = [gateway.url.as_str().into(), gateway.job.as_str().into()];
    let outlet = cx.get::<Outlets>()?.http(NAME, &arguments, gateway)?;
    Ok(sink::of_events(NAME, &outlet, move |event| {
        Sample::new(event, &labels)
    }))
}
