//! `riemann.graphite`: a line an event to Carbon.

use clj::{Cx, Native, Result, Thrown, Value, closure, seq};
use event::{Event, Fields, Number};
use sinks::graphite::{Graphite, Line, PORT, Protocol, Settings, path_basic, path_percentiles};

use super::options::{Options, text};
use super::outlets::Outlets;
use super::sink;
use crate::index_object::to_event;

const NAME: &str = "graphite";

pub const NATIVES: &[Native] = &[
    Native {
        name: NAME,
        arglists: "([options])",
        doc: "A stream that sends the metric of one event, or of several, to Graphite. Options: \
              :host \"127.0.0.1\", :port 2003, :protocol :tcp (or :udp), :path, a function of an \
              event that gives its path (graphite-path-percentiles). Events without a metric are \
              passed over. It never waits for Graphite: lines wait in a bounded queue.",
        arity: (1, Some(1)),
        code: graphite,
    },
    Native {
        name: "graphite-path-basic",
        arglists: "([event])",
        doc: "The parts of the host in reverse order, then the words of the service, with dots \
              between.",
        arity: (1, Some(1)),
        code: |_, args| Ok(path_basic(&to_event(&args[0])?).into()),
    },
    Native {
        name: "graphite-path-percentiles",
        arglists: "([event])",
        doc: "As graphite-path-basic; of a decimal at the end of the service, the digits behind \
              the point: \"api 0.95\" ends in api.95.",
        arity: (1, Some(1)),
        code: |_, args| Ok(path_percentiles(&to_event(&args[0])?).into()),
    },
    Native {
        name: "graphite-path-tags",
        arglists: "([tags])",
        doc: "A function of an event that gives its service with dots for spaces, and the fields \
              in tags, as far as it has them, as Graphite's tags: api.rate;host=www1;rack=n1.",
        arity: (1, Some(1)),
        code: path_tags,
    },
    Native {
        name: "graphite-metric",
        arglists: "([event])",
        doc: "The event's metric as Graphite gets it: an integer as it is, else a double.",
        arity: (1, Some(1)),
        code: |_, args| {
            Ok(match to_event(&args[0])?.metric() {
                Some(Number::Int(int)) => Value::Int(int),
                Some(Number::Big(big)) => Value::Big(big),
                Some(other) => Value::Double(other.to_f64()),
                None => Value::Nil,
            })
        },
    },
];

fn graphite(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let address = options.address("127.0.0.1", PORT)?;
    let protocol = match options.text_or("protocol", "tcp").as_str() {
        "tcp" => Protocol::Tcp,
        "udp" => Protocol::Udp,
        other => {
            let message = format!("{NAME}: :protocol is :tcp or :udp, not {other}");
            return Err(Thrown::illegal_argument(message));
        }
    };
    let label = format!("{NAME} {}:{}", address.host, address.port);
    let key = [Value::from(protocol == Protocol::Udp)];
    let target = || Ok(Graphite::new(Settings { address, protocol }));
    let outlet = cx.get::<Outlets>()?.open(&label, &key, target)?;
    let Some(path) = options.get("path") else {
        return Ok(sink::of_numbers(NAME, &outlet, |event| {
            Line::new(event, &path_percentiles(event))
        }));
    };
    if let Some(own) = own_path(cx, &path) {
        return Ok(sink::of_numbers(NAME, &outlet, move |event| {
            Line::new(event, &own(event))
        }));
    }
    Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
        sink::each_number(value, |value, event| {
            if event.metric().is_some() {
                let path = text(&cx.call(&path, std::slice::from_ref(value))?);
                if let Some(line) = Line::new(event, &path) {
                    outlet.offer(line);
                }
            }
            Ok(())
        })
    }))
}

/// The path function behind a value, if it is one of ours: it need not be called through the
/// language.
fn own_path(cx: &Cx<'_>, path: &Value) -> Option<fn(&Event) -> String> {
    let is = |name: &str| {
        let var = cx.rt.var("riemann.graphite", name);
        var.and_then(|var| var.root())
            .is_some_and(|root| root == *path)
    };
    if is("graphite-path-basic") {
        return Some(path_basic);
    }
    is("graphite-path-percentiles").then_some(path_percentiles)
}

fn path_tags(_: &Cx<'_>, args: &[Value]) -> Result {
    let tags = seq::to_vec(&args[0])?;
    Ok(closure::function("graphite-path-tags", move |_, args| {
        let [event] = args else {
            return Err(Thrown::arity(args.len(), "graphite-path-tags"));
        };
        let service = seq::get(event, &Value::keyword("service")).unwrap_or_default();
        let mut path = text(&service).replace(' ', ".");
        for tag in &tags {
            if let Some(value) = seq::get(event, tag).filter(Value::truthy) {
                path.push_str(&format!(";{}={}", text(tag), text(&value)));
            }
        }
        Ok(path.into())
    }))
}
