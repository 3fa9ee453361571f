//! Proves that collectd's `write_riemann` works unchanged, over TCP with and without batches, over
//! UDP and over TLS: its values arrive with host, service, metric, tags, attributes and ttl.

mod server;

use std::fs;
use std::process::{Child, Command, Stdio};

use event::{Event, Fields};
use server::authority::Authority;
use server::{Server, USUAL, eventually};

/// A running collectd. It ends with the test.
struct Collectd(Child);

impl Drop for Collectd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts collectd with two plugins that cost nothing, and a node with those options.
fn start(server: &Server, node: &str) -> Collectd {
    let folder = server.path("collectd");
    fs::create_dir(&folder).expect("the folder takes a folder");
    let base = folder.to_str().expect("a path in UTF-8");
    let config = format!(
        r#"
Hostname "collected"
FQDNLookup false
Interval 1
BaseDir "{base}"
PIDFile "{base}/pid"
LoadPlugin load
LoadPlugin uptime
LoadPlugin write_riemann
<Plugin write_riemann>
  <Node "cauchy">
    Host "127.0.0.1"
    TTLFactor 20.0
    {node}
  </Node>
  Tag "collected by collectd"
  Attribute "rack" "a1"
</Plugin>
"#
    );
    fs::write(folder.join("collectd.conf"), config).expect("the folder takes a file");
    let log = fs::File::create(folder.join("log")).expect("the folder takes a file");
    let child = Command::new("collectd")
        .args(["-f", "-C"])
        .arg(folder.join("collectd.conf"))
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a handle"))
        .stderr(log)
        .spawn()
        .expect("collectd starts; run `cargo xtask needs`");
    Collectd(child)
}

/// Waits for events of both plugins and looks at every field.
fn check(server: &Server) {
    let mut client = server.connect();
    let query = r#"host = "collected" and plugin != nil"#;
    let events = eventually("events of collectd", || {
        let events = client.query(query);
        (events.len() >= 4).then_some(events)
    });
    let load = find(&events, "load/load/shortterm");
    let metric = load.metric().expect("a metric").to_f64();
    assert!((0.0..10_000.0).contains(&metric), "{metric}");
    assert_eq!(load.ttl().map(|ttl| ttl.to_f64()), Some(20.0));
    assert_eq!(
        load.tags()
            .map(|tags| tags.contains("collected by collectd")),
        Some(true)
    );
    assert_eq!(attribute(load, "rack"), Some("a1"));
    assert_eq!(attribute(load, "plugin"), Some("load"));
    assert_eq!(attribute(load, "ds_name"), Some("shortterm"));
    assert_eq!(attribute(load, "ds_type"), Some("gauge"));
    let uptime = find(&events, "uptime/uptime");
    assert!(uptime.metric().expect("a metric").to_f64() > 0.0);
}

fn find<'a>(events: &'a [Event], service: &str) -> &'a Event {
    let found = events.iter().find(|event| event.service() == Some(service));
    found.unwrap_or_else(|| panic!("no {service} in {events:?}"))
}

fn attribute<'a>(event: &'a Event, name: &str) -> Option<&'a str> {
    event
        .attrs()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

#[test]
fn over_tcp_in_batches() {
    let server = Server::start(USUAL);
    let port = server.port("tcp");
    let node = format!("Port \"{port}\"\nProtocol TCP\nBatch true\nBatchFlushTimeout 1");
    let _collectd = start(&server, &node);
    check(&server);
}

#[test]
fn over_tcp_one_by_one() {
    let server = Server::start(USUAL);
    let node = format!("Port \"{}\"\nProtocol TCP\nBatch false", server.port("tcp"));
    let _collectd = start(&server, &node);
    check(&server);
}

#[test]
fn over_udp() {
    let server = Server::start(USUAL);
    let node = format!("Port \"{}\"\nProtocol UDP", server.port("udp"));
    let _collectd = start(&server, &node);
    check(&server);
}

#[test]
fn over_tls() {
    let authority = Authority::new();
    let server = Server::start(&format!(
        "(tcp-server {{:port {} :tls? true :key {:?} :cert {:?} :ca-cert {:?}}}) {USUAL}",
        server::free_port(),
        authority.text("server.key"),
        authority.text("server.crt"),
        authority.text("ca.crt"),
    ));
    let node = format!(
        "Port \"{}\"\nProtocol TLS\nTLSCAFile {:?}\nTLSCertFile {:?}\nTLSKeyFile {:?}\nBatch false",
        server.port("tls"),
        authority.text("ca.crt"),
        authority.text("client.crt"),
        authority.text("client.key"),
    );
    let _collectd = start(&server, &node);
    check(&server);
}
