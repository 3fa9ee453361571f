//! Whole configurations, as people write them, load; and start as many streams and services as
//! they do in Riemann.

use std::path::Path;
use std::process::Command;

fn check(file: &str, counts: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/config/loads");
    let output = Command::new(env!("CARGO_BIN_EXE_cauchy"))
        .args(["check", "--json"])
        .arg(folder.join(file))
        .output()
        .expect("cauchy starts");
    let answer = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        answer.trim_end(),
        counts,
        "{file}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn first_steps() {
    check(
        "first-steps.config",
        r#"{"streams":1,"services":5,"index":true,"errors":[],"warnings":[]}"#,
    );
}

#[test]
fn distributions_of_hosts_and_weeks() {
    check(
        "distributions.config",
        r#"{"streams":4,"services":1,"index":true,"errors":[],"warnings":[]}"#,
    );
}

#[test]
fn options_as_keys_and_values() {
    check(
        "old-keywords.config",
        r#"{"streams":5,"services":7,"index":true,"errors":[],"warnings":[]}"#,
    );
}

#[test]
fn alerts_to_mail_chat_and_pagers() {
    check(
        "alerts.config",
        r#"{"streams":1,"services":6,"index":true,"errors":[],"warnings":[]}"#,
    );
}

#[test]
fn a_site_of_many_files() {
    check(
        "site/riemann.config",
        r#"{"streams":4,"services":7,"index":true,"errors":[],"warnings":[]}"#,
    );
}

#[test]
fn records_protocols_and_macros_of_ones_own() {
    check(
        "records-and-protocols.config",
        r#"{"streams":1,"services":3,"index":true,"errors":[],"warnings":[]}"#,
    );
    check(
        "macros-and-rules.config",
        r#"{"streams":7,"services":1,"index":true,"errors":[],"warnings":[]}"#,
    );
}

#[test]
fn agents_refs_and_threads() {
    check(
        "thresholds-by-environment.config",
        r#"{"streams":1,"services":5,"index":true,"errors":[],"warnings":[]}"#,
    );
    check(
        "state-and-threads.config",
        r#"{"streams":6,"services":2,"index":true,"errors":[],"warnings":[]}"#,
    );
}

#[test]
fn every_stream_in_its_usual_forms() {
    check(
        "every-stream.config",
        r#"{"streams":65,"services":1,"index":false,"errors":[],"warnings":[]}"#,
    );
}

#[test]
fn dates_and_calendars_of_java() {
    check(
        "office-hours.config",
        r#"{"streams":1,"services":1,"index":false,"errors":[],"warnings":[]}"#,
    );
}
