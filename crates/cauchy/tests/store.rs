//! `cauchy store`, as people run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn store(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cauchy"));
    command
        .arg("store")
        .args(arguments)
        .output()
        .expect("it runs")
}

/// Its standard output; it must end well.
fn said(arguments: &[&str]) -> String {
    let output = store(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

fn lines() -> String {
    let line = |at: i64| {
        format!(
            "{{\"host\":\"a\",\"service\":\"rtt\",\"time_us\":{},\"number\":{}}}\n",
            at * 1_000_000,
            at * 2
        )
    };
    (0..5000).map(line).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

#[test]
fn history_goes_in_and_out_and_back() {
    let folder = TempDir::new().expect("a folder");
    let [dir, file, monday] = ["history", "lines", "monday"].map(|name| folder.path().join(name));
    fs::write(&file, lines()).expect("written");
    assert_eq!(said(&["import", text(&dir), text(&file)]), "5000 samples\n");
    said(&["compact", text(&dir)]);
    let info = said(&["info", text(&dir)]);
    assert!(
        info.starts_with("series     1\nraw        1 files, "),
        "{info}"
    );
    said(&["snapshot", text(&dir), text(&monday)]);
    fs::write(&file, "{\"time_us\":1,\"text\":\"later\"}").expect("written");
    assert_eq!(said(&["import", text(&dir), text(&file)]), "1 samples\n");
    assert_eq!(said(&["export", text(&dir)]).lines().count(), 5001);
    said(&["rollback", text(&dir), text(&monday)]);
    assert_eq!(said(&["export", text(&dir)]).lines().count(), 5000);
    let some = said(&["export", text(&dir), "--from", "10", "--to", "12"]);
    assert_eq!(some.lines().count(), 2);
    assert!(
        some.starts_with("{\"host\":\"a\",\"service\":\"rtt\",\"time_us\":10000000,"),
        "{some}"
    );
}

#[test]
fn damage_is_found_and_cells_are_made_anew() {
    let folder = TempDir::new().expect("a folder");
    let dir = folder.path().join("history");
    let file = folder.path().join("lines");
    fs::write(&file, lines()).expect("written");
    said(&["import", text(&dir), text(&file)]);
    said(&["compact", text(&dir)]);
    said(&["verify", text(&dir)]);
    let entries = fs::read_dir(&dir).expect("files").flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_some_and(|end| end == "blocks") && !text(&path).contains("/raw.") {
            let mut bytes = fs::read(&path).expect("read");
            bytes[70] ^= 1;
            fs::write(&path, bytes).expect("written");
        }
    }
    let output = store(&["verify", text(&dir)]);
    assert_eq!(output.status.code(), Some(1));
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        report.matches("is damaged at byte 48: a block of").count(),
        2,
        "{report}"
    );
    let mended = said(&["scrub", text(&dir)]);
    assert_eq!(mended.matches("was made anew").count(), 2, "{mended}");
    said(&["verify", text(&dir), "--json"]);
}

#[test]
fn a_folder_that_is_in_use_is_only_looked_at() {
    let folder = TempDir::new().expect("a folder");
    let [dir, file, other] = ["history", "lines", "other"].map(|name| folder.path().join(name));
    fs::write(&file, lines()).expect("written");
    said(&["import", text(&dir), text(&file)]);
    let held = ::store::Store::open(&dir, ::store::Options::default()).expect("a store");
    for arguments in [
        &["scrub", text(&dir)][..],
        &["compact", text(&dir)],
        &["import", text(&dir), text(&file)],
        &["snapshot", text(&dir), text(&other)],
        &["rollback", text(&dir), text(&other)],
    ] {
        fs::create_dir_all(&other).expect("a folder");
        fs::write(other.join("series"), "").expect("written");
        let output = store(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        let expected = "history: another process has this history open; stop it first";
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    assert_eq!(said(&["export", text(&dir)]).lines().count(), 5000);
    said(&["verify", text(&dir)]);
    said(&["info", text(&dir)]);
    drop(held);
}

#[test]
fn a_folder_without_history_is_left_alone() {
    let folder = TempDir::new().expect("a folder");
    for command in ["info", "verify", "scrub", "export", "compact"] {
        let output = store(&[command, text(folder.path())]);
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("there is no history here"), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
