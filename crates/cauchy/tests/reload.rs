//! Proves that SIGHUP replaces the streams and nothing else: connections, subscriptions and the
//! index go on, through good configurations and broken ones, which change nothing and are told with
//! file, line and column.

mod server;

use std::io::Write;

use event::Fields;
use server::process::resident_bytes;
use server::riemann::{Riemann, event};
use server::subscriber::Subscriber;
use server::{Server, USUAL, eventually, free_port, http};

/// As usual, and a stream that says which configuration it is of.
fn marked(mark: &str) -> String {
    format!("{USUAL} (streams (where (service \"marked\") (with :state {mark:?} (index))))")
}

fn state(server: &mut Riemann) -> Option<String> {
    server.send(&[event("marked", 1)]);
    let found = server.query("service = \"marked\"");
    found[0].state().map(str::to_owned)
}

#[test]
fn streams_are_replaced_and_the_rest_goes_on() {
    let server = Server::start(&marked("first"));
    let mut client = server.connect();
    assert_eq!(state(&mut client).as_deref(), Some("first"));
    client.send(&[event("kept", 7)]);
    let mut follower = Subscriber::open(
        server.address("ws"),
        "/index?subscribe=true&query=metric%20%3D%2042",
    );
    let mut whole = Subscriber::open(server.address("ws"), "/index?subscribe=true&query=true");
    whole.next_of("kept");
    for round in ["second", "third"] {
        let seen = server.log.len();
        server.reload(&marked(round));
        server.log.wait_after(seen, ": reloaded");
        assert_eq!(state(&mut client).as_deref(), Some(round));
        assert_eq!(
            client.query("service = \"kept\"").len(),
            1,
            "the index is kept"
        );
        client.send(&[event(round, 42)]);
        assert_eq!(follower.next()["service"], round);
    }
    let ports = http::get(server.address("ws"), "/api/status").1;
    let status: serde_json::Value = serde_json::from_str(&ports).expect("JSON");
    assert_eq!(
        status["ports"].as_array().map(Vec::len),
        Some(3),
        "{status}"
    );
    assert!(status["last_reload"]["error"].is_null(), "{status}");
}

#[test]
fn a_broken_configuration_changes_nothing_and_is_told() {
    let server = Server::start(&marked("good"));
    let mut client = server.connect();
    client.send(&[event("kept", 7)]);
    let broken = [
        (
            "(streams\n  (wher (service \"a\") prn))",
            "riemann.config:2:",
        ),
        ("(streams (where true prn)", "riemann.config:1:"),
        (
            "\n\n(throw (Exception. \"on purpose\"))",
            "riemann.config:3:",
        ),
    ];
    for (text, place) in broken {
        let seen = server.log.len();
        server.reload(text);
        server.log.wait_after(seen, "reload failed");
        server.log.wait_after(seen, place);
        assert_eq!(state(&mut client).as_deref(), Some("good"));
        assert_eq!(client.query("service = \"kept\"").len(), 1);
    }
    assert_eq!(state(&mut server.connect()).as_deref(), Some("good"));
}

/// It loads, but the port it wants belongs to someone else.
#[test]
fn a_port_in_use_at_reload_changes_nothing() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let server = Server::start(&marked("good"));
    let mut client = server.connect();
    client.send(&[event("kept", 7)]);
    let seen = server.log.len();
    server.reload(&format!(
        "{} (graphite-server {{:port {port}}})",
        marked("bad")
    ));
    server.log.wait_after(seen, "reload failed");
    server
        .log
        .wait_after(seen, &format!("127.0.0.1:{port} is in use"));
    assert_eq!(state(&mut client).as_deref(), Some("good"));
    assert_eq!(client.query("service = \"kept\"").len(), 1);
    assert_eq!(state(&mut server.connect()).as_deref(), Some("good"));
}

#[test]
fn servers_come_and_go_with_the_configuration() {
    let server = Server::start(&marked("first"));
    let mut client = server.connect();
    // A port of its own: one that the system gives may be given again as soon as it is closed.
    let port = free_port();
    server.reload(&format!(
        "{} (graphite-server {{:port {port}}})",
        marked("second")
    ));
    let graphite = server.address("graphite");
    let mut line = std::net::TcpStream::connect(graphite).expect("a server");
    let now = event("now", 0).time().expect("a time").floor_s();
    writeln!(line, "disk.used 0.5 {now}").expect("it reads");
    eventually("the line", || client.query("service = \"disk.used\"").pop());
    let seen = server.log.len();
    server.reload(&marked("third"));
    server.log.wait_after(seen, ": reloaded");
    eventually("its port to close", || {
        std::net::TcpStream::connect(graphite)
            .is_err()
            .then_some(())
    });
    assert_eq!(state(&mut client).as_deref(), Some("third"));
}

/// The same port with other options: the old server has to go before the new one can come.
#[test]
fn a_server_changes_its_options_and_its_host() {
    let port = free_port();
    let on = |host: &str, backlog: u32| {
        format!(
            "(tcp-server {{:host {host:?} :port {port} :so-backlog {backlog}}})
             (udp-server {{:host {host:?} :port {port}}})
             (streams (default :ttl 60 (index)))"
        )
    };
    let server = Server::start(&on("127.0.0.1", 50));
    server.connect().send(&[event("kept", 7)]);
    for (host, backlog) in [("127.0.0.1", 60), ("0.0.0.0", 60), ("127.0.0.1", 50)] {
        let seen = server.log.len();
        server.reload(&on(host, backlog));
        server.log.wait_after(seen, ": reloaded");
        let mut client = Riemann::connect(([127, 0, 0, 1], port).into());
        assert_eq!(client.query("service = \"kept\"").len(), 1);
    }
}

/// It had to close a running server before it failed: that one comes back.
#[test]
fn a_failed_reload_opens_again_what_it_closed() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").port();
    let port = free_port();
    let on = |backlog: u32| {
        format!(
            "(tcp-server {{:port {port} :so-backlog {backlog}}})
             (streams (default :ttl 60 (index)))"
        )
    };
    let server = Server::start(&on(50));
    server.connect().send(&[event("kept", 7)]);
    let seen = server.log.len();
    server.reload(&format!("{} (graphite-server {{:port {taken}}})", on(60)));
    server.log.wait_after(seen, "reload failed");
    let mut client = Riemann::connect(([127, 0, 0, 1], port).into());
    assert_eq!(client.query("service = \"kept\"").len(), 1);
}

/// What a reload replaces is freed: memory grows with the configuration, not with its reloads.
#[test]
fn reloads_do_not_add_up_in_memory() {
    const RELOADS: usize = 30;
    const BYTES_PER_RELOAD_MAX: usize = 200 << 10;
    let server = Server::start(&marked("same"));
    let reload = || {
        let seen = server.log.len();
        server.reload(&marked("same"));
        server.log.wait_after(seen, ": reloaded");
    };
    // The first ones fill the allocator's pools.
    (0..5).for_each(|_| reload());
    let before = resident_bytes(server.pid());
    (0..RELOADS).for_each(|_| reload());
    let bound = before + (RELOADS * BYTES_PER_RELOAD_MAX) as u64;
    // Old configurations are let go of in the background.
    eventually("the old configurations' memory", || {
        (resident_bytes(server.pid()) < bound).then_some(())
    });
}
