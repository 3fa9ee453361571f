//! `riemann.nagios`: results of checks to Nagios.

use clj::{Cx, Native, Result, Runtime, Thrown, Value};
use sinks::nagios::{Check, Encryption, Nagios, PORT};

use super::options::Options;
use super::outlets::Outlets;
use super::{sink, unavailable};

const NAME: &str = "nagios";
const TRIPLE_DES: &str = "triple-des";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends events as results of passive checks to Nagios, by NSCA. Options: \
          :host \"127.0.0.1\", :port 5667, :password \"password\", :encryption NONE or XOR. \
          TRIPLE_DES, which is the default, is not there: events that come throw.",
    arity: (1, Some(1)),
    code: nagios,
}];

/// Defines the names of encryptions.
pub fn install(rt: &Runtime) {
    let namespace = rt.ensure_namespace("riemann.nagios");
    for (name, value) in [("NONE", "none"), ("XOR", "xor"), ("TRIPLE_DES", TRIPLE_DES)] {
        namespace.define(name, Value::keyword(value));
    }
}

fn nagios(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let encryption = match options.text_or("encryption", TRIPLE_DES).as_str() {
        "none" => Encryption::None,
        "xor" => Encryption::Xor,
        TRIPLE_DES => {
            let remedy = "nagios: TRIPLE_DES is not available; set :encryption NONE or XOR";
            return Ok(unavailable::stream(NAME, remedy));
        }
        other => {
            let message = format!("{NAME}: :encryption is NONE or XOR, not {other}");
            return Err(Thrown::illegal_argument(message));
        }
    };
    let address = options.address("127.0.0.1", PORT)?;
    let password = options.text_or("password", "password");
    let label = format!("{NAME} {}:{}", address.host, address.port);
    let target = Nagios {
        address,
        encryption,
        password,
    };
    let outlet = cx.get::<Outlets>()?.open(&label, args, || Ok(target))?;
    Ok(sink::of_events(NAME, &outlet, |event| {
        Some(Check::new(event))
    }))
}
