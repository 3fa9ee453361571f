//! Proves that the messages of a journal become a test, which holds for the rules that it was made
//! with and fails for others.

mod server;

use std::fs;
use std::path::Path;
use std::process::Output;

use event::{Draft, Number};
use server::riemann::event;
use server::{Server, program};
use tempfile::TempDir;

const RULES: &str = "
(tcp-server {:port 1})
(streams
  (tap :all)
  (where (> metric 2)
    (with {:state \"critical\" :weight (float 0.1)} (tap \"over \\\"two\\\"\" (io #(info %))))
    (fn [e] (when (= 4 (:metric e)) nil)))
  (by :service (fixed-time-window 3600 (tap :windows)))
  (where (service \"never\") (tap :nothing)))";

/// A journal with messages of a server that has ended.
fn journal(folder: &Path) {
    let dir = folder.join("ingest");
    let mut server = Server::start(&format!(
        "(journal \"ingest\" {{:dir {dir:?} :retention {{:age 3600}}}}) (tcp-server {{:port 0}})"
    ));
    let mut client = server.connect();
    client.send(&[event("s", 1), event("t", 2)]);
    for number in 3..=5 {
        client.send(&[event("s", number)]);
    }
    let plain = event("s", 6);
    let odd = Draft {
        service: Some("a \"quoted\"\nname \\".into()),
        ttl: Some(Number::F32(0.1)),
        attrs: vec![("key".into(), "value".into())],
        ..plain.draft()
    };
    client.send(&[odd.build()]);
    server.signal(libc::SIGTERM);
    server.wait();
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = program();
    command.current_dir(folder).args(arguments);
    command.output().expect("it runs")
}

fn errors(output: &Output) -> String {
    let parts = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&parts).into_owned()
}

#[test]
fn a_replay_becomes_a_test_that_tells_other_rules_apart() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    journal(folder);
    let rules = folder.join("rules.config");
    fs::write(&rules, RULES).expect("the folder takes a file");
    let replay = [
        "replay",
        "--journal",
        "ingest",
        "--test",
        "kept.config",
        "rules.config",
    ];
    let output = run(folder, &replay);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("5 messages, 6 events, written to kept.config"));
    let text = fs::read_to_string(folder.join("kept.config")).expect("it is there");
    assert!(text.contains("(include \"rules.config\")"), "{text}");
    assert!(text.contains(":nothing\n            []"), "{text}");
    let output = run(folder, &["test", "kept.config"]);
    assert!(output.status.success(), "{}\n{text}", errors(&output));
    assert!(errors(&output).contains("Ran 1 tests containing 1 assertions."));

    // It is not written over, and other rules fail it.
    let again = run(folder, &replay);
    assert!(!again.status.success());
    assert!(errors(&again).contains("kept.config is there already"));
    fs::write(&rules, RULES.replace("> metric 2", "> metric 3")).expect("the folder takes it");
    let output = run(folder, &["test", "kept.config"]);
    assert!(!output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("1 failures"));
}

#[test]
fn what_cannot_become_a_test_is_said_and_leaves_no_file() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    journal(folder);
    for (rules, said) in [
        (
            "(streams (fn [e] nil))",
            "rules.config has no tap: put (tap :name …)",
        ),
        (
            "(streams (smap (fn [e] (assoc e :metric ##NaN)) (tap :a)))",
            "holds something that no text stands for",
        ),
        ("(streams (tap :a) (fn [e] (/ 1 0)))", "Divide by zero"),
    ] {
        fs::write(folder.join("rules.config"), rules).expect("the folder takes a file");
        let output = run(
            folder,
            &[
                "replay",
                "--journal",
                "ingest",
                "--test",
                "t.config",
                "rules.config",
            ],
        );
        assert!(!output.status.success(), "{rules}");
        assert!(errors(&output).contains(said), "{}", errors(&output));
        assert!(!folder.join("t.config").exists());
    }
}

#[test]
fn a_sink_that_tests_would_reach_is_told_of_and_not_reached() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    journal(folder);
    let rules = "(streams (tap :a) (fn [e] (spit \"written\" (:service e))))";
    fs::write(folder.join("rules.config"), rules).expect("the folder takes a file");
    let output = run(
        folder,
        &[
            "replay",
            "--journal",
            "ingest",
            "--test",
            "t.config",
            "rules.config",
        ],
    );
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("file is told something in tests, too"));
    assert!(!folder.join("written").exists());
}
