//! Proves that 10 000 idle connections cost little: another client is served as ever, and memory
//! stays below a few KiB a connection. Where the system allows fewer files, as many as it allows,
//! which must be 1 000.

mod server;

use std::net::TcpStream;

use server::process::{limit_file_handles, raise_file_handles, resident_bytes};
use server::riemann::event;
use server::{Server, USUAL, eventually, http, program};

const CONNECTIONS: u64 = 10_000;
/// Files and sockets beside the connections.
const OTHERS: u64 = 200;
/// What an idle connection may cost the server.
const BYTES_PER_CONNECTION: u64 = 8 << 10;

#[test]
fn ten_thousand_idle_connections_cost_little() {
    let limit = raise_file_handles(CONNECTIONS + OTHERS);
    let count = CONNECTIONS.min(limit.saturating_sub(OTHERS));
    assert!(
        count >= 1_000,
        "the limit of open files, {limit}, is too low to test anything"
    );
    let mut command = program();
    limit_file_handles(&mut command, limit);
    let server = Server::start_with(USUAL, command);
    let mut client = server.connect();
    client.send(&[event("before", 1)]);
    let before = resident_bytes(server.pid());

    let address = server.address("tcp");
    let idle: Vec<TcpStream> = (0..count)
        .map(|_| TcpStream::connect(address).expect("the server takes a connection"))
        .collect();
    let open = |count: u64| {
        let labels = format!("{{address=\"{address}\",server=\"tcp\"}}");
        let sample = format!("cauchy_server_connections{labels} {count}\n");
        let (_, metrics) = http::get(server.address("ws"), "/metrics");
        metrics.contains(&sample).then_some(())
    };
    eventually("every connection", || open(count + 1));
    for number in 0..1_000 {
        client.send(&[event("meanwhile", number)]);
    }
    assert_eq!(client.query("service = \"meanwhile\"").len(), 1);
    server.connect().send(&[event("newcomer", 1)]);
    let cost = resident_bytes(server.pid()).saturating_sub(before) / count;
    println!("{count} idle connections, {cost} bytes each");
    assert!(cost < BYTES_PER_CONNECTION, "{cost} bytes a connection");
    drop(idle);
    eventually("their end", || open(1));
    client.send(&[event("after", 1)]);
}
