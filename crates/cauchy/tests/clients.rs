//! Proves that clients written for Riemann work unchanged: what they send in every kind of event
//! they can say comes back to them field by field, over each transport they have. `tests/NEEDS`
//! lists their packages.

mod server;

use std::process::Command;

use event::{Draft, HistogramRef, Number};
use serde_json::Value;
use server::authority::Authority;
use server::clients::{go, node, python, run};
use server::{Server, USUAL, eventually};

const HOST: &str = "127.0.0.1";

#[test]
fn python_riemann_client() {
    let server = Server::start(USUAL);
    let mut client = python("with_riemann_client.py");
    run(client.args([HOST, &server.port("tcp"), &server.port("udp")]));
}

#[test]
fn python_bernhard() {
    let server = Server::start(USUAL);
    let mut client = python("with_bernhard.py");
    run(client.args([HOST, &server.port("tcp"), &server.port("udp")]));
}

#[test]
fn node_riemann() {
    let port = server::free_port();
    let server = Server::start(&format!(
        "(tcp-server {{:port {port}}}) (udp-server {{:port {port}}})
         (streams (default :ttl 60 (index)))"
    ));
    run(node("with_riemann.js").args([HOST, &server.port("tcp")]));
}

#[test]
fn node_ws() {
    let server = Server::start(USUAL);
    run(node("with_ws.js").args([HOST, &server.port("ws")]));
}

#[test]
fn go_riemann_go_client() {
    let server = Server::start(USUAL);
    let (tcp, udp) = (
        server.address("tcp").to_string(),
        server.address("udp").to_string(),
    );
    run(go().args(["tcp", &tcp]));
    run(go().args(["udp", &udp, &tcp]));
}

#[test]
fn go_riemann_go_client_over_tls() {
    let authority = Authority::new();
    let server = tls_server(&authority, true);
    let address = server.address("tls").to_string();
    run(go().args([
        "tls",
        &address,
        &authority.text("client.crt"),
        &authority.text("client.key"),
    ]));
}

/// A TLS server beside the usual ones, that asks for certificates or does not.
fn tls_server(authority: &Authority, client_certificates: bool) -> Server {
    let ca_cert = match client_certificates {
        true => format!(":ca-cert {:?}", authority.text("ca.crt")),
        false => String::new(),
    };
    Server::start(&format!(
        "(tcp-server {{:port {} :tls? true :key {:?} :cert {:?} {ca_cert}}}) {USUAL}",
        server::free_port(),
        authority.text("server.key"),
        authority.text("server.crt"),
    ))
}

#[test]
fn c_client_over_tcp_and_udp() {
    let server = Server::start(USUAL);
    for (way, flag) in [("tcp", "-T"), ("udp", "-U")] {
        let port = server.port(way);
        let place = [flag, HOST, &port];
        c_client_sends(way, &place);
        c_client_finds(way, &["-T", HOST, &server.port("tcp")]);
    }
}

#[test]
fn c_client_over_tls() {
    let authority = Authority::new();
    for client_certificates in [false, true] {
        let server = tls_server(&authority, client_certificates);
        let cafile = format!("cafile={}", authority.text("ca.crt"));
        let certfile = format!("certfile={}", authority.text("client.crt"));
        let keyfile = format!("keyfile={}", authority.text("client.key"));
        let port = server.port("tls");
        let mut place = vec!["-G", "-o", &cafile];
        // The client insists on a certificate of its own, whether it is asked for one or not.
        place.extend(["-o", &certfile, "-o", &keyfile, HOST, &port]);
        c_client_sends("tls", &place);
        c_client_finds("tls", &place);
    }
}

/// A histogram is in a field that they do not know.
#[test]
fn clients_pass_over_histograms() {
    let server = Server::start(USUAL);
    let number = Draft {
        host: Some("test".into()),
        service: Some("number".into()),
        description: Some("d".into()),
        metric: Some(Number::Int(7)),
        ..Draft::record()
    };
    let mut histogram = number.clone();
    histogram.service = Some("histogram".into());
    let packed = HistogramRef::new(&[0, 1, 15, 0, 0, 3]).expect("a histogram");
    histogram.set_histogram(packed.to_owned());
    server.connect().send(&[number.build(), histogram.build()]);
    let port = server.port("tcp");
    run(python("passes_over_histograms.py").args([HOST, &port]));
    let mut client = Command::new("riemann-client");
    let query = ["query", "-j", "-T", "service = \"histogram\"", HOST, &port];
    let answer: Value = serde_json::from_slice(&run(client.args(query)).stdout).expect("JSON");
    assert_eq!(answer[0]["description"], "d", "{answer}");
    assert!(answer[0].get("metric_d").is_none(), "{answer}");
}

const C_CLIENT_SENDS: [(&str, &[&str]); 5] = [
    (
        "int",
        &["-i", "9007199254740993", "-s", "ok", "-L", "300.5"],
    ),
    ("double", &["-d", "0.1234567890123456"]),
    ("float", &["-f", "0.5", "-D", "ligne 1 – ☃ 𝄞"]),
    ("tags", &["-t", "a", "-t", "b c", "-t", "ü"]),
    ("attributes", &["-a", "rack=a1", "-a", "größe=10 µm"]),
];

fn c_client_sends(way: &str, place: &[&str]) {
    for (service, flags) in C_CLIENT_SENDS {
        let host = format!("c-{way}");
        let mut client = Command::new("riemann-client");
        run(client
            .arg("send")
            .args(["-h", &host, "-S", service])
            .args(flags)
            .args(place));
    }
}

fn c_client_finds(way: &str, place: &[&str]) {
    let query = format!("host = \"c-{way}\"");
    let (options, address) = place.split_at(place.len() - 2);
    let events = eventually("every event", || {
        let mut client = Command::new("riemann-client");
        client
            .args(["query", "-j"])
            .args(options)
            .arg(&query)
            .args(address);
        let answer: Value = serde_json::from_slice(&run(&mut client).stdout).expect("JSON");
        let events = answer.as_array().expect("a list").clone();
        (events.len() == C_CLIENT_SENDS.len()).then_some(events)
    });
    let find = |service: &str| {
        let found = events.iter().find(|event| event["service"] == service);
        found.unwrap_or_else(|| panic!("no {service} in {events:?}"))
    };
    assert_eq!(find("int")["metric_sint64"], 9_007_199_254_740_993_i64);
    assert_eq!(find("int")["state"], "ok");
    assert_eq!(find("int")["ttl"], 300.5);
    assert_eq!(find("double")["metric_d"], 0.123_456_789_012_345_6);
    assert_eq!(find("float")["metric_f"], 0.5);
    assert_eq!(find("float")["metric_d"], 0.5);
    assert_eq!(find("float")["description"], "ligne 1 – ☃ 𝄞");
    assert_eq!(find("tags")["tags"], serde_json::json!(["a", "b c", "ü"]));
    assert_eq!(find("attributes")["attributes"]["rack"], "a1");
    assert_eq!(find("attributes")["attributes"]["größe"], "10 µm");
    for event in &events {
        let (seconds, micros) = (event["time"].as_i64(), event["time_micros"].as_i64());
        assert_eq!(micros.map(|micros| micros / 1_000_000), seconds, "{event}");
        assert_eq!(event["attributes"]["x-client"], "riemann-c-client");
    }
}
