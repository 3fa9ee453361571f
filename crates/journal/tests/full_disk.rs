//! Proves on a real file system of 256 KiB that a full disk costs nothing that was acknowledged,
//! and that appends go on as soon as there is room.
//!
//! The file system is a tmpfs that only a process of its own sees: this test program again, which
//! goes with it. Where that is not allowed, the test says so; `processes.rs` has one that limits
//! the size of files instead, which needs no rights.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use journal::disk::real::RealDisk;
use journal::{Compression, Durability, Error, Id, Journal, Options, Start};
use tempfile::TempDir;

const FOLDER: &str = "JOURNAL_TEST_FULL_DISK";

/// What the child says where it may not mount anything.
const NOT_ALLOWED: &str = "not allowed to mount";

/// Takes up room until it is deleted.
const BALLAST: &str = "ballast";

/// Mounts an empty file system on a folder, for this process alone.
fn mount(folder: &Path) -> bool {
    let folder = CString::new(folder.as_os_str().as_bytes()).expect("a path");
    let none = std::ptr::null::<libc::c_char>();
    // SAFETY: the strings end with zero and outlive the calls.
    unsafe {
        libc::unshare(libc::CLONE_NEWNS) == 0
            && libc::mount(
                none,
                c"/".as_ptr(),
                none,
                libc::MS_REC | libc::MS_PRIVATE,
                none.cast(),
            ) == 0
            && libc::mount(
                c"tmpfs".as_ptr(),
                folder.as_ptr(),
                c"tmpfs".as_ptr(),
                0,
                c"size=256k".as_ptr().cast(),
            ) == 0
    }
}

fn record(number: u64) -> Vec<u8> {
    let mut bytes = format!("{number} ").into_bytes();
    bytes.resize(100 + (number % 50) as usize, b'a' + (number % 26) as u8);
    bytes
}

/// Fills the disk, makes room, goes on, opens again, and finds everything that was acknowledged.
fn fill(folder: &Path, durability: Durability, compression: Compression) {
    fs::write(folder.join(BALLAST), vec![1; 100 << 10]).expect("room");
    let options = || Options {
        durability,
        compression,
        segment_bytes: 16 << 10,
        buffer_bytes: 4 << 10,
        ..Options::default()
    };
    let journal = Journal::open(folder, options()).expect("it opens");
    journal.add_subscriber("a", Start::Begin).expect("added");
    let mut acknowledged = BTreeMap::new();
    let mut number = 0;
    let full = loop {
        number += 1;
        assert!(number < 100_000, "it is never full");
        match journal.append(&record(number)) {
            Ok(id) => acknowledged.insert(id, record(number)),
            Err(error) => break error,
        };
    };
    assert!(matches!(full, Error::Full { .. }), "{full}");
    assert!(full.to_string().contains("free some room"), "{full}");
    assert!(journal.append(&[b'x'; 3000]).is_err(), "it stays full");
    fs::remove_file(folder.join(BALLAST)).expect("it is there");
    for number in number + 1..number + 300 {
        let id = journal.append(&record(number)).expect("there is room");
        acknowledged.insert(id, record(number));
    }
    drop(journal);
    let journal = Journal::open(folder, options()).expect("it opens");
    let mut reader = journal.reader("a").expect("it is there");
    let mut last = Id(0);
    loop {
        let batch = reader.next_batch(100).expect("it reads");
        if batch.is_empty() {
            break;
        }
        for (id, bytes) in batch.iter() {
            assert_eq!(id, last.next());
            last = id;
            if let Some(expected) = acknowledged.remove(&id) {
                assert_eq!(bytes, expected);
            }
        }
    }
    assert_eq!(acknowledged, BTreeMap::new());
    assert_eq!(reader.take_damages(), []);
    let verified = journal::verify(&RealDisk::at(folder)).expect("it reads");
    assert_eq!(verified.damages, []);
}

/// Runs in a process of its own.
#[test]
fn small_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    for (durability, compression) in [
        (Durability::Os, Compression::None),
        (Durability::Os, Compression::Lz4),
        (Durability::Interval { ms: 1 }, Compression::None),
        (Durability::Always, Compression::None),
    ] {
        if !mount(Path::new(&folder)) {
            println!("{NOT_ALLOWED}");
            return;
        }
        fill(Path::new(&folder), durability, compression);
    }
    println!("filled");
}

#[test]
fn a_file_system_that_fills_costs_nothing_and_appends_go_on_when_there_is_room() {
    let folder = TempDir::new().expect("a folder");
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "small_disk", "--nocapture"])
        .env(FOLDER, folder.path())
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    if text.contains(NOT_ALLOWED) {
        println!("no file system was filled: {NOT_ALLOWED}");
    } else {
        assert!(text.contains("filled"), "{text}");
    }
    let left = fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(left, 0, "the file system was the child's alone");
}
