//! `cauchy load` against the real server: every protocol, the reports, and what goes wrong.
//! The page needs what `crates/web/tests/NEEDS` lists.

mod server;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::fd::FromRawFd;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use server::authority::Authority;
use server::{Server, USUAL, program};

/// Short: what is tested is that all adds up, not how fast it is.
const SHORT: [&str; 4] = ["--duration", "0.3", "--warm-up", "0.1"];

fn load(arguments: &[&str]) -> Command {
    let mut command = program();
    command.arg("load").args(SHORT).args(arguments);
    command
}

#[track_caller]
fn succeed(arguments: &[&str]) -> String {
    let output = load(arguments).output().expect("the program starts");
    let text = text(&output);
    assert!(output.status.success(), "{arguments:?}: {text}");
    text
}

#[track_caller]
fn fail(arguments: &[&str]) -> String {
    let output = load(arguments).output().expect("the program starts");
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
    text
}

fn text(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8(text).expect("UTF-8")
}

/// `--verify` for a server.
fn verify(server: &Server) -> String {
    format!("--verify={}", server.address("ws"))
}

#[test]
fn all_that_is_sent_is_acknowledged_and_counted() {
    let server = Server::start(USUAL);
    let (tcp, ws, verify) = (
        server.address("tcp").to_string(),
        server.address("ws").to_string(),
        verify(&server),
    );
    for arguments in [
        vec![&tcp[..]],
        vec![
            &tcp, "--events", "100", "--keys", "1000", "-c", "3", "-w", "2",
        ],
        vec![&tcp, "--no-coalesce", "--window", "1"],
        vec![
            &tcp, "--rate", "2000", "-c", "5", "--tags", "3", "--attrs", "2",
        ],
        vec![&ws, "--protocol", "ws", "-c", "2"],
    ] {
        let text = succeed(&[&arguments[..], &[&verify]].concat());
        assert!(text.contains("every message acknowledged"), "{text}");
        assert!(text.contains(" ns an event, server "), "{text}");
        assert!(text.contains("round trip   p50 "), "{text}");
    }
}

#[test]
fn tls_is_spoken() {
    let authority = Authority::new();
    let server = Server::start(&format!(
        r#"(tcp-server {{:port 0 :tls? true :key "{}" :cert "{}" :ca-cert "{}"}})
           (ws-server {{:port 0}})
           (let [index (index)] (streams index))"#,
        authority.text("server.key"),
        authority.text("server.crt"),
        authority.text("ca.crt")
    ));
    let (address, verify) = (server.address("tls").to_string(), verify(&server));
    let (ca, cert, key) = (
        authority.text("ca.crt"),
        authority.text("client.crt"),
        authority.text("client.key"),
    );
    let files = ["--ca-cert", &ca, "--cert", &cert, "--key", &key];
    let arguments = [
        &address,
        "--protocol",
        "tls",
        "-c",
        "2",
        "-e",
        "50",
        &verify,
    ];
    let text = succeed(&[&arguments[..], &files].concat());
    assert!(text.contains("every message acknowledged"), "{text}");
    let text = fail(&[&address, "--protocol", "tls", "--ca-cert", "/no/such/file"]);
    assert!(text.contains("/no/such/file"), "{text}");
}

#[test]
fn what_has_no_answers_is_counted_by_the_server() {
    let config = format!("(graphite-server {{:port 0}}) {USUAL}");
    let server = Server::start(&config);
    let verify = verify(&server);
    for (protocol, kind) in [("udp", "udp"), ("graphite", "graphite")] {
        let address = server.address(kind).to_string();
        let text = succeed(&[&address, "--protocol", protocol, "--rate", "3000", &verify]);
        assert!(text.contains("result       ok"), "{text}");
        assert!(
            text.contains(" counted by the server, 0 lost before it"),
            "{text}"
        );
    }
}

