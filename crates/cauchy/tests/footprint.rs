//! Proves that the server starts at once and idles in little memory, with the built-in
//! configuration's servers: under 50 ms to listening and 22 MB resident for the program as users
//! build it (`target/release/cauchy`). The bench holds it to 20 MB; how much of the program is
//! mapped depends on what the kernel has in its cache. An unoptimised build, where that is all there
//! is, is held to wider bounds: it shows a start that became slow, not a fast one.

mod server;

use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use server::process::resident_bytes;
use server::{Server, built_in, eventually, fastest_program, free_port};

/// The best of this many starts counts: the machine has other things to do.
const STARTS: usize = 10;

struct Bounds {
    start: Duration,
    resident_bytes: u64,
}

const AS_USERS_BUILD_IT: Bounds = Bounds {
    start: Duration::from_millis(50),
    resident_bytes: 22_000_000,
};
const UNOPTIMISED: Bounds = Bounds {
    start: Duration::from_millis(1_000),
    resident_bytes: 60_000_000,
};

fn command() -> (Command, Bounds) {
    let (command, fast) = fastest_program();
    (command, if fast { AS_USERS_BUILD_IT } else { UNOPTIMISED })
}

/// From the start of the process until it takes a connection.
fn start() -> Duration {
    let port = free_port();
    let started = Instant::now();
    let _server = Server::spawn(&built_in(port), command().0);
    eventually("a connection", || {
        TcpStream::connect(("127.0.0.1", port)).ok()
    });
    started.elapsed()
}

#[test]
fn it_starts_at_once_and_idles_in_little_memory() {
    let bounds = command().1;
    let best = (0..STARTS).map(|_| start()).min().expect("starts");
    let server = Server::start_with(&built_in(free_port()), command().0);
    let resident = resident_bytes(server.pid());
    println!("{best:?} to listening, {resident} bytes resident");
    assert!(best < bounds.start, "{best:?} to listening");
    assert!(
        resident < bounds.resident_bytes,
        "{resident} bytes resident"
    );
}
