//! Pipelines of a configuration: what is sent is stored, through reloads too.

mod server;

use std::fs;
use std::io::Write;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::Path;

use server::http::get;
use server::riemann::{event, events_message};
use server::{Server, USUAL, eventually, program};
use tempfile::TempDir;

/// Where the pipeline of that name listens, as the log says.
fn place(server: &Server, name: &str) -> SocketAddr {
    let line = server.log.wait(&format!("pipeline {name}: listening on "));
    let place = line.rsplit("://").next().expect("a place");
    place.parse().expect("an address")
}

fn send(address: SocketAddr, text: &str) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(text.as_bytes()).expect("it reads");
}

/// A sample of the server's `/metrics`.
fn metric(server: &Server, name: &str) -> Option<f64> {
    let (_, text) = get(server.address("ws"), "/metrics");
    let start = format!("{name} ");
    let line = text.lines().find(|line| line.starts_with(&start))?;
    line.rsplit(' ').next()?.parse().ok()
}

fn wait_for_metric(server: &Server, name: &str, value: f64) {
    eventually(name, || (metric(server, name) == Some(value)).then_some(()));
}

fn wait_for_lines(path: &Path, count: usize) -> Vec<String> {
    eventually("lines in a file", || {
        let text = fs::read_to_string(path).unwrap_or_default();
        (text.lines().count() >= count).then(|| text.lines().map(str::to_owned).collect())
    })
}

/// A function that writes each message of a batch to a file, a line each.
fn into_file(path: &Path) -> String {
    format!(
        "(fn [batch] (spit {path:?} (str (clojure.string/join \"\\n\" batch) \"\\n\")
                           :append true))"
    )
}

#[test]
fn lines_reach_a_function_and_are_told_of() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("out");
    let config = format!(
        "{USUAL} (instrumentation {{:interval 0.2}})
         (pipeline \"l\" {{:type :tcp :port 0 :framing :lines}} \"memory\" {} :monitor 0.2)",
        into_file(&path)
    );
    let mut server = Server::start(&config);
    send(place(&server, "l"), "one\ntwo\nthree\n");
    assert_eq!(wait_for_lines(&path, 3), ["one", "two", "three"]);
    wait_for_metric(&server, "cauchy_pipe_stored_total{pipeline=\"l\"}", 3.0);
    server.log.wait("queue [l]");
    server.log.wait(" pass through total: 3");
    eventually("an event of the pipeline", || {
        let port = server.port("tcp");
        let query = "service = \"cauchy pipeline l stored\" and metric = 3";
        let output = program().args(["query", "-p", &port, query]).output();
        let text = output.expect("it starts").stdout;
        String::from_utf8_lossy(&text)
            .contains("cauchy pipeline l")
            .then_some(())
    });
    server.signal(libc::SIGTERM);
    assert!(server.wait().success());
}

