//! Proves that history keeps what its streams are given: as it was sent, through kills and reloads,
//! beside what is too late or too far ahead, and that the server goes on where it cannot be opened.

mod server;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use event::{Draft, Event, Fields, Number, PackedHistogram, Time};
use histogram::Histogram;
use server::riemann::{Riemann, event, events_message};
use server::{Server, eventually, http, program};
use store::{Options, Query, Sample, Series, Store, Value};
use tempfile::TempDir;

/// A server whose streams keep everything.
fn config(dir: &Path, options: &str) -> String {
    format!(
        "(tcp-server {{:port 0}}) (ws-server {{:port 0}})
         (streams (history {{:dir {dir:?} {options}}}))"
    )
}

/// What a folder keeps of the host `test`: the series, the microseconds since `from`, the value.
fn kept(dir: &Path, from: Time) -> Vec<String> {
    let store = Store::open(dir, Options::default()).expect("a store");
    let mut lines = Vec::new();
    let query = Query {
        matches: &|series: &Series| series.host.as_deref() == Some("test"),
        from_us: i64::MIN,
        to_us: i64::MAX,
    };
    let answered = store.samples(&query, &mut |series, time_us, value| {
        let service = series.service.as_deref().unwrap_or("nil");
        let names = series
            .by
            .iter()
            .map(|(name, value)| format!(" {name}={value}"));
        let value = match value {
            Value::Number(number) => number.to_string(),
            Value::Histogram(histogram) => {
                format!(
                    "{} of {} near 2.5",
                    histogram.count_near(2.5),
                    histogram.count()
                )
            }
            Value::Text(text) => format!("{text:?}"),
        };
        let names: String = names.collect();
        lines.push(format!("{service}{names} @{} {value}", time_us - from.us));
        ControlFlow::Continue(())
    });
    assert_eq!(answered.expect("history can be read").damages, []);
    lines.sort();
    lines
}

fn stop(mut server: Server) {
    server.signal(libc::SIGTERM);
    assert!(server.wait().success());
}

