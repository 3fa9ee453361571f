//! `riemann.clickhouse`: rows to ClickHouse.

use clj::{Cx, Native, Result, Value};
use sinks::clickhouse::{ClickHouse, PORT, Row, Settings};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "clickhouse";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that inserts one event or several as rows into a table of ClickHouse, which is \
          made at the first row. Options: :scheme \"http://\", :host \"localhost\", :port 8123, \
          :database \"default\", :table \"riemann\", :username, :password.",
    arity: (1, Some(1)),
    code: clickhouse,
}];

fn clickhouse(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let usual = Settings::new(options.url("localhost", PORT)?);
    let settings = Settings {
        database: options.text_or("database", &usual.database),
        table: options.text_or("table", &usual.table),
        user: options.text("username"),
        password: options.text("password"),
        ..usual
    };
    let outlets = cx.get::<Outlets>()?;
    let outlet = outlets.open(NAME, args, || {
        Ok(ClickHouse::new(settings, outlets.agent()))
    })?;
    Ok(sink::of_numbers(NAME, &outlet, Row::new))
}
