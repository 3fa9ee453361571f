//! Proves that an indexed event costs little memory: a million with tags and a description must fit
//! in 400 MB with the server, so that a tenth of them may take a tenth of what the server leaves.

mod server;

use event::{Draft, Event, Number};
use server::process::resident_bytes;
use server::riemann::event;
use server::{Server, built_in_without_history, fastest_program, free_port};

const KEYS: usize = 100_000;
const EVENTS_PER_MESSAGE: usize = 1_000;
const RESIDENT_BYTES_MAX: u64 = (400_000_000 - 20_000_000) / 10;

#[test]
fn indexed_events_take_little_memory() {
    let config = built_in_without_history(free_port());
    let server = Server::start_with(&config, fastest_program().0);
    let idle = resident_bytes(server.pid());
    let mut client = server.connect();
    let now = event("now", 0);
    for first in (0..KEYS).step_by(EVENTS_PER_MESSAGE) {
        let events: Vec<Event> = (first..first + EVENTS_PER_MESSAGE)
            .map(|key| key_event(key, &now))
            .collect();
        client.send(&events);
    }
    let taken = resident_bytes(server.pid()) - idle;
    assert_eq!(client.query("service = \"disk 7 used\"").len(), KEYS / 100);
    println!("{} bytes an event", taken / KEYS as u64);
    assert!(taken < RESIDENT_BYTES_MAX, "{taken} bytes");
}

fn key_event(key: usize, now: &Event) -> Event {
    Draft {
        host: Some(format!("web-{:05}.example.com", key / 100).into()),
        service: Some(format!("disk {} used", key % 100).into()),
        state: Some("ok".into()),
        description: Some("all is well on this one".into()),
        metric: Some(Number::F64(key as f64)),
        tags: Some(vec!["production".into(), "web".into()]),
        ttl: Some(Number::F32(3600.0)),
        ..now.draft()
    }
    .build()
}
