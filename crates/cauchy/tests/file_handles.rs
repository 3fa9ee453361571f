//! Proves that a server without file handles goes on: those who are connected are served, new ones
//! wait, the log says so, and when handles are free again the waiting are served.

mod server;

use server::process::limit_file_handles;
use server::riemann::{Riemann, event};
use server::{Server, USUAL, program};

const FILE_HANDLES: u64 = 64;

#[test]
fn without_file_handles_the_old_are_served_and_the_new_wait() {
    let mut command = program();
    limit_file_handles(&mut command, FILE_HANDLES);
    let server = Server::start_with(USUAL, command);
    let mut old = server.connect();
    old.send(&[event("old", 1)]);

    // The kernel completes connections that nobody has accepted: these all succeed.
    let mut many: Vec<Riemann> = (0..FILE_HANDLES).map(|_| server.connect()).collect();
    let line = server.log.wait("cannot accept, new connections wait");
    assert!(line.contains("LimitNOFILE"), "the remedy: {line}");
    for number in 0..100 {
        old.send(&[event("still", number)]);
    }
    assert_eq!(old.query("service = \"still\"").len(), 1);

    // The last that connected waits until those before it have gone.
    let mut last = many.pop().expect("many");
    drop(many);
    last.send(&[event("new", 1)]);
    assert_eq!(server.connect().query("service = \"new\"").len(), 1);
    assert!(
        server.log.count("cannot accept") <= 3,
        "the log is not flooded"
    );
}
