//! Proves that what keeps the program from starting is told in one clear line, with exit status 1,
//! or 2 for a bad flag or a missing file.

mod server;

use std::fs;
use std::process::Output;

use server::program;
use tempfile::TempDir;

fn run(arguments: &[&str]) -> Output {
    program()
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_port_in_use_is_one_line_and_status_1() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("a.config");
    fs::write(&path, format!("(tcp-server {{:port {port}}})")).expect("the folder takes a file");
    let output = run(&["start", path.to_str().expect("a path in UTF-8")]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stderr(&output);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("cauchy: "))
        .collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(
        lines[0].contains(&format!("127.0.0.1:{port} is in use")),
        "{text}"
    );
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn a_missing_configuration_is_one_line_and_status_2_or_1() {
    for arguments in [&["start", "/no/such.config"][..], &["/no/such.config"]] {
        let output = run(arguments);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
        let text = stderr(&output);
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("/no/such.config"), "{text}");
    }
}

#[test]
fn a_bad_flag_is_status_2_and_names_it() {
    let output = run(&["start", "--no-such-flag"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stderr(&output).contains("--no-such-flag"), "{output:?}");
}

#[test]
fn a_bad_log_level_is_one_line() {
    let output = run(&["start", "--log-level", "info=nonsense"]);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
    assert_eq!(stderr(&output).lines().count(), 1, "{output:?}");
}

#[test]
fn a_broken_configuration_is_status_1_with_its_place() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("a.config");
    fs::write(&path, "(streams\n  (wher (service \"a\") prn))").expect("the folder takes a file");
    let output = run(&["start", path.to_str().expect("a path in UTF-8")]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stderr(&output);
    assert!(text.contains("a.config:2:"), "{text}");
    assert!(text.contains("where"), "the nearest name: {text}");
}
