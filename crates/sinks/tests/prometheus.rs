//! The Pushgateway keeps what the prometheus target pushes.

mod support;

use sinks::http::{HttpTarget, agent};
use sinks::prometheus::{Labels, PushGateway, Sample};
use support::{Server, deliver, event, get};

#[test]
fn the_gateway_shows_the_latest_of_each() {
    let server = Server::start(
        "prometheus-pushgateway",
        ["--web.listen-address=127.0.0.1:0"],
    );
    let port = server.wait_for_port("Listening on", "address=127.0.0.1:");
    let sample = |service, metric| Sample::new(&event(service, metric), &Labels::default());
    let gateway = PushGateway::new(format!("http://127.0.0.1:{port}"));
    let samples = [
        sample("api rate", 1.5),
        sample("load", 4.0),
        sample("api rate", 2.5),
    ];
    deliver(
        HttpTarget::new(gateway, agent()),
        samples.into_iter().flatten().collect(),
    );

    let metrics = get(port, "/metrics");
    let labels = "description=\"too \\\"slow\\\"\",host=\"www1.example.com\",instance=\"\",\
                  job=\"riemann\",state=\"critical\"";
    for line in [
        format!("api_rate{{{labels}}} 2.5\n"),
        format!("load{{{labels}}} 4\n"),
    ] {
        assert!(metrics.contains(&line), "no {line:?} in {metrics}");
    }
}