#[test]
fn messages_of_a_fixed_length_are_sent_whole() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let reader = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        let mut all = Vec::new();
        connection.read_to_end(&mut all).expect("the end");
        all
    });
    let arguments = [
        &address,
        "--protocol",
        "fixed",
        "--fixed-length",
        "40",
        "--rate",
        "5000",
    ];
    succeed(&arguments);
    let all = reader.join().expect("the reader");
    assert!(
        all.len() > 40 && all.len().is_multiple_of(40),
        "{}",
        all.len()
    );
    assert!(all.chunks(40).all(|message| message == &all[..40]));
}

#[test]
fn a_rate_is_kept() {
    let server = Server::start(USUAL);
    let address = server.address("tcp").to_string();
    let json = server.path("report.json");
    let path = json.to_str().expect("a path");
    let rate = [
        "--rate",
        "1000",
        "-e",
        "10",
        "-c",
        "4",
        "--duration",
        "2",
        "--json",
        path,
    ];
    let output = program().args(["load", &address]).args(rate).output();
    assert!(output.expect("the program starts").status.success());
    let report: Value = serde_json::from_slice(&fs::read(json).expect("a report")).expect("JSON");
    let sent = report["whole"]["sent_per_s"].as_f64().expect("a rate");
    assert!((900.0..=1_100.0).contains(&sent), "{sent}");
    assert_eq!(report["seconds"].as_array().map(Vec::len), Some(2));
}

#[test]
fn reports_are_written_and_the_page_draws() {
    let server = Server::start(USUAL);
    let address = server.address("tcp").to_string();
    let path = |name: &str| server.path(name).to_str().expect("a path").to_owned();
    let (csv, json, html) = (path("load.csv"), path("load.json"), path("load.html"));
    let files = [
        "--csv",
        &csv,
        "--json",
        &json,
        "--html",
        &html,
        &verify(&server),
    ];
    let output = program()
        .args([
            "load",
            "--duration",
            "3",
            "--warm-up",
            "0.1",
            "-e",
            "10",
            &address,
        ])
        .args(files)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(fs::read_to_string(csv).expect("a file").lines().count(), 4);
    let report: Value = serde_json::from_slice(&fs::read(json).expect("a file")).expect("JSON");
    let totals = &report["totals"];
    assert_eq!(totals["messages_sent"], totals["messages_acked"]);
    assert_eq!(report["problems"].as_array().map(Vec::len), Some(0));
    let cpu_ns = |name: &str| report[name].as_f64().expect("a time");
    let (own, servers) = (
        cpu_ns("cpu_ns_per_event"),
        cpu_ns("server_cpu_ns_per_event"),
    );
    assert!(
        own < servers,
        "the load takes {own} ns an event, the server {servers}"
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/load.py");
    let status = Command::new("python3").arg(script).arg(html).status();
    assert!(status.expect("python3 starts").success());
}

#[test]
fn two_servers_are_compared_in_turn() {
    let (a, b) = (Server::start(USUAL), Server::start(USUAL));
    let (address_a, address_b) = (a.address("tcp").to_string(), b.address("tcp").to_string());
    let json = a.path("versus.json");
    let path = json.to_str().expect("a path");
    let (verify_a, verify_b) = (verify(&a), verify(&b));
    let versus = [
        "--vs", &address_b, "--rounds", "2", "--json", path, "--quiet",
    ];
    let text = succeed(&[&[&address_a, &verify_a[..], &verify_b], &versus[..]].concat());
    let heads: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("round"))
        .collect();
    let expected = [
        format!("round 1 of 2, A: {address_a}"),
        format!("round 1 of 2, B: {address_b}"),
        format!("round 2 of 2, A: {address_a}"),
        format!("round 2 of 2, B: {address_b}"),
    ];
    assert_eq!(heads, expected);
    assert!(
        text.contains("median") && text.contains("server cpu/event"),
        "{text}"
    );
    let report: Value = serde_json::from_slice(&fs::read(json).expect("a file")).expect("JSON");
    assert_eq!(report["pairs"].as_array().map(Vec::len), Some(2));
    assert!(
        report["median_ratios"]["events/s"]
            .as_f64()
            .is_some_and(|ratio| ratio > 0.0)
    );
}

