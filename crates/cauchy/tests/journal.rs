//! Proves that `cauchy journal` shows and changes a journal as its help says.

mod server;

use std::fs;
use std::process::Output;

use journal::{Journal, Options, Start};
use serde_json::Value;
use server::program;
use tempfile::TempDir;

/// A journal of three hundred records, a few segments, and two subscribers.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = TempDir::new().expect("a folder");
        let journal = open(folder.path());
        journal.add_subscriber("mail", Start::Begin).expect("added");
        for number in 1..=300 {
            let record = format!("record {number}\n");
            journal.append(record.as_bytes()).expect("room");
        }
        journal.add_subscriber("pages", Start::End).expect("added");
        Folder(folder)
    }

    fn run(&self, command: &str, rest: &[&str]) -> Output {
        program()
            .args(["journal", command])
            .arg(self.0.path())
            .args(rest)
            .output()
            .expect("the program starts")
    }

    fn text(&self, command: &str, rest: &[&str]) -> String {
        let output = self.run(command, rest);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn json(&self, command: &str) -> Value {
        serde_json::from_str(&self.text(command, &["--json"])).expect("JSON")
    }

    fn fails(&self, command: &str, rest: &[&str]) -> String {
        let output = self.run(command, rest);
        assert_eq!(output.status.code(), Some(1), "{command}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

fn open(dir: &std::path::Path) -> Journal {
    let options = Options {
        segment_bytes: 4096,
        buffer_bytes: 4096,
        ..Options::default()
    };
    Journal::open(dir, options).expect("it opens")
}

#[test]
fn info_names_the_compression() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options {
        compression: journal::Compression::Lz4,
        ..Options::default()
    };
    drop(Journal::open(folder.path(), options).expect("it opens"));
    let output = program()
        .args(["journal", "info", "--json"])
        .arg(folder.path())
        .output();
    let output = output.expect("it runs").stdout;
    let info: Value = serde_json::from_slice(&output).expect("JSON");
    assert_eq!(info["compression"], "lz4");
}

#[test]
fn info_and_subscribers_count_what_is_there() {
    let folder = Folder::new();
    let info = folder.json("info");
    assert_eq!((&info["first"], &info["last"]), (&1.into(), &300.into()));
    assert_eq!(info["compression"], "none");
    assert!(folder.text("info", &[]).contains("300, 1 to 300"));
    let subscribers = folder.json("subscribers");
    assert_eq!(subscribers[0]["name"], "mail");
    assert_eq!(subscribers[0]["records"], 300);
    let bytes: usize = (1..=300).map(|n: u32| format!("record {n}\n").len()).sum();
    assert_eq!(subscribers[0]["bytes"], bytes);
    assert_eq!(subscribers[1]["records"], 0);
    assert!(folder.text("subscribers", &[]).contains("mail"));
}

#[test]
fn records_are_read_in_each_format_beside_a_writer() {
    let folder = Folder::new();
    let writer = open(folder.0.path());
    writer.append(&[0xff, 0x00]).expect("room");
    let read = folder.text("read", &["--from", "299", "-n", "2"]);
    assert_eq!(read, "299\trecord 299\\n\n300\trecord 300\\n\n");
    let read = folder.text("read", &["--subscriber", "pages", "--format", "hex"]);
    assert_eq!(read, "301\tff00\n");
    let read = folder.text("tail", &["-n", "2", "--format", "json"]);
    let expected = "{\"id\":300,\"text\":\"record 300\\n\"}\n{\"id\":301,\"hex\":\"ff00\"}\n";
    assert_eq!(read, expected);
    let read = folder.text("read", &["--from", "1", "-n", "1", "--format", "raw"]);
    assert_eq!(read, "record 1\n\n");
    assert_eq!(folder.text("read", &[]).lines().count(), 301);
    let locked = folder.fails("add", &["late"]);
    assert!(
        locked.contains("another process has the journal open"),
        "{locked}"
    );
}

#[test]
fn subscribers_are_added_moved_and_removed() {
    let folder = Folder::new();
    folder.text("add", &["safe", "--at", "120"]);
    assert!(folder.fails("add", &["safe"]).contains("`set` moves it"));
    assert!(
        folder
            .fails("add", &["x", "--at", "noon"])
            .contains("`begin`, `end`")
    );
    folder.text("set", &["mail", "200"]);
    let read = folder.text("read", &["--subscriber", "mail", "-n", "1"]);
    assert_eq!(read, "201\trecord 201\\n\n");
    let told = folder.text("set", &["mail", "5000"]);
    assert!(told.contains("mail is at 300"), "{told}");
    folder.text("set", &["mail", "130"]);
    assert_eq!(folder.json("subscribers")[0]["checkpoint"], 130);
    folder.text("remove", &["safe"]);
    assert!(
        folder
            .fails("remove", &["safe"])
            .contains("no subscriber is called safe")
    );
    folder.text("remove", &["mail"]);
    folder.text("remove", &["pages"]);
    assert!(folder.text("compact", &[]).contains("segments deleted"));
    assert_eq!(folder.json("info")["segments"], 1);
}

#[test]
fn damage_is_named_and_a_lost_head_is_mended() {
    let folder = Folder::new();
    assert!(
        folder
            .text("verify", &[])
            .starts_with("300 good records of")
    );
    let mended = folder.text("repair", &[]);
    assert!(mended.starts_with("nothing was to be mended"), "{mended}");

    let segment = folder.0.path().join("0000000000000001.segment");
    let mut bytes = fs::read(&segment).expect("a segment");
    bytes[1000] ^= 1;
    fs::write(&segment, bytes).expect("written");
    let output = folder.run("verify", &[]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("segment 1 is damaged at byte"), "{told}");
    assert!(told.contains("1 records lost"), "{told}");

    fs::write(folder.0.path().join("journal"), b"nothing").expect("written");
    let broken = folder.fails("info", &[]);
    assert!(broken.contains("`cauchy journal repair`"), "{broken}");
    let mended = folder.text("repair", &[]);
    assert!(mended.contains("made anew"), "{mended}");
    assert_eq!(folder.json("info")["last"], 300);
    assert_eq!(folder.json("subscribers")[0]["name"], "mail");
}

#[test]
fn a_folder_without_a_journal_is_told_and_not_made_one() {
    let folder = Folder(TempDir::new().expect("a folder"));
    for (command, rest) in [
        ("info", &[][..]),
        ("add", &["a"]),
        ("compact", &[]),
        ("repair", &[]),
    ] {
        let told = folder.fails(command, rest);
        assert!(told.contains("there is no journal here"), "{told}");
    }
    assert_eq!(fs::read_dir(folder.0.path()).expect("a folder").count(), 0);
}
