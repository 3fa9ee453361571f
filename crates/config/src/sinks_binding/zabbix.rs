//! `riemann.zabbix`: values to Zabbix.

use clj::{Cx, Native, Result, Value};
use sinks::zabbix::{PORT, Sample, Zabbix};

use super::options::Options;
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "zabbix";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends the metric of one event or several to Zabbix, as its trapper takes \
          them: the service is the item's key. Options: :host \"127.0.0.1\", :port 10051.",
    arity: (1, Some(1)),
    code: zabbix,
}];

fn zabbix(cx: &Cx<'_>, args: &[Value]) -> Result {
    let address = Options::read(NAME, &args[0])?.address("127.0.0.1", PORT)?;
    let label = format!("{NAME} {}:{}", address.host, address.port);
    let outlet = cx
        .get::<Outlets>()?
        .open(&label, &[], || Ok(Zabbix { address }))?;
    Ok(sink::of_numbers(NAME, &outlet, Sample::new))
}
