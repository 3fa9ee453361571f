//! `riemann.cloudwatch`: metrics at Amazon CloudWatch.

use clj::{Cx, Native, Result, Value};
use sinks::cloudwatch::{CloudWatch, Datum, NAMESPACE, REGION};

use super::options::Options;
use super::outlets::Outlets;
use super::{aws, sink};

const NAME: &str = "cloudwatch";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that sends the metric of one event or several to Amazon CloudWatch. Options: \
          :access-key and :secret-key (by default AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of \
          the environment; the roles of machines are not asked for), :endpoint \
          \"monitoring.us-east-1.amazonaws.com\", :namespace \"Riemann\".",
    arity: (1, Some(1)),
    code: cloudwatch,
}];

fn cloudwatch(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let (access, secret) = aws::keys(cx, NAME, &options);
    let endpoint = options.text("endpoint");
    let region = endpoint.as_deref().and_then(region).unwrap_or(REGION);
    let mut target = CloudWatch::new(region, access, secret, Box::new(jiff::Timestamp::now));
    if let Some(endpoint) = &endpoint {
        target.url = url(endpoint);
    }
    target.namespace = options.text_or("namespace", NAMESPACE);
    let outlet = cx.get::<Outlets>()?.http(NAME, args, target)?;
    Ok(sink::of_numbers(NAME, &outlet, Datum::new))
}

/// The region in `monitoring.eu-west-1.amazonaws.com`.
fn region(endpoint: &str) -> Option<&str> {
    let host = endpoint.rsplit("://").next()?;
    host.strip_prefix("monitoring.")?
        .split_once(".amazonaws.")
        .map(|(region, _)| region)
}

fn url(endpoint: &str) -> String {
    let scheme = if endpoint.contains("://") {
        ""
    } else {
        "https://"
    };
    format!("{scheme}{}/", endpoint.trim_end_matches('/'))
}
