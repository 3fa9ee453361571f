//! `riemann.xymon`: status messages to Xymon.

use std::sync::Arc;

use clj::{Cx, Native, Result, Value, seq};
use event::{Event, Fields};
use sinks::outlet::Outlet;
use sinks::xymon::{PORT, Status, Xymon};

use super::options::{Options, text};
use super::outlets::Outlets;
use super::sink;
use crate::index_object::to_event;

const NAME: &str = "xymon";

pub const NATIVES: &[Native] = &[
    Native {
        name: NAME,
        arglists: "([options])",
        doc: "A stream that sends one event or several as status messages to Xymon. Options: :host \
              \"127.0.0.1\", :port 1984, or :hosts, a list of maps of both, :formatter, a function \
              of an event that gives the message (event->status). Messages travel together where \
              they fit. Events without service or state are passed over.",
        arity: (1, Some(1)),
        code: xymon,
    },
    Native {
        name: "event->status",
        arglists: "([event])",
        doc: "The event as a status message: host, service, colour, description, and the ttl in \
              minutes.",
        arity: (1, Some(1)),
        code: |_, args| Ok(Status::new(&to_event(&args[0])?).0.into()),
    },
    Native {
        name: "event->enable",
        arglists: "([event])",
        doc: "A message that enables the test of the event's host and service, or all of the host.",
        arity: (1, Some(1)),
        code: |_, args| Ok(format!("enable {}", place(&to_event(&args[0])?)).into()),
    },
    Native {
        name: "event->disable",
        arglists: "([event])",
        doc: "A message that disables the test of the event's host and service, or all of the \
              host, for its ttl, with the description.",
        arity: (1, Some(1)),
        code: |_, args| {
            let event = to_event(&args[0])?;
            let minutes = event
                .ttl()
                .map_or(0, |ttl| (ttl.to_f64() / 60.0).ceil() as i64);
            let why = event.description().unwrap_or_default();
            Ok(format!("disable {} {minutes} {why}", place(&event)).into())
        },
    },
];

/// Host and service as Xymon names tests.
fn place(event: &Event) -> String {
    let host = event.host().unwrap_or_default().replace('.', ",");
    let service = event.service().unwrap_or("*").replace(['.', ' '], "_");
    format!("{host}.{service}")
}

fn xymon(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let outlets = cx.get::<Outlets>()?;
    let mut targets = Vec::new();
    match (options.get("host"), options.get("hosts")) {
        (None, Some(hosts)) => {
            for host in seq::iter(&hosts) {
                targets.push(outlet(outlets, &Options::read(NAME, &host?)?)?);
            }
        }
        _ => targets.push(outlet(outlets, &options)?),
    }
    let formatter = options.get("formatter");
    Ok(sink::of_values(NAME, move |cx, value| {
        sink::each_event(value, |value, event| {
            if event.service().is_none() || event.state().is_none() {
                return Ok(());
            }
            let status = match &formatter {
                Some(formatter) => Status(text(&cx.call(formatter, std::slice::from_ref(value))?)),
                None => Status::new(event),
            };
            targets
                .iter()
                .for_each(|outlet| outlet.offer(status.clone()));
            Ok(())
        })
    }))
}

fn outlet(outlets: &Outlets, options: &Options) -> Result<Arc<Outlet<Status>>> {
    let address = options.address("127.0.0.1", PORT)?;
    let label = format!("{NAME} {}:{}", address.host, address.port);
    outlets.open(&label, &[], || Ok(Xymon { address }))
}
