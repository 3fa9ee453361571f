//! Proves that sinks and the children of an `async-queue!` are given from a journal what streams gave
//! them: each by its stream, in every form, and what is refused apart.

mod server;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use event::Event;
use server::queues::{Bench, figure, read_journal, send, wait_figure};
use server::riemann::event;
use server::{Server, eventually};

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
