//! `riemann.shinken`: results of checks to Shinken.

use clj::{Cx, Native, Result, Value};
use sinks::shinken::{Check, PORT, Shinken};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "shinken";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends events as results of passive checks to Shinken's web service. \
          Options: :host \"127.0.0.1\", :port 7760, :username \"admin\", :password \"admin\".",
    arity: (1, Some(1)),
    code: shinken,
}];

fn shinken(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let host = options
        .text("hostname")
        .unwrap_or_else(|| options.text_or("host", "127.0.0.1"));
    let target = Shinken {
        url: format!("http://{host}:{}", options.port(PORT)?),
        username: options.text_or("username", "admin"),
        password: options.text_or("password", "admin"),
    };
    let outlet = cx.get::<Outlets>()?.http(NAME, args, target)?;
    Ok(sink::of_events(NAME, &outlet, Check::new))
}
