//! Proves that nREPL clients can evaluate in the running configuration, through reloads, and that
//! what is no nREPL message harms nobody. `tests/NEEDS` lists the client's package.

mod server;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use server::clients::{python, run};
use server::{PATIENCE, Server, USUAL, eventually, free_port, http};

fn with_repl(more: &str) -> String {
    format!("{USUAL} (repl-server {{:port 0}}) {more}")
}

/// A client that reads answers only as far as the tests need.
struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("the server takes a connection");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a socket takes options");
        Client(BufReader::new(stream))
    }

    fn send(&mut self, message: &[(&str, &str)]) {
        let mut text = String::from("d");
        for word in message.iter().flat_map(|(key, value)| [key, value]) {
            text.push_str(&format!("{}:{word}", word.len()));
        }
        text.push('e');
        self.0
            .get_mut()
            .write_all(text.as_bytes())
            .expect("it reads");
    }

    /// The answers as they came, until one says that it was the last.
    fn ask(&mut self, message: &[(&str, &str)]) -> String {
        self.send(message);
        let mut answer = String::new();
        while !answer.contains("4:done") {
            let bytes = self.0.fill_buf().expect("an answer").to_vec();
            assert!(!bytes.is_empty(), "closed after {answer}");
            self.0.consume(bytes.len());
            answer.push_str(&String::from_utf8_lossy(&bytes));
        }
        answer
    }

    fn evaluate(&mut self, code: &str) -> String {
        self.ask(&[("op", "eval"), ("code", code)])
    }
}

#[test]
fn python_nrepl_client() {
    let server = Server::start(&with_repl(""));
    run(python("with_nrepl.py").args(["127.0.0.1", &server.port("nrepl")]));
}

#[test]
fn it_survives_a_reload_and_evaluates_in_the_new_configuration() {
    // Not one that the system may give to another test once it is closed.
    let port = free_port();
    let on_port = |more: &str| format!("{USUAL} (repl-server {{:port {port}}}) {more}");
    let server = Server::start(&on_port("(def mark :first)"));
    let mut client = Client::connect(server.address("nrepl"));
    let answer = client.ask(&[("op", "clone")]);
    let (_, session) = answer.split_once("36:").expect("a session");
    let session = session[..36].to_owned();
    let mut mark = || {
        let code = "[riemann.config/mark *1]";
        client.ask(&[("op", "eval"), ("code", code), ("session", &session)])
    };
    assert!(mark().contains("[:first nil]"));
    assert!(mark().contains("[:first [:first nil]]"));
    let seen = server.log.len();
    server.reload(&on_port("(def mark :second)"));
    server.log.wait_after(seen, ": reloaded");
    assert!(mark().contains("[:second nil]"), "the session begins again");
    let seen = server.log.len();
    server.reload("(broken");
    server.log.wait_after(seen, "reload failed");
    assert!(mark().contains("[:second [:second nil]]"));
    let address = server.address("nrepl");
    let seen = server.log.len();
    server.reload(USUAL);
    server.log.wait_after(seen, ": reloaded");
    assert!(TcpStream::connect(address).is_err(), "its port is closed");
}

#[test]
fn it_is_no_service_but_a_port() {
    let server = Server::start(&with_repl(""));
    let status = http::get(server.address("ws"), "/api/status").1;
    assert!(status.contains("\"nrepl\""), "{status}");
    let mut client = Client::connect(server.address("nrepl"));
    let count = "(count (:services @core))";
    // Three servers, the reaper, and the instrumentation.
    let answer = client.evaluate(count);
    assert!(answer.contains("5:value1:5"), "{answer}");
}

#[test]
fn what_is_no_message_closes_only_its_connection() {
    let server = Server::start(&with_repl(""));
    let address = server.address("nrepl");
    let mut good = Client::connect(address);
    let deep = "d1:a".to_owned() + &"l".repeat(100_000);
    for bad in ["GET / HTTP/1.1\r\n\r\n", "li1ee", "d2:op4:evale3", &deep] {
        let mut stream = TcpStream::connect(address).expect("a connection");
        let _ = stream.write_all(bad.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(good.evaluate("(+ 1 2)").contains("5:value1:3"));
    }
}

#[test]
fn clients_beyond_the_limit_are_turned_away_and_come_back() {
    const CONNECTIONS_MAX: usize = 32;
    let server = Server::start(&with_repl(""));
    let address = server.address("nrepl");
    let mut clients: Vec<Client> = (0..CONNECTIONS_MAX)
        .map(|_| Client::connect(address))
        .collect();
    for client in &mut clients {
        assert!(client.evaluate("(+ 1 2)").contains("5:value1:3"));
    }
    let mut beyond = TcpStream::connect(address).expect("the system takes it");
    beyond
        .set_read_timeout(Some(PATIENCE))
        .expect("a socket takes options");
    assert_eq!(beyond.read(&mut [0]).expect("an end"), 0);
    clients.clear();
    eventually("a free place", || {
        let mut client = TcpStream::connect(address).ok()?;
        client.write_all(b"d2:op8:describee").ok()?;
        client.set_read_timeout(Some(PATIENCE)).ok()?;
        (client.read(&mut [0]).ok()? == 1).then_some(())
    });
}

#[test]
fn a_sequence_without_end_is_cut() {
    let server = Server::start(&with_repl(""));
    let mut client = Client::connect(server.address("nrepl"));
    assert!(client.evaluate("(range)").contains("99999 ...)"));
}
