//! Proves that the server tells of itself: Riemann's events, under Riemann's names, within the
//! interval, and `/metrics` as Prometheus reads it.

mod server;

use std::collections::BTreeMap;

use event::Fields;
use server::riemann::event;
use server::{Server, USUAL, eventually, http};

#[test]
fn it_tells_of_itself_in_events() {
    let server = Server::start(&format!("(instrumentation {{:interval 1}}) {USUAL}"));
    let mut client = server.connect();
    let name = |kind: &str| format!("riemann server {kind} {}", server.address(kind));
    let mut wanted: Vec<String> = ["rate", "latency 0.0", "latency 0.5", "latency 0.95"]
        .iter()
        .chain(&["latency 0.99", "latency 0.999"])
        .map(|end| format!("riemann streams {end}"))
        .collect();
    wanted.push("riemann index size".into());
    wanted.push("riemann netty event-executor threads active".into());
    wanted.push("riemann netty event-executor queue size".into());
    wanted.push(format!("{} conns", name("tcp")));
    wanted.push(format!("{} in rate", name("tcp")));
    wanted.push(format!("{} in latency 0.99", name("tcp")));
    wanted.push(format!("{} in rate", name("udp")));
    wanted.push(format!("{} conns", name("ws")));
    wanted.push(format!("{} in rate", name("ws")));
    wanted.push(format!("{} out rate", name("ws")));
    let told = eventually("the server's own events", || {
        client.send(&[event("work", 1)]);
        let told = client.query("tagged \"riemann\"");
        let has = |service: &String| told.iter().any(|e| e.service() == Some(service.as_str()));
        wanted.iter().all(has).then_some(told)
    });
    for event in &told {
        assert_eq!(event.ttl().map(|ttl| ttl.to_f64()), Some(2.0), "{event:?}");
        assert!(
            event.host().is_some() && event.time().is_some(),
            "{event:?}"
        );
    }
    eventually("a rate of the streams", || {
        client.send(&[event("work", 1)]);
        let rate = client.query("service = \"riemann streams rate\" and metric > 0.0");
        (!rate.is_empty()).then_some(())
    });
}

#[test]
fn it_does_not_when_told_so() {
    let server = Server::start(&format!(
        "(instrumentation {{:enabled? false :interval 1}}) {USUAL}"
    ));
    let mut client = server.connect();
    // An event that the reaper expires shows that more than a second has passed.
    client.send(&[event("gone", 1).edit(|draft| draft.ttl = Some(event::Number::F32(1.5)))]);
    eventually("the reaper", || {
        client.query("service = \"gone\"").is_empty().then_some(())
    });
    assert!(client.query("tagged \"riemann\"").is_empty());
}

#[test]
fn metrics_are_as_prometheus_reads_them() {
    let server = Server::start(USUAL);
    server.connect().send(&[event("one", 1), event("two", 2)]);
    let (status, text) = http::get(server.address("ws"), "/metrics");
    assert_eq!(status, 200);
    let samples = parse(&text);
    assert_eq!(samples["cauchy_events_total"], 2.0);
    assert_eq!(samples["cauchy_index_size"], 2.0);
    assert!(samples["cauchy_resident_bytes"] > 1e6);
    let tcp = server.address("tcp");
    let labelled = format!("cauchy_server_messages_in_total{{address=\"{tcp}\",server=\"tcp\"}}");
    assert_eq!(samples[&labelled], 1.0, "{text}");
}

/// Samples by name and labels; every line must be a comment or a sample of a declared metric.
fn parse(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n'));
    let mut declared = BTreeMap::new();
    let mut samples = BTreeMap::new();
    for line in text.lines() {
        if let Some(declaration) = line.strip_prefix("# TYPE ") {
            let (name, kind) = declaration.split_once(' ').expect("a name and a kind");
            assert!(matches!(kind, "gauge" | "counter"), "{line}");
            assert_eq!(declared.insert(name, kind), None, "declared twice: {line}");
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').expect("a name and a value");
            let bare = name.split('{').next().unwrap_or(name);
            assert!(declared.contains_key(bare), "not declared: {line}");
            let value = value
                .parse()
                .unwrap_or_else(|_| panic!("no number: {line}"));
            assert_eq!(
                samples.insert(name.to_owned(), value),
                None,
                "twice: {line}"
            );
        }
    }
    samples
}
