//! `riemann.logstash`: a line of JSON an event to Logstash.

use std::path::PathBuf;

use clj::{Cx, Native, Result, Thrown, Value};
use event::Event;
use sinks::document::document;
use sinks::logstash::{Line, Logstash, PORT};
use sinks::tls::{TlsSettings, client_config};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "logstash";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends one event or several as lines of JSON to Logstash. Options: :host \
          \"127.0.0.1\", :port 9999, :protocol :tcp (or :tls, :udp); for TLS :ca-cert, whom to \
          trust instead of the public authorities, :cert and :key, to say who we are (PEM files).",
    arity: (1, Some(1)),
    code: logstash,
}];

fn logstash(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let address = options.address("127.0.0.1", PORT)?;
    let label = format!("{NAME} {}:{}", address.host, address.port);
    let protocol = options.text_or("protocol", "tcp");
    let outlet = cx
        .get::<Outlets>()?
        .open(&label, args, || match protocol.as_str() {
            "tcp" => Ok(Logstash::tcp(address, None)),
            "udp" => Ok(Logstash::udp(address)),
            "tls" => {
                let config = client_config(&tls(&options)?);
                let config =
                    config.map_err(|e| Thrown::illegal_argument(format!("{NAME}: {e}")))?;
                Ok(Logstash::tcp(address, Some(config)))
            }
            other => Err(Thrown::illegal_argument(format!(
                "{NAME}: :protocol is :tcp, :tls or :udp, not {other}"
            ))),
        })?;
    Ok(sink::of_events(NAME, &outlet, |event| Some(line(event))))
}

fn tls(options: &Options) -> Result<TlsSettings> {
    let options = match options.get("tls") {
        Some(nested @ Value::Map(_)) => Options::read(NAME, &nested)?,
        _ => options.clone(),
    };
    let file = |key: &str| options.text(key).map(PathBuf::from);
    Ok(TlsSettings {
        ca_cert: file("ca-cert"),
        identity: file("cert").zip(file("key")),
        ..TlsSettings::default()
    })
}

/// The event's document, with `source` and `time` too, which filters made for Riemann look at.
fn line(event: &Event) -> Line {
    let mut document = document(event);
    for (name, from) in [("source", "host"), ("time", "@timestamp")] {
        if let Some(value) = document.get(from).cloned() {
            document.insert(name.into(), value);
        }
    }
    Line(format!("{}\n", serde_json::Value::Object(document)))
}
