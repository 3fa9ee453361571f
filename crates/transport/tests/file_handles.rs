//! The process runs out of file handles. A test of its own process, whose limit it lowers.

#[allow(dead_code, reason = "this test uses a part")]
#[path = "servers/recorder.rs"]
mod recorder;
#[allow(dead_code, reason = "this test uses a part")]
#[path = "servers/wire.rs"]
mod wire;

use std::fs::File;
use std::sync::atomic::Ordering;
use std::time::Instant;

use recorder::{PATIENCE, Recorder};
use rustix::process::{Resource, getrlimit, setrlimit};
use transport::{TcpOptions, TcpServer, Workers};
use wire::{Answer, connect, events, exchange};

/// Riemann 0.2.0 hung. New clients wait, old ones are served, and it recovers.
#[test]
fn without_file_handles_new_clients_wait() {
    let workers = Workers::start(Some(1)).unwrap();
    let options = TcpOptions {
        port: Some(0),
        ..TcpOptions::default()
    };
    let server = TcpServer::bind(&options)
        .unwrap()
        .serve(&workers, Recorder::new());
    let mut old = connect(server.addr());
    assert_eq!(exchange(&mut old, &events(&["old"]), 1), [Answer::Ok]);

    let mut limits = getrlimit(Resource::Nofile);
    let before = limits.current;
    limits.current = Some(64);
    setrlimit(Resource::Nofile, limits).unwrap();
    let mut handles: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
    // One handle is left, for the client. For its counterpart there is none.
    handles.pop();
    let mut waiting = connect(server.addr());
    let started = Instant::now();
    while server.stats().accept_errors.load(Ordering::Relaxed) == 0 {
        assert!(
            started.elapsed() < PATIENCE,
            "no error of accepting was seen"
        );
        std::thread::yield_now();
    }
    assert_eq!(exchange(&mut old, &events(&["still"]), 1), [Answer::Ok]);

    drop(handles);
    limits.current = before;
    setrlimit(Resource::Nofile, limits).unwrap();
    assert_eq!(exchange(&mut waiting, &events(&["new"]), 1), [Answer::Ok]);
}