#[test]
fn an_interrupt_ends_with_the_report() {
    let server = Server::start(USUAL);
    let mut child = program()
        .args(["load", "--duration", "600", "--warm-up", "0"])
        .arg(server.address("tcp").to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let head = lines.next().expect("a head").expect("UTF-8");
    assert!(head.contains("acked/s"), "{head}");
    let pid = libc::pid_t::try_from(child.id()).expect("a process id");
    // SAFETY: the child has not been waited for, so that the id is still its own.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGINT) }, 0);
    let rest: Vec<String> = lines.map(|line| line.expect("UTF-8")).collect();
    assert!(
        rest.iter()
            .any(|line| line.starts_with("round trip   p50 ")),
        "{rest:?}"
    );
    let last = rest.last().expect("a summary");
    assert_eq!(last, "result       every message acknowledged");
    assert!(child.wait().expect("our child").success());
}

#[test]
fn a_terminal_shows_how_far_it_is() {
    let server = Server::start(USUAL);
    let (mut terminal, screen) = terminal();
    let mut command = load(&[&server.address("tcp").to_string()]);
    let mut child = command.stdout(screen).spawn().expect("the program starts");
    // The command keeps its end of the terminal open.
    drop(command);
    let mut shown = Vec::new();
    // Linux ends a terminal that nobody holds with an error.
    let _ = terminal.read_to_end(&mut shown);
    assert!(child.wait().expect("our child").success());
    let shown = String::from_utf8(shown).expect("UTF-8");
    for part in [
        "\r\x1b[2Kwarm-up [",
        "\r\x1b[2Kmeasured [",
        " %",
        "every message acknowledged",
    ] {
        assert!(shown.contains(part), "no {part:?} in {shown:?}");
    }
}

/// A terminal of its own: what is shown, and the program's end.
fn terminal() -> (fs::File, fs::File) {
    let (mut shown, mut screen) = (0, 0);
    // SAFETY: the call writes the two handles and reads no name, mode or size.
    let outcome = unsafe {
        let null = std::ptr::null_mut();
        libc::openpty(
            &raw mut shown,
            &raw mut screen,
            null,
            null.cast(),
            null.cast(),
        )
    };
    assert_eq!(outcome, 0, "the system gives a terminal");
    // SAFETY: the handles are open, and nobody else's.
    unsafe { (fs::File::from_raw_fd(shown), fs::File::from_raw_fd(screen)) }
}

#[test]
fn what_the_server_refuses_is_told() {
    let server = Server::start(
        r#"(tcp-server {:port 0}) (ws-server {:port 0})
           (streams (fn [event] (throw (Exception. "no room"))))"#,
    );
    let address = server.address("tcp").to_string();
    let text = fail(&[&address]);
    assert!(text.contains("PROBLEM"), "{text}");
    assert!(text.contains("messages answered with an error: "), "{text}");
    assert!(text.contains("no room"), "{text}");
}

#[test]
fn a_server_that_goes_away_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let rude = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().expect("a connection");
        let mut some = [0; 100];
        connection.read_exact(&mut some).expect("a message");
        connection
            .write_all(&[0, 0, 0, 2, 0x10, 1])
            .expect("an answer");
    });
    let output = program()
        .args(["load", "--duration", "600", "--warm-up", "0", &address])
        .output();
    let output = output.expect("the program starts");
    rude.join().expect("the rude server");
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("connections broken: 1"), "{text}");
    assert!(text.contains("messages never answered: "), "{text}");
}

#[test]
fn what_cannot_be_is_refused() {
    for (arguments, remedy) in [
        (&["127.0.0.1:1"][..], "is the server up?"),
        (
            &["-e", "10", "--protocol", "ws"],
            "a message of ws is one event",
        ),
        (
            &["-e", "1000", "--protocol", "udp"],
            "choose fewer --events",
        ),
        (&["--rate", "0"], "--rate: more than 0"),
        (&["-c", "0"], "--connections: from 1 to"),
        (&["here:there"], "'there' is no port"),
        (
            &["--keys", "20000000", "--description", "100"],
            "choose fewer keys",
        ),
    ] {
        let text = fail(arguments);
        assert!(text.contains(remedy), "{arguments:?}: {text}");
    }
}
