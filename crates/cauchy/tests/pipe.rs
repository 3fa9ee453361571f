//! `cauchy pipe`, `cauchy load streamer` and `cauchy load queue`: what is sent is stored.

mod server;

use std::io::Write;
use std::net::{TcpStream, UdpSocket};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};

use server::log::Log;
use server::{Server, USUAL, eventually, program};
use tempfile::TempDir;

/// A running `cauchy pipe`, on ports that the system gives.
struct Pipe {
    child: Child,
    log: Log,
    out: Log,
}

impl Pipe {
    fn start(arguments: &[&str]) -> Pipe {
        Pipe::start_from("tcp://127.0.0.1:0", arguments)
    }

    fn start_from(source: &str, arguments: &[&str]) -> Pipe {
        let mut child = program()
            .args(["pipe", "--source", source])
            .args(["--metrics", "127.0.0.1:0", "--monitor", "0.2"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let log = Log::follow(child.stderr.take().expect("piped"));
        let out = Log::follow(child.stdout.take().expect("piped"));
        Pipe { child, log, out }
    }

    fn address(&self) -> String {
        let line = self.log.wait("listening on tcp://");
        line.rsplit("tcp://").next().expect("an address").to_owned()
    }

    fn metrics(&self) -> String {
        let line = self.log.wait("metrics on http://");
        let place = line.rsplit("http://").next().expect("an address");
        place.trim_end_matches("/metrics").to_owned()
    }

    fn signal(&self, signal: libc::c_int) {
        let pid = libc::pid_t::try_from(self.child.id()).expect("a process id");
        // SAFETY: the child has not been waited for, so that the id is still its own.
        assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
    }

    fn stop(mut self) -> ExitStatus {
        self.signal(libc::SIGTERM);
        self.end()
    }

    fn end(&mut self) -> ExitStatus {
        eventually("the pipe's end", || {
            self.child.try_wait().expect("our child")
        })
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("---- the pipe's log\n{}\n----", self.log.tail(40));
        }
    }
}

fn run(arguments: &[&str]) -> (bool, String) {
    let output = program().args(arguments).output().expect("it starts");
    let text = [&output.stdout[..], &output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[track_caller]
fn stream(pipe: &Pipe, more: &[&str]) -> String {
    let (address, verify) = (pipe.address(), format!("--verify={}", pipe.metrics()));
    let arguments = [&["load", "streamer", &address, &verify], more].concat();
    let (succeeded, text) = run(&arguments);
    assert!(succeeded, "{text}");
    text
}

#[test]
fn what_the_streamer_sends_is_counted_at_the_store() {
    let pipe = Pipe::start(&["--store", "count"]);
    let text = stream(&pipe, &["-c", "3", "-n", "20000"]);
    assert!(text.contains("sent    60000 messages"), "{text}");
    assert!(text.contains("lost    0\n"), "{text}");
    let text = stream(&pipe, &["-c", "1", "-n", "3000", "--no-coalesce"]);
    assert!(text.contains("stored  3000 messages"), "{text}");
    pipe.out.wait("queue [pipe]");
    pipe.out.wait(" pass through total: 63000");
    assert!(pipe.stop().success());
}

#[test]
fn lines_become_a_file_of_json() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("out.jsonl");
    let store = format!("file:{}", path.display());
    let pipe = Pipe::start(&["--framing", "lines", "--store", &store]);
    stream(
        &pipe,
        &["-c", "2", "-n", "500", "--lines", "-t", "a \"thing\""],
    );
    assert!(pipe.stop().success());
    let text = std::fs::read_to_string(path).expect("the file");
    assert_eq!(text, "\"a \\\"thing\\\"\"\n".repeat(1000));
}

#[test]
fn datagrams_and_paths_are_sources_too() {
    let store = ["--store", "count"];
    let pipe = Pipe::start_from("udp://127.0.0.1:0?framing=lines", &store);
    let line = pipe.log.wait("listening on udp://");
    let address = line.rsplit("udp://").next().expect("an address");
    let sender = UdpSocket::bind("127.0.0.1:0").expect("a port");
    for datagram in [&b"one\ntwo\n"[..], b"three"] {
        sender.send_to(datagram, address).expect("it is sent");
    }
    pipe.out.wait("stored total: 3");
    assert!(pipe.stop().success());
    let folder = TempDir::new().expect("a folder");
    let socket = folder.path().join("socket");
    // What a killed run has left behind is in nobody's way.
    drop(UnixListener::bind(&socket).expect("a socket"));
    let source = format!("unix:{}?framing=fixed:10", socket.display());
    let pipe = Pipe::start_from(&source, &store);
    pipe.log.wait("listening on unix:");
    let mut sender = UnixStream::connect(&socket).expect("it listens");
    sender.write_all(&[b'm'; 105]).expect("it reads");
    drop(sender);
    pipe.out.wait("stored total: 10");
    assert!(pipe.stop().success());
    assert!(!socket.exists());
}

#[test]
fn a_journal_outlives_a_killed_pipe() {
    let folder = TempDir::new().expect("a folder");
    let queue = format!("journal:{}", folder.path().display());
    // Nobody listens there: all stays in the queue.
    let closed = ["--store", "redis://127.0.0.1:1", "--queue", &queue];
    let mut pipe = Pipe::start(&closed);
    let mut sender = TcpStream::connect(pipe.address()).expect("it listens");
    sender.write_all(&[b'x'; 100_000]).expect("it reads");
    pipe.out.wait("current depth: 1000");
    pipe.signal(libc::SIGKILL);
    pipe.end();
    let stored = folder.path().join("stored");
    let store = format!("file:{}", stored.display());
    let pipe = Pipe::start(&["--store", &store, "--queue", &queue]);
    pipe.out.wait("stored total: 1000");
    assert!(pipe.stop().success());
    let lines = std::fs::read_to_string(stored).expect("the file");
    assert_eq!(lines.lines().count(), 1000);
}

#[test]
fn what_memory_cannot_store_at_the_end_is_told() {
    let pipe = Pipe::start(&["--store", "redis://127.0.0.1:1"]);
    let mut sender = TcpStream::connect(pipe.address()).expect("it listens");
    sender.write_all(&[b'x'; 1_000]).expect("it reads");
    pipe.out.wait("current depth: 10");
    let log = pipe.log.clone();
    assert!(!pipe.stop().success());
    log.wait("10 messages were lost");
}

#[test]
fn events_go_on_to_a_server_and_so_do_the_figures() {
    let server = Server::start(USUAL);
    let riemann = server.address("tcp").to_string();
    let store = format!("riemann://{riemann}");
    let pipe = Pipe::start(&[
        "--framing",
        "events",
        "--store",
        &store,
        "--events",
        &riemann,
        "--name",
        "on",
    ]);
    let address = pipe.address();
    let (host, port) = address.rsplit_once(':').expect("a port");
    let (sent, text) = run(&["send", "-s", host, "-p", port, "--service", "through"]);
    assert!(sent, "{text}");
    let query = |query: &str| {
        let port = server.port("tcp");
        let (_, text) = run(&["query", "-p", &port, query]);
        text
    };
    eventually("the event", || {
        query("service = \"through\"")
            .contains("through")
            .then_some(())
    });
    eventually("the figures", || {
        query("service = \"pipe on stored\" and metric = 1")
            .contains("pipe on")
            .then_some(())
    });
}

#[test]
fn a_queue_alone_gives_back_what_it_took() {
    let folder = TempDir::new().expect("a folder");
    let journal = format!("journal:{}", Path::new(folder.path()).join("q").display());
    for queue in ["memory", &journal] {
        let (succeeded, text) = run(&["load", "queue", "-q", queue, "-n", "100000"]);
        assert!(
            succeeded && text.contains("stored  100000 messages"),
            "{text}"
        );
    }
}

#[test]
fn wrong_words_are_told_with_what_to_say() {
    let told = |arguments: &[&str]| {
        let (succeeded, text) = run(&[&["pipe"], arguments].concat());
        assert!(!succeeded);
        text
    };
    let check = |arguments: &[&str], expected: &str| {
        let text = told(arguments);
        assert!(text.contains(expected), "{text}");
    };
    check(&["--store", "oracle"], "say redis://HOST:PORT");
    check(
        &["--store", "count", "--queue", "rabbit"],
        "say memory, zmq, journal:DIR",
    );
    check(
        &["--store", "count", "--source", "tcp:1"],
        "say tcp://HOST:PORT",
    );
    check(&["--store", "count", "--framing", "fixed:0"], "not 0");
    check(&["--store", "riemann://h:1"], "say framing events");
    check(&["--store", "redis://h:1?as=get"], "say set, lpush or xadd");
}
