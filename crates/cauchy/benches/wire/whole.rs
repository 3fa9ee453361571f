//! The process as a whole: what it loses, what it holds, how soon it serves.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::time::Instant;

use crate::messages::{Messages, Ttl};
use crate::recorded::record;
use crate::server::process::resident_bytes;
use crate::server::{Server, built_in, eventually, free_port};
use crate::{Size, median, program, start};

type Row = (&'static str, fn(&Size));

pub const ROWS: [Row; 3] = [
    ("datagrams", datagrams),
    ("memory", memory),
    ("start to listening", start_to_listening),
];

/// Prints what was lost of datagrams at a rate, and what of that the server does not know.
fn datagrams(size: &Size) {
    let server = start();
    let report = server.path("report.json");
    let output = program()
        .args(["load", "--protocol", "udp", "--keys", "1000", "--quiet"])
        .args(["--rate", &size.datagrams_per_s.to_string()])
        .args(["--duration", &size.datagrams_s.to_string()])
        .arg(format!("--verify={}", server.address("ws")))
        .arg("--json")
        .arg(&report)
        .arg(server.address("udp").to_string())
        .output()
        .expect("the program starts");
    let text = std::fs::read_to_string(report).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    });
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let number = |pointer: &str| {
        let value = report.pointer(pointer).and_then(serde_json::Value::as_f64);
        value.unwrap_or_else(|| panic!("no {pointer}: {text}"))
    };
    let (sent, rate) = (number("/totals/messages_sent"), number("/whole/sent_per_s"));
    let (counted, overrun) = (number("/verified/events"), number("/verified/overrun"));
    let lost = sent - counted;
    let uncounted = lost - overrun;
    println!(
        "datagrams: {rate:.0}/s, {sent} sent, {lost} lost ({:.4} %), {uncounted} of them uncounted",
        100.0 * lost / sent
    );
    record("datagrams, rate", rate);
    record("datagrams, lost percent", 100.0 * lost / sent);
    record("datagrams, uncounted", uncounted);
}

/// Prints what a server holds when it is idle, and with many keys in its index.
fn memory(size: &Size) {
    let server = start();
    let idle = resident_bytes(server.pid()) as f64 / 1e6;
    let messages = Messages::new(size.keys, Ttl::Given);
    let mut stream = TcpStream::connect(server.address("tcp")).expect("the server accepts");
    let mut answers = stream.try_clone().expect("a handle");
    let reader = std::thread::spawn(move || {
        std::io::copy(&mut answers, &mut std::io::sink()).expect("answers to the end")
    });
    stream.write_all(&messages.bytes).expect("the server reads");
    stream
        .shutdown(Shutdown::Write)
        .expect("an open connection");
    reader.join().expect("the reader ends");
    let first = server.connect().query("service = \"disk 07 used\"");
    assert_eq!(first.len(), size.keys / 100);
    drop(first);
    let full = resident_bytes(server.pid()) as f64 / 1e6;
    println!("memory: idle {idle:.1} MB, {} keys {full:.1} MB", size.keys);
    record("memory, idle MB", idle);
    record("memory, keys MB", full);
}

/// Prints the time from the program's start to its first connection.
fn start_to_listening(size: &Size) {
    let times: Vec<f64> = (0..size.starts).map(|_| one_start()).collect();
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    let middle = median(times);
    println!("start to listening: {middle:.1} ms, the median; {best:.1} ms, the best");
    record("start to listening, ms", middle);
}

fn one_start() -> f64 {
    let port = free_port();
    let started = Instant::now();
    let _server = Server::spawn(&built_in(port), program());
    eventually("the port", || TcpStream::connect(("127.0.0.1", port)).ok());
    started.elapsed().as_secs_f64() * 1e3
}
