//! Proves that the commands beside `start` do what they say: `check`, `test`, `send`, `query`,
//! `tail`, `completions`, `version`.

mod server;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::Value;
use server::log::Log;
use server::riemann::event;
use server::{Server, USUAL, program};
use tempfile::TempDir;

/// A folder with a configuration.
struct Config(TempDir);

impl Config {
    fn new(text: &str) -> Config {
        let folder = TempDir::new().expect("a folder");
        fs::write(folder.path().join("a.config"), text).expect("the folder takes a file");
        Config(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a command in the folder.
    fn run(&self, arguments: &[&str]) -> Output {
        program()
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .expect("the program starts")
    }
}

fn run(arguments: &[&str]) -> Output {
    program()
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn json_lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{output:?}");
    let lines = stdout(output);
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn check_counts_what_would_start_and_opens_nothing() {
    // Riemann counts three servers, the reaper, and the instrumentation that it adds by itself.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let config = Config::new(&format!(
        "(tcp-server {{:port {port}}}) (udp-server) (ws-server) (periodically-expire 5)
         (let [index (index)] (streams index prn) (streams (rate 5 index)))"
    ));
    let output = config.run(&["check", "a.config", "--json"]);
    let answer = &json_lines(&output)[0];
    assert_eq!(answer["streams"], 3, "{answer}");
    assert_eq!(answer["services"], 5, "{answer}");
    assert_eq!(answer["index"], true, "{answer}");
    assert_eq!(answer["errors"], Value::Array(Vec::new()), "{answer}");
    assert_eq!(config.run(&["check", "a.config"]).status.code(), Some(0));
}

#[test]
fn check_tells_where_a_configuration_is_wrong() {
    let config = Config::new("(streams\n  (wher (service \"a\") prn))");
    let output = config.run(&["check", "a.config", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let error = &answer["errors"][0];
    assert!(
        error["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("a.config")),
        "{answer}"
    );
    assert_eq!(error["line"], 2, "{answer}");
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|text| text.contains("wher")),
        "{answer}"
    );
    let output = config.run(&["check", "a.config"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("a.config:2:"),
        "{output:?}"
    );
    assert_eq!(config.run(&["check", "none.config"]).status.code(), Some(2));
}

const TESTED: &str = r#"
(streams (where (service "a") (tap :seen)) (tap :all))
(tests
  (deftest right
    (let [seen (:seen (inject! [{:service "a" :time 1} {:service "b" :time 2}]))]
      (is (= 1 (count seen)))))
  (deftest ^:known wrong
    (is (= 1 2) "one is two")))
"#;

#[test]
fn test_runs_the_tests_of_a_configuration() {
    let config = Config::new(TESTED);
    let output = config.run(&["test", "a.config", "--junit", "results.xml"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stdout(&output);
    assert!(
        text.contains("Ran 2 tests containing 2 assertions."),
        "{text}"
    );
    assert!(text.contains("1 failures, 0 errors."), "{text}");
    assert!(
        text.contains("wrong") && text.contains("one is two"),
        "{text}"
    );
    let results = fs::read_to_string(config.path("results.xml")).expect("results");
    assert!(results.starts_with("<?xml"), "{results}");
    assert!(
        results.contains("tests=\"2\" failures=\"1\" errors=\"0\""),
        "{results}"
    );
    assert!(
        results.contains("name=\"right\"") && results.contains("name=\"wrong\""),
        "{results}"
    );
    assert_eq!(results.matches("<failure").count(), 1, "{results}");

    let output = config.run(&["test", "a.config", "--only", "right"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        stdout(&output).contains("Ran 1 tests containing 1 assertions."),
        "{output:?}"
    );

    let output = config.run(&["test", "a.config", "--only", "rigth"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("no test is named rigth"), "{output:?}");

    let output = config.run(&["test", "a.config", "--exclude", "known"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        stdout(&output).contains("Ran 1 tests containing 1 assertions."),
        "{output:?}"
    );
}

#[test]
fn send_and_query() {
    let server = Server::start(USUAL);
    let port = server.port("tcp");
    let now = run(&[
        "send",
        "-p",
        &port,
        "--host",
        "h",
        "--service",
        "int",
        "--metric",
        "3",
    ]);
    assert!(now.status.success(), "{now:?}");
    let found = json_lines(&run(&["query", "-p", &port, "--json", "service = \"int\""]));
    assert_eq!(found[0]["host"], "h");
    assert_eq!(found[0]["metric"], 3);
    assert_eq!(found[0]["ttl"], 60.0);
    let table = stdout(&run(&["query", "-p", &port, "service = \"int\""]));
    assert!(
        table.starts_with("host ") && table.ends_with("1 event\n"),
        "{table}"
    );
    let wrong = run(&["query", "-p", &port, "service =~ foo"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&wrong.stderr).contains("foo"),
        "{wrong:?}"
    );
}

#[test]
fn send_takes_every_flag() {
    let server = Server::start("(tcp-server {:port 0}) (udp-server {:port 0}) (streams (index))");
    for (way, extra) in [("tcp", &[][..]), ("udp", &["--udp"])] {
        let (port, host) = (server.port(way), format!("h-{way}"));
        let mut arguments = vec!["send", "-p", &port, "--host", &host, "--service", "disk /"];
        arguments.extend([
            "--state",
            "warning",
            "--description",
            "ligne – ☃",
            "--metric",
            "-0.25",
        ]);
        arguments.extend(["--tag", "a", "--tag", "b c", "--ttl", "300.5"]);
        arguments.extend(["--time", "1700000000.123456", "--attr", "rack=a1=b"]);
        arguments.extend(extra);
        let sent = run(&arguments);
        assert!(sent.status.success(), "{sent:?}");
        let (tcp, query) = (server.port("tcp"), format!("host = \"{host}\""));
        let found = server::eventually("the event", || {
            json_lines(&run(&["query", "-p", &tcp, "--json", &query])).pop()
        });
        let expected = serde_json::json!({
            "host": host, "service": "disk /", "state": "warning", "description": "ligne – ☃",
            "metric": -0.25, "tags": ["a", "b c"], "ttl": 300.5,
            "time": "2023-11-14T22:13:20.123Z", "rack": "a1=b",
        });
        assert_eq!(found, expected);
    }
}

#[test]
fn send_takes_json_lines() {
    let server = Server::start(USUAL);
    let mut sender = program()
        .args(["send", "-p", &server.port("tcp")])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = sender.stdin.take().expect("a pipe");
    for number in 0..250 {
        writeln!(
            stdin,
            "{{\"service\": \"line {number}\", \"metric\": {number}, \"ttl\": 300}}"
        )
        .expect("it reads");
    }
    drop(stdin);
    assert!(sender.wait().expect("our child").success());
    let mut client = server.connect();
    assert_eq!(client.query("service =~ \"line %\"").len(), 250);
    assert_eq!(
        client
            .query("service = \"line 249\" and metric = 249")
            .len(),
        1
    );
}

#[test]
fn send_and_query_tell_that_nobody_answers() {
    let port = server::free_port().to_string();
    for arguments in [
        &["send", "-p", &port, "--service", "a"][..],
        &["query", "-p", &port, "true"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(&port), "{text}");
    }
}

#[test]
fn tail_prints_what_comes() {
    let server = Server::start(USUAL);
    let mut client = server.connect();
    client.send(&[event("before", 1)]);
    let mut tail = program()
        .args([
            "tail",
            "-p",
            &server.port("ws"),
            "--json",
            "host = \"test\"",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let lines = Log::follow(tail.stdout.take().expect("a pipe"));
    lines.wait("\"before\"");
    client.send(&[
        event("after", 2),
        event("other", 3).edit(|draft| draft.host = None),
    ]);
    client.send(&[event("last", 4)]);
    lines.wait("\"last\"");
    assert_eq!(lines.count("\"after\""), 1);
    assert_eq!(lines.count("\"other\""), 0);
    drop(server);
    // The server has gone, which is told.
    assert_eq!(tail.wait().expect("our child").code(), Some(1));
}

#[test]
fn tail_tells_what_is_wrong_with_a_query() {
    let server = Server::start(USUAL);
    let output = run(&["tail", "-p", &server.port("ws"), "service =~ foo"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("foo"),
        "{output:?}"
    );
}

#[test]
fn completions_version_and_help() {
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&["completions", shell]);
        assert!(output.status.success(), "{output:?}");
        let text = stdout(&output);
        assert!(
            text.contains("cauchy") && text.contains("completions"),
            "{text}"
        );
    }
    let bash = std::process::Command::new("bash")
        .args(["-n", "/dev/stdin"])
        .stdin(Stdio::piped())
        .spawn();
    let mut bash = bash.expect("bash starts");
    let completions = run(&["completions", "bash"]).stdout;
    bash.stdin
        .take()
        .expect("a pipe")
        .write_all(&completions)
        .expect("it reads");
    assert!(
        bash.wait().expect("our child").success(),
        "bash reads its completions"
    );

    let version = format!("cauchy {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(stdout(&run(&["version"])), version);
    assert_eq!(stdout(&run(&["--version"])), version);
    for command in ["start", "check", "test", "send", "query", "tail"] {
        let help = run(&[command, "--help"]);
        assert!(
            help.status.success() && stdout(&help).contains("Usage: cauchy"),
            "{help:?}"
        );
    }
    assert!(stdout(&run(&["--help"])).contains("Examples:"));
}
