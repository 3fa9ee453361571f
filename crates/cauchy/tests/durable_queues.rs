//! Proves that what waits in a journal for a sink leaves in order, once at least: the target is
//! down, comes, and is killed; the server is killed, started again, and reloads.

mod server;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use event::{Draft, Event};
use server::riemann::{Riemann, event};
use server::{Server, eventually, free_port, http, process, program};
use tempfile::TempDir;

/// A place for what outlives the servers of one test.
struct Bench {
    folder: TempDir,
    port: u16,
}

impl Bench {
    fn new() -> Bench {
        Bench {
            folder: TempDir::new().expect("a folder"),
            port: free_port(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A server that hands on what it is sent, to a server that may be there or not.
    fn forwarding(&self, options: &str) -> String {
        let (port, dir) = (self.port, self.path("up"));
        format!(
            "(tcp-server {{:port 0}}) (ws-server {{:port 0}})
             (let [up (tcp-client {{:host \"127.0.0.1\" :port {port}
                                    :queue {{:journal \"up\" :dir {dir:?} {options}}}}})]
               (streams (where (service \"n\") (forward up))))"
        )
    }

    /// The server that it goes to, which writes what comes to a file.
    fn target(&self) -> Server {
        let (port, seen) = (self.port, self.path("seen"));
        Server::start(&format!(
            "(tcp-server {{:port {port}}})
             (let [seen {seen:?}]
               (streams (fn [event] (spit seen (str (:metric event) \"\\n\") :append true))))"
        ))
    }

    fn seen(&self) -> Vec<i64> {
        numbers(&self.path("seen"))
    }

    /// Waits until a number was seen, and checks that nothing was missed on the way: what comes
    /// again after a crash begins at or before what was seen last.
    fn wait_for(&self, last: i64) {
        let seen = eventually("what was sent", || {
            Some(self.seen()).filter(|seen| seen.last() == Some(&last))
        });
        check_order(&seen, last);
    }
}

/// The numbers in the lines of a file; the last may be torn.
fn numbers(path: &Path) -> Vec<i64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().filter_map(|line| line.parse().ok()).collect()
}

fn check_order(seen: &[i64], last: i64) {
    let mut highest = 0;
    for number in seen {
        assert!(*number <= highest + 1, "{number} after {highest}: {seen:?}");
        highest = highest.max(*number);
    }
    assert_eq!(highest, last);
}

fn send(client: &mut Riemann, numbers: impl IntoIterator<Item = i64>) {
    for number in numbers {
        client.send(&[event("n", number)]);
    }
}

/// A figure of `/metrics`.
fn figure(server: &Server, name: &str, queue: &str) -> u64 {
    let (_, text) = http::get(server.address("ws"), "/metrics");
    let line = format!("cauchy_outlet_{name}{{outlet=\"{queue}\"}} ");
    let value = text.lines().find_map(|row| row.strip_prefix(&line));
    let value = value.unwrap_or_else(|| panic!("no {line} in {text}"));
    value.parse::<f64>().expect("a number") as u64
}

/// Waits until a figure is what it should be.
fn wait_figure(server: &Server, name: &str, queue: &str, value: u64) {
    eventually(name, || {
        (figure(server, name, queue) == value).then_some(())
    });
}

/// What `cauchy journal read` prints.
fn read_journal(dir: &Path) -> String {
    let read = program()
        .args(["journal", "read", "--format", "json"])
        .arg(dir)
        .output()
        .expect("the program runs");
    assert!(read.status.success(), "{read:?}");
    String::from_utf8(read.stdout).expect("UTF-8")
}

#[test]
fn a_target_that_is_down_and_comes_and_is_killed() {
    let bench = Bench::new();
    let server = Server::start(&bench.forwarding(""));
    let mut client = server.connect();
    send(&mut client, 1..=300);
    assert_eq!(figure(&server, "queue_size", "up"), 300);
    let mut target = bench.target();
    eventually("some of it", || (bench.seen().len() > 20).then_some(()));
    target.signal(libc::SIGKILL);
    target.wait();
    send(&mut client, 301..=600);
    let _target = bench.target();
    bench.wait_for(600);
    wait_figure(&server, "queue_size", "up", 0);
    assert_eq!(figure(&server, "sent_total", "up"), 600);
    assert!(figure(&server, "failed_total", "up") > 0);
    assert_eq!(figure(&server, "lost_total", "up"), 0);
}

#[test]
fn a_server_that_is_killed_with_items_waiting() {
    for options in [
        "",
        ":durability :interval :ms 20 :compression :lz4",
        ":durability :always",
    ] {
        let bench = Bench::new();
        let mut first = Server::start(&bench.forwarding(options));
        send(&mut first.connect(), 1..=100);
        let waiting = read_journal(&bench.path("up"));
        assert_eq!(waiting.lines().count(), 100);
        assert!(waiting.contains("\"metric\":100"), "{waiting}");
        first.signal(libc::SIGKILL);
        first.wait();
        let mut second = Server::start(&bench.forwarding(options));
        second.log.wait("goes on with what has not left");
        send(&mut second.connect(), 101..=150);
        let _target = bench.target();
        eventually("some of it", || (!bench.seen().is_empty()).then_some(()));
        second.signal(libc::SIGKILL);
        second.wait();
        let third = Server::start(&bench.forwarding(options));
        send(&mut third.connect(), 151..=200);
        bench.wait_for(200);
    }
}

#[test]
fn killed_again_and_again_while_it_takes_and_delivers() {
    let bench = Bench::new();
    let _target = bench.target();
    let mut acknowledged = 0;
    for round in 0..4 {
        let mut server = Server::start(&bench.forwarding(""));
        let address = server.address("tcp");
        let sender = thread::spawn(move || {
            let mut client = Riemann::try_connect(address).expect("a connection");
            let mut sent = acknowledged;
            while let Ok(answer) = client.try_send(&[event("n", sent + 1)]) {
                assert!(answer.ok, "{answer:?}");
                sent += 1;
            }
            sent
        });
        thread::park_timeout(Duration::from_millis(30 + 40 * round));
        server.signal(libc::SIGKILL);
        server.wait();
        // The one that was on its way may be in the journal too: the next round sends it again.
        acknowledged = sender.join().expect("a sender");
    }
    let last = Server::start(&bench.forwarding(""));
    send(&mut last.connect(), [acknowledged + 1]);
    bench.wait_for(acknowledged + 1);
    assert!(acknowledged > 0);
}

#[test]
fn a_reload_and_an_orderly_stop_keep_what_waits() {
    let bench = Bench::new();
    let mut server = Server::start(&bench.forwarding(""));
    let mut client = server.connect();
    send(&mut client, 1..=50);
    let other = format!("{} (streams (fn [_] nil))", bench.forwarding(":tries 1000"));
    server.reload(&other);
    server.log.wait(": reloaded");
    send(&mut client, 51..=100);
    let seen = server.log.len();
    server.reload("(this is wrong");
    server
        .log
        .wait_after(seen, "the running configuration stays");
    send(&mut client, 101..=110);
    server.signal(libc::SIGTERM);
    assert!(server.wait().success());
    let server = Server::start(&other);
    assert_eq!(figure(&server, "queue_size", "up"), 110);
    let _target = bench.target();
    bench.wait_for(110);
    let mut client = server.connect();
    server.reload(&bench.forwarding(""));
    server.log.wait(": reloaded");
    send(&mut client, 111..=120);
    bench.wait_for(120);
    assert_eq!(bench.seen(), (1..=120).collect::<Vec<_>>());
}

fn long_event(number: i64) -> Event {
    let description = format!("{number}: {}", "x".repeat(10_000));
    event("n", number).edit(|draft: &mut Draft<'_>| draft.description = Some(description.into()))
}

#[test]
fn a_full_disk_loses_what_comes_meanwhile_and_no_more() {
    let bench = Bench::new();
    let mut command = program();
    process::limit_file_bytes(&mut command, 400_000);
    let server = Server::start_with(&bench.forwarding(""), command);
    let mut client = server.connect();
    let mut sent = 0;
    while figure(&server, "lost_total", "up") == 0 {
        sent += 1;
        client.send(&[long_event(sent)]);
        assert!(sent < 1000, "the disk is never full");
    }
    server.log.wait("not kept, and lost");
    let kept = figure(&server, "queue_size", "up") as i64;
    let lost = figure(&server, "lost_total", "up") as i64;
    assert_eq!(kept + lost, sent);
    process::unlimit_file_bytes(server.pid());
    client.send(&[long_event(sent + 1)]);
    let _target = bench.target();
    let seen = eventually("what was kept", || {
        Some(bench.seen()).filter(|seen| seen.last() == Some(&(sent + 1)))
    });
    assert_eq!(seen.len() as i64, kept + 1);
    assert_eq!(seen[..kept as usize], (1..=kept).collect::<Vec<_>>());
}

#[test]
fn what_a_target_refuses_is_a_dead_letter() {
    let bench = Bench::new();
    // Nobody listens: two tries and then the next.
    let config = bench.forwarding(":tries 2");
    let mut server = Server::start(&config);
    let mut client = server.connect();
    send(&mut client, [1]);
    wait_figure(&server, "dead_total", "up", 1);
    wait_figure(&server, "queue_size", "up", 0);
    let dead = read_journal(&bench.path("up.dead"));
    assert!(dead.contains("\"reason\":\"not connected"), "{dead}");
    assert!(dead.contains("\"metric\":1"), "{dead}");
    server.log.wait("put among the dead letters");
    server.signal(libc::SIGKILL);
    server.wait();
    // They stay, and are not tried again.
    let server = Server::start(&config);
    let _target = bench.target();
    send(&mut server.connect(), [2]);
    eventually("the next", || (bench.seen() == [2]).then_some(()));
    assert_eq!(read_journal(&bench.path("up.dead")), dead);
}

/// A queue whose only child writes what comes to a file once there is a file `open`, and throws
/// before.
fn gated(bench: &Bench, options: &str) -> String {
    let (gate, seen, dir) = (bench.path("open"), bench.path("seen"), bench.path("work"));
    format!(
        "(tcp-server {{:port 0}}) (ws-server {{:port 0}})
         (let [gate {gate:?} seen {seen:?}]
           (streams (where (service \"n\")
             (async-queue! :work {{:queue {{:journal \"work\" :dir {dir:?}}} {options}}}
               (fn [event]
                 (when-not (.exists (clojure.java.io/file gate))
                   (throw (Exception. \"not yet\")))
                 (spit seen (str (:metric event) \"\\n\") :append true))))))"
    )
}

#[test]
fn an_async_queue_goes_on_after_a_kill() {
    let bench = Bench::new();
    let mut server = Server::start(&gated(&bench, ""));
    send(&mut server.connect(), 1..=100);
    server.log.wait("not yet");
    server.signal(libc::SIGKILL);
    server.wait();
    fs::write(bench.path("open"), "").expect("a file");
    let server = Server::start(&gated(&bench, ""));
    send(&mut server.connect(), 101..=120);
    bench.wait_for(120);
    wait_figure(&server, "queue_size", "work", 0);
}

#[test]
fn an_async_queue_with_several_threads_loses_nothing() {
    let bench = Bench::new();
    fs::write(bench.path("open"), "").expect("a file");
    let server = Server::start(&gated(&bench, ":core-pool-size 4"));
    send(&mut server.connect(), 1..=500);
    let mut seen = eventually("all", || {
        Some(bench.seen()).filter(|seen| seen.len() >= 500)
    });
    seen.sort_unstable();
    assert_eq!(seen, (1..=500).collect::<Vec<_>>());
}

#[test]
fn values_of_every_kind_come_back_as_they_were() {
    let bench = Bench::new();
    let (dir, seen) = (bench.path("values"), bench.path("seen"));
    let values = "[{:service \"n\" :metric 1/3 :time 5 :tags (list \"a\") :nested {:a [1 nil \\x]}}
                   [] {} [(assoc (event {:service \"e\" :metric 1.5 :x \"y\"}) :time 2.5)]
                   (assoc (event {:service \"no time\" :metric 2N}) :time nil)
                   (event {:service \"odd\" :time 1 :k :keyword})
                   :keyword \"text \\\"quoted\\\" \\n\" 1.5M #{1 2} 'symbol]";
    let config = format!(
        "(tcp-server {{:port 0}})
         (let [seen {seen:?}
               queue (async-queue! :values {{:queue {{:journal \"values\" :dir {dir:?}}}}}
                       (fn [value] (spit seen (str (pr-str value) \"\\n\") :append true)))]
           (streams (fn [_]
             (doseq [value {values}] (queue value))
             (try (queue inc) (catch Exception e (queue (.getMessage e))))
             (spit {expected:?} (apply str (map (fn [v] (str (pr-str v) \"\\n\")) {values}))))))",
        expected = bench.path("expected"),
    );
    let server = Server::start(&config);
    server.connect().send(&[event("go", 1)]);
    let seen = eventually("all", || {
        let text = fs::read_to_string(bench.path("seen")).unwrap_or_default();
        text.contains("cannot be written down").then_some(text)
    });
    let expected = fs::read_to_string(bench.path("expected")).expect("written before");
    for (came, given) in seen.lines().zip(expected.lines()) {
        // A plain map comes back for a record with something odd in it.
        let given = given.replace("#riemann.codec.Event", "");
        assert_eq!(came.replace("#riemann.codec.Event", ""), given);
    }
    assert_eq!(seen.lines().count(), expected.lines().count() + 1);
}

/// A server that answers each request by what its body says.
fn http_target(status: fn(&str) -> u16) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let taken = bodies.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, taken) = (stream.expect("a connection"), taken.clone());
            thread::spawn(move || serve(stream, status, &taken));
        }
    });
    (port, bodies)
}

fn serve(mut stream: TcpStream, status: fn(&str) -> u16, taken: &Mutex<Vec<String>>) {
    while let Some(body) = read_request(&mut stream) {
        let status = status(&body);
        if status == 200 {
            taken.lock().expect("no panic").push(body);
        }
        let answer = format!("HTTP/1.1 {status} said\r\nContent-Length: 3\r\n\r\nwhy");
        if stream.write_all(answer.as_bytes()).is_err() {
            break;
        }
    }
}

fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut text = Vec::new();
    let mut bytes = [0; 65536];
    loop {
        let read = stream.read(&mut bytes).ok().filter(|read| *read > 0)?;
        text.extend_from_slice(&bytes[..read]);
        let said = String::from_utf8_lossy(&text).into_owned();
        let Some((head, body)) = said.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.to_lowercase();
        let length = length.split("content-length:").nth(1)?;
        let length: usize = length.lines().next()?.trim().parse().ok()?;
        if body.len() >= length {
            return Some(body.to_owned());
        }
    }
}

fn status_of(body: &str) -> u16 {
    if body.contains("poison") { 400 } else { 200 }
}

#[test]
fn of_a_batch_only_what_is_refused_is_a_dead_letter() {
    let bench = Bench::new();
    let (port, bodies) = http_target(status_of);
    let dir = bench.path("db");
    let server = Server::start(&format!(
        "(tcp-server {{:port 0}}) (ws-server {{:port 0}})
         (streams (influxdb {{:host \"127.0.0.1\" :port {port}
                               :queue {{:journal \"db\" :dir {dir:?}}}}}))"
    ));
    let services = ["a1", "a2", "poison", "a3"];
    let events: Vec<Event> = services.iter().map(|service| event(service, 1)).collect();
    server.connect().send(&events);
    eventually("all but one", || {
        let settled = figure(&server, "sent_total", "db") + figure(&server, "dead_total", "db");
        (settled == 4).then_some(())
    });
    assert_eq!(figure(&server, "dead_total", "db"), 1);
    let taken = bodies.lock().expect("no panic").join("");
    for service in ["a1", "a2", "a3"] {
        assert!(taken.contains(service), "{taken}");
    }
    let dead = read_journal(&bench.path("db.dead"));
    assert!(
        dead.contains("status 400: why") && dead.contains("poison"),
        "{dead}"
    );
}

#[test]
fn each_stream_of_a_sink_finds_its_way() {
    let bench = Bench::new();
    let (port, bodies) = http_target(status_of);
    let dir = bench.path("pages");
    let server = Server::start(&format!(
        "(tcp-server {{:port 0}}) (ws-server {{:port 0}})
         (let [queue {{:journal \"pages\" :dir {dir:?}}}
               duty (pagerduty {{:service-key \"key\" :url \"http://127.0.0.1:{port}/\"
                                :formatter (fn [event] {{:description (:service event)}})
                                :queue queue}})]
           (streams
             (where (service \"up\") (:resolve duty))
             (where (service \"down\") (:trigger duty))
             (by :service
               (:acknowledge
                 (pagerduty {{:service-key \"key\" :url \"http://127.0.0.1:{port}/\"
                             :formatter (fn [event] {{:description \"seen\"}})
                             :queue {{:journal \"seen\" :dir {seen:?}}}}})))))",
        seen = bench.path("seen"),
    ));
    server.connect().send(&[event("down", 1)]);
    server.connect().send(&[event("up", 1)]);
    eventually("four requests", || {
        (bodies.lock().expect("no panic").len() == 4).then_some(())
    });
    let bodies = bodies.lock().expect("no panic").clone();
    let of = |kind: &str| bodies.iter().filter(|body| body.contains(kind)).count();
    assert_eq!(
        (of("trigger"), of("resolve"), of("acknowledge")),
        (1, 1, 2),
        "{bodies:?}"
    );
    wait_figure(&server, "sent_total", "pages", 2);
    wait_figure(&server, "sent_total", "seen", 2);
}

#[test]
fn a_journal_that_another_has_is_told_of() {
    let bench = Bench::new();
    let server = Server::start(&bench.forwarding(""));
    let mut second = Server::spawn(&bench.forwarding(""), program());
    second.log.wait("the queue \"up\" in ");
    assert!(!second.wait().success());
    send(&mut server.connect(), [1]);
    let config = format!(
        "(journal \"up\" {{:dir {dir:?}}})",
        dir = bench.path("other")
    );
    let config = bench.forwarding("").replace("/up\"", "/other\"") + &config;
    let mut third = Server::spawn(&config, program());
    third
        .log
        .wait("is the folder of the journal in front of the streams");
    assert!(!third.wait().success());
}
