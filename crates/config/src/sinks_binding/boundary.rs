//! `riemann.boundary`: measurements at Boundary.

use clj::{Cx, Native, Result, Value, closure};
use sinks::boundary::{Boundary, Measurement};

use super::options::{Options, text};
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "boundary";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([email token])",
    doc: "A function of options (or none) that gives a stream, which sends the metric of one event \
          or several to Boundary. Options: :metric-id (by default the service), :org, put before \
          it, :async false.",
    arity: (2, Some(2)),
    code: |_, args| {
        let account = [args[0].clone(), args[1].clone()];
        Ok(closure::function(NAME, move |cx, args| {
            sender(cx, &account, args)
        }))
    },
}];

fn sender(cx: &Cx<'_>, account: &[Value; 2], args: &[Value]) -> Result {
    let options = Options::read(NAME, args.first().unwrap_or(&Value::Nil))?;
    let mut target = Boundary::new(text(&account[0]), text(&account[1]));
    let later = options.flag("async");
    if later {
        target.url.push_str("Async");
    }
    let [email, token] = account.clone();
    let outlet = cx
        .get::<Outlets>()?
        .http(NAME, &[email, token, later.into()], target)?;
    let (organization, metric) = (options.text_or("org", ""), options.text("metric-id"));
    Ok(sink::of_numbers(NAME, &outlet, move |event| {
        Measurement::new(event, &organization, metric.as_deref())
    }))
}