/// An event of the host `test`, some microseconds after a time.
fn at(from: Time, after_us: i64, change: impl FnOnce(&mut Draft<'_>)) -> Event {
    let time = Some(Time::from_us(from.us + after_us));
    let mut draft = Draft {
        host: Some("test".into()),
        service: Some("rtt".into()),
        time,
        ..Draft::record()
    };
    change(&mut draft);
    draft.build()
}

fn now() -> Time {
    event("now", 0).time().expect("it has one")
}

#[test]
fn metrics_and_changes_of_state_are_samples_of_their_series() {
    let folder = TempDir::new().expect("a folder");
    let dir = folder.path().join("history");
    let server = Server::start(&config(&dir, ":by [:zone \"canary\"]"));
    let from = now();
    let number = |number| Some(Number::F64(number));
    let events = [
        at(from, 1, |draft| {
            draft.metric = number(0.25);
            draft.state = Some("ok".into());
        }),
        at(from, 2, |draft| {
            draft.metric = Some(Number::Int(7));
            draft.state = Some("ok".into());
        }),
        at(from, 3, |draft| draft.state = Some("critical".into())),
        // Out of order, and the same once more.
        at(from, 0, |draft| draft.metric = number(1.5)),
        at(from, 0, |draft| draft.metric = number(1.5)),
        at(from, 4, |draft| {
            draft.metric = number(2.0);
            draft.attrs = vec![("zone".into(), "a".into()), ("rack".into(), "1".into())];
            draft.tags = Some(vec!["web".into(), "canary".into()]);
        }),
        at(from, 5, |draft| {
            let mut histogram = Histogram::new();
            histogram.insert_n(2.5, 3);
            draft.set_histogram(PackedHistogram::from(&histogram));
        }),
        // Its ttl is over; the metric was measured before.
        at(from, 6, |draft| {
            draft.metric = number(2.0);
            draft.state = Some("expired".into());
        }),
        // Nothing to keep.
        at(from, 7, |_| {}),
    ];
    server.connect().send(&events);
    stop(server);
    assert_eq!(
        kept(&dir, from),
        [
            "rtt @0 1.5",
            "rtt @1 \"ok\"",
            "rtt @1 0.25",
            "rtt @2 7",
            "rtt @3 \"critical\"",
            "rtt @5 3 of 3 near 2.5",
            "rtt @6 \"expired\"",
            "rtt zone=a tags=canary @4 2",
        ]
    );
}

/// A figure of `/metrics`.
fn metric(server: &Server, name: &str) -> f64 {
    let (status, text) = http::get(server.address("ws"), "/metrics");
    assert_eq!(status, 200);
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let line = line.unwrap_or_else(|| panic!("no {name} in:\n{text}"));
    line.trim().parse().expect("a number")
}

#[test]
fn what_is_too_late_or_too_far_ahead_is_counted() {
    let folder = TempDir::new().expect("a folder");
    let dir = folder.path().join("history");
    let options = ":ahead 60 :retention {:raw 3600}";
    let server = Server::start(&config(&dir, options));
    let from = now();
    let measured = |after_s: i64| {
        at(from, after_s * 1_000_000, |draft| {
            draft.metric = Some(Number::Int(after_s));
        })
    };
    let events = [0, -3500, -3700, 3, 120, 100_000_000].map(measured);
    server.connect().send(&events);
    assert_eq!(metric(&server, "cauchy_history_samples_total"), 3.0);
    assert_eq!(metric(&server, "cauchy_history_late_total"), 1.0);
    assert_eq!(metric(&server, "cauchy_history_ahead_total"), 2.0);
    assert_eq!(metric(&server, "cauchy_history_series"), 1.0);
    stop(server);
    assert_eq!(kept(&dir, from).len(), 3);
}

/// Kills of a server; `SLOW=1` asks for more.
fn rounds() -> u64 {
    match std::env::var_os("SLOW") {
        Some(_) => 30,
        None => 3,
    }
}

/// Sends numbered events until the server is gone, and gives the last that was acknowledged.
fn send_until_killed(server: std::net::SocketAddr, service: &str) -> i64 {
    let Ok(mut client) = Riemann::try_connect(server) else {
        return 0;
    };
    let (mut sent, mut acknowledged) = (0, 0);
    loop {
        let mut messages = Vec::new();
        for _ in 0..20 {
            sent += 1;
            messages.extend(events_message(&[event(service, sent)]));
        }
        if client.stream.write_all(&messages).is_err() {
            return acknowledged;
        }
        for _ in 0..20 {
            match client.answer() {
                Ok(answer) if answer.ok => acknowledged += 1,
                Ok(refused) => panic!("{refused:?}"),
                Err(_) => return acknowledged,
            }
        }
    }
}

#[test]
fn a_kill_loses_nothing_that_was_acknowledged() {
    let folder = TempDir::new().expect("a folder");
    let dir = folder.path().join("history");
    let mut acknowledged = Vec::new();
    for round in 0..rounds() {
        let mut server = Server::start(&config(&dir, ""));
        let address = server.address("tcp");
        let clients = (0..3).map(|client| {
            let service = format!("r{round}c{client}");
            thread::spawn(move || (send_until_killed(address, &service), service))
        });
        let clients: Vec<_> = clients.collect();
        thread::park_timeout(Duration::from_millis(20 + 37 * round));
        server.signal(libc::SIGKILL);
        server.wait();
        for client in clients {
            acknowledged.push(client.join().expect("a client"));
        }
    }
    let kept: BTreeSet<String> = kept(&dir, Time::from_us(0))
        .into_iter()
        .map(|line| {
            let mut words = line.split(' ');
            let (service, number) = (words.next(), words.next_back());
            format!(
                "{} {}",
                service.unwrap_or_default(),
                number.unwrap_or_default()
            )
        })
        .collect();
    let mut total = 0;
    for (last, service) in acknowledged {
        for number in 1..=last {
            assert!(
                kept.contains(&format!("{service} {number}")),
                "{service} {number} of {last}"
            );
        }
        total += last;
    }
    assert!(total > 0, "nothing was acknowledged");
}

#[test]
fn a_reload_keeps_the_store_and_opens_another() {
    let folder = TempDir::new().expect("a folder");
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let server = Server::start(&config(&first, ""));
    let from = now();
    let mut client = server.connect();
    let mut send = |number: i64| {
        client.send(&[at(from, number, |draft| {
            draft.metric = Some(Number::Int(number))
        })]);
    };
    let reload = |config: &str| {
        let seen = server.log.len();
        server.reload(config);
        server.log.wait_after(seen, ": reload");
    };
    send(1);
    reload(&config(&first, ":by [:zone]"));
    send(2);
    reload(&config(&first, ":full :roll-up"));
    server
        .log
        .wait("the history's new options hold from the next start on");
    send(3);
    reload(&config(&second, ""));
    send(4);
    // No folder can be made in a file: nothing changes.
    let file = folder.path().join("file");
    fs::write(&file, "").expect("the folder takes a file");
    reload(&config(&file.join("below"), ""));
    server.log.wait("reload failed");
    send(5);
    reload("(tcp-server {:port 0}) (ws-server {:port 0})");
    send(6);
    reload(&config(&first, ""));
    send(7);
    stop(server);
    assert_eq!(
        kept(&first, from),
        ["rtt @1 1", "rtt @2 2", "rtt @3 3", "rtt @7 7"]
    );
    assert_eq!(kept(&second, from), ["rtt @4 4", "rtt @5 5"]);
}

#[test]
fn a_folder_that_another_server_has_is_told_of() {
    let folder = TempDir::new().expect("a folder");
    let dir = folder.path().join("history");
    let first = Server::start(&config(&dir, ""));
    let mut second = Server::spawn(&config(&dir, ""), program());
    let told = "another process has it open; stop that one, or name another folder";
    let line = second.log.wait(told);
    assert!(line.contains(&dir.display().to_string()), "{line}");
    assert_eq!(second.wait().code(), Some(1));
    let optional = Server::start(&config(&dir, ":optional true"));
    optional.log.wait("the server goes on without history");
    let from = now();
    let one = [at(from, 0, |draft| draft.metric = Some(Number::Int(1)))];
    optional.connect().send(&one);
    first.connect().send(&one);
    stop(optional);
    stop(first);
    assert_eq!(kept(&dir, from), ["rtt @0 1"]);
}

#[test]
fn a_full_disk_refuses_samples_and_takes_them_again() {
    let folder = TempDir::new().expect("a folder");
    let dir = folder.path().join("history");
    let mut command = program();
    server::process::limit_file_bytes(&mut command, 5 << 20);
    let server = Server::start_with(&config(&dir, ""), command);
    let mut client = server.connect();
    let from = now();
    let batch = |first: i64| -> Vec<Event> {
        let numbered = |number: i64| {
            at(from, number, |draft| {
                draft.service = Some(format!("s{number:0>1000}").into());
                draft.metric = Some(Number::Int(number));
            })
        };
        (first..first + 100).map(numbered).collect()
    };
    let mut first = 0;
    while metric(&server, "cauchy_history_refused_total") == 0.0 {
        client.send(&batch(first));
        first += 100;
        assert!(first < 100_000, "it never was full");
    }
    server.log.wait("the disk is full");
    server::process::unlimit_file_bytes(server.pid());
    let taken = || metric(&server, "cauchy_history_samples_total");
    let before = taken();
    eventually("that samples are taken again", || {
        client.send(&batch(first));
        first += 100;
        (taken() > before).then_some(())
    });
    let taken = taken();
    stop(server);
    assert_eq!(kept(&dir, from).len() as f64, taken);
}

#[test]
fn every_byte_is_looked_at_and_damaged_cells_are_made_anew() {
    let folder = TempDir::new().expect("a folder");
    let dir = folder.path().join("history");
    let store = Store::open(&dir, Options::default()).expect("a store");
    let samples: Vec<Sample<'_>> = (0..1000)
        .map(|at| Sample {
            host: Some("test"),
            service: Some("rtt"),
            by: &[],
            time_us: at * 1_000_000,
            value: Value::Number(at as f64),
        })
        .collect();
    store.append(&samples).expect("taken");
    store.compact().expect("rolled up");
    drop(store);
    let files = fs::read_dir(&dir)
        .expect("the folder")
        .flatten()
        .map(|entry| entry.path());
    let is_cells = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".blocks") && !name.starts_with("raw")
    };
    let cells = files.into_iter().find(is_cells).expect("a file of cells");
    let mut bytes = fs::read(&cells).expect("it can be read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&cells, bytes).expect("it can be written");
    let options = ":scrub 1 :retention {:raw :forever :minutes :forever}";
    let server = Server::start(&config(&dir, options));
    server.log.wait("was made anew");
    eventually("another look, that finds nothing", || {
        (metric(&server, "cauchy_history_scrubs_total") >= 2.0).then_some(())
    });
    assert_eq!(metric(&server, "cauchy_history_damages_left"), 0.0);
    stop(server);
    assert_eq!(kept(&dir, Time::from_us(0)).len(), 1000);
}

#[test]
fn commands_that_serve_nothing_make_no_folder() {
    let folder = TempDir::new().expect("a folder");
    let (dir, file) = (
        folder.path().join("history"),
        folder.path().join("a.config"),
    );
    let text = format!(
        "{} (tests (deftest a (is (= 1 1)) (inject! [{{:service \"a\" :metric 1 :time 0}}])))",
        config(&dir, "")
    );
    fs::write(&file, text).expect("the folder takes a file");
    for command in ["check", "test"] {
        let output = program().arg(command).arg(&file).output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
    }
    assert!(!dir.exists());
}