#[test]
fn events_reach_a_stream_and_what_it_throws_on_comes_again() {
    let config = format!(
        "{USUAL}
         (let [tries (atom 0) index (index)]
           (pipeline \"e\" \"tcp://127.0.0.1:0?framing=events\" \"memory\"
             (fn [batch]
               (when (< (swap! tries inc) 3) (throw (Exception. \"not yet\")))
               (doseq [event batch] (index event)))))"
    );
    let server = Server::start(&config);
    let mut stream = TcpStream::connect(place(&server, "e")).expect("it listens");
    let message = events_message(&[event("through", 7)]);
    stream.write_all(&message).expect("it reads");
    server
        .log
        .wait("e: the store failed, and is tried again: java.lang.Exception: not yet");
    wait_for_metric(&server, "cauchy_pipe_stored_total{pipeline=\"e\"}", 1.0);
    wait_for_metric(&server, "cauchy_pipe_failures_total{pipeline=\"e\"}", 2.0);
    eventually("the event", || {
        let mut client = server.connect();
        (client.query("service = \"through\"").len() == 1).then_some(())
    });
}

#[test]
fn an_unchanged_pipeline_goes_on_through_a_reload_and_a_removed_one_ends() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("out");
    let stays = format!(
        "(pipeline \"stays\" \"tcp://127.0.0.1:0?framing=lines\" \"memory\" \"file:{}\")",
        path.display()
    );
    let goes = "(pipeline \"goes\" \"tcp://127.0.0.1:0\" \"memory\" \"count\")";
    let server = Server::start(&format!("{USUAL} {stays} {goes}"));
    let mut sender = TcpStream::connect(place(&server, "stays")).expect("it listens");
    let gone = place(&server, "goes");
    sender.write_all(b"before\n").expect("it reads");
    server.reload(&format!("{USUAL} {stays}"));
    server.log.wait("pipeline goes stopped");
    server.log.wait("reloaded");
    assert!(TcpStream::connect(gone).is_err());
    sender.write_all(b"after\n").expect("the same connection");
    assert_eq!(wait_for_lines(&path, 2), ["\"before\"", "\"after\""]);
    assert_eq!(
        metric(&server, "cauchy_pipe_stored_total{pipeline=\"goes\"}"),
        None
    );
}

#[test]
fn a_changed_pipeline_loses_nothing_that_its_memory_holds() {
    let folder = TempDir::new().expect("a folder");
    let (path, queue) = (folder.path().join("out"), folder.path().join("queue"));
    let pipeline = |queue: &str, store: &str| {
        format!("{USUAL} (pipeline \"c\" \"tcp://127.0.0.1:0?framing=lines\" {queue:?} {store})")
    };
    let never = "(fn [batch] (throw (Exception. \"closed\")))";
    let server = Server::start(&pipeline("memory", never));
    let address = place(&server, "c");
    send(address, "one\ntwo\n");
    wait_for_metric(&server, "cauchy_pipe_depth_messages{pipeline=\"c\"}", 2.0);
    // From memory into a journal: what waits goes along, on the same port.
    let journal = format!("journal:{}", queue.display());
    server.reload(&pipeline(&journal, never));
    server.log.wait("reloaded");
    wait_for_metric(&server, "cauchy_pipe_depth_messages{pipeline=\"c\"}", 2.0);
    send(address, "three\n");
    wait_for_metric(&server, "cauchy_pipe_depth_messages{pipeline=\"c\"}", 3.0);
    let appended = "cauchy_journal_appended_total{journal=\"pipeline c\"}";
    assert_eq!(metric(&server, appended), Some(3.0));
    // Another store.
    let open = into_file(&path);
    server.reload(&pipeline(&journal, &open));
    assert_eq!(wait_for_lines(&path, 3), ["one", "two", "three"]);
    // What holds the same journal in another way has to go first.
    let always = format!("{journal}?durability=always");
    let seen = server.log.len();
    server.reload(&pipeline(&always, &open));
    server
        .log
        .wait("pipeline c stopped: 3 messages stored, 0 wait");
    let line = server.log.wait_after(seen, "pipeline c: listening on ");
    let address = line.rsplit("://").next().expect("a place");
    send(address.parse().expect("an address"), "four\n");
    assert_eq!(wait_for_lines(&path, 4)[3], "four");
}

#[test]
fn a_reload_that_fails_leaves_pipelines_as_they_were() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("out");
    let queue = format!("journal:{}", folder.path().join("queue").display());
    let pipeline = |queue: &str, store: &str| {
        format!("(pipeline \"p\" \"tcp://127.0.0.1:0?framing=lines\" {queue:?} {store:?})")
    };
    let file = format!("file:{}", path.display());
    let server = Server::start(&format!("{USUAL} {}", pipeline(&queue, &file)));
    let address = place(&server, "p");
    let mut sender = TcpStream::connect(address).expect("it listens");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let broken = format!("(tcp-server {{:port {port}}})");
    let count = pipeline("memory", "count");
    server.reload(&format!("{USUAL} {broken} {count}"));
    server.log.wait("reload failed");
    sender.write_all(b"one\n").expect("the same connection");
    assert_eq!(wait_for_lines(&path, 1), ["\"one\""]);
    // One that had to go for the new one comes back, where it was.
    let always = pipeline(&format!("{queue}?durability=always"), &file);
    let seen = server.log.len();
    server.reload(&format!("{USUAL} {broken} {always}"));
    server.log.wait_after(seen, "reload failed");
    send(address, "two\n");
    assert_eq!(wait_for_lines(&path, 2)[1], "\"two\"");
}

#[test]
fn paths_and_datagrams_are_sources_too() {
    let folder = TempDir::new().expect("a folder");
    let (path, socket) = (folder.path().join("out"), folder.path().join("socket"));
    let config = format!(
        "{USUAL}
         (pipeline \"u\" {{:type :unix :path {socket:?} :framing :lines}} \"memory\" \"file:{}\")
         (pipeline \"d\" \"udp://127.0.0.1:0?framing=lines\" \"memory\" \"count\")",
        path.display()
    );
    let mut server = Server::start(&config);
    let mut stream = UnixStream::connect(&socket).expect("it listens");
    stream.write_all(b"by path\n").expect("it reads");
    assert_eq!(wait_for_lines(&path, 1), ["\"by path\""]);
    let sender = UdpSocket::bind("127.0.0.1:0").expect("a port");
    sender
        .send_to(b"one\ntwo\n", place(&server, "d"))
        .expect("it is sent");
    wait_for_metric(&server, "cauchy_pipe_stored_total{pipeline=\"d\"}", 2.0);
    // What has been sent when the server is told to stop is stored.
    stream.write_all(b"at the end\n").expect("it reads");
    server.signal(libc::SIGTERM);
    assert!(server.wait().success());
    assert_eq!(wait_for_lines(&path, 2)[1], "\"at the end\"");
    assert!(!socket.exists());
}

#[test]
fn a_test_opens_nothing() {
    let folder = TempDir::new().expect("a folder");
    let (config, queue) = (
        folder.path().join("riemann.config"),
        folder.path().join("queue"),
    );
    let text = format!(
        "(pipeline \"p\" \"tcp://127.0.0.1:0\" \"journal:{}\" (fn [batch]))
         (tests (deftest nothing (is true)))",
        queue.display()
    );
    fs::write(&config, text).expect("a file");
    let output = program()
        .arg("test")
        .arg(&config)
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{output:?}");
    assert!(!queue.exists());
}
