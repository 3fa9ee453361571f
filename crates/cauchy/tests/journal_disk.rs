//! Proves with a real file system of 2 MiB that a server whose journal finds no room says so to its
//! clients, goes on when there is room, and that all it acknowledged reaches the streams after a
//! kill.
//!
//! The file system is a tmpfs that only the server sees, and goes with it. Where that is not
//! allowed the test says so; `journal_server.rs` has one that limits the size of files instead.

mod server;

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use server::riemann::{Riemann, event};
use server::{Server, program};
use tempfile::TempDir;

/// Takes up room until it is deleted.
const BALLAST: &str = "ballast";

/// Lets a program see an empty file system of its own in place of a folder.
fn mounted(mut command: Command, folder: &Path) -> Command {
    let folder = CString::new(folder.as_os_str().as_bytes()).expect("a path");
    let mount = move || {
        let none = std::ptr::null::<libc::c_char>();
        let (private, tmpfs) = (libc::MS_REC | libc::MS_PRIVATE, c"tmpfs".as_ptr());
        // SAFETY: between fork and exec only system calls are made, with strings that end with zero
        // and outlive them.
        let done = unsafe {
            libc::unshare(libc::CLONE_NEWNS) == 0
                && libc::mount(none, c"/".as_ptr(), none, private, none.cast()) == 0
                && libc::mount(tmpfs, folder.as_ptr(), tmpfs, 0, c"size=2m".as_ptr().cast()) == 0
        };
        match done {
            true => Ok(()),
            false => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: as said above.
    unsafe { command.pre_exec(mount) };
    command
}

fn config(journal: &Path, options: &str, seen: &Path) -> String {
    format!(
        "(journal \"ingest\" {{:dir {journal:?} {options}}})
         (tcp-server {{:port 0}})
         (let [index (index)]
           (streams index
             (fn [event]
               (when (= \"test\" (:host event))
                 (spit {seen:?} (str (:metric event) \"\\n\") :append true)))))"
    )
}

fn seen(path: &Path) -> Vec<i64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| line.parse().expect("a number"))
        .collect()
}

/// Sends events until one is refused; gives its number and the reason.
fn fill(client: &mut Riemann, acknowledged: &mut Vec<i64>) -> (i64, String) {
    for number in 1..10_000 {
        let padded = format!("s{number:0>3000}");
        let answer = client
            .try_send(&[event(&padded, number)])
            .expect("an answer");
        match answer.error {
            None => acknowledged.push(number),
            Some(error) => return (number, error),
        }
    }
    panic!("it never was full");
}

fn journal_command(arguments: &[&str], folder: &Path) {
    let mut command = program();
    let (verb, rest) = arguments.split_first().expect("a verb");
    let output = command
        .arg("journal")
        .arg(verb)
        .arg(folder)
        .args(rest)
        .output();
    let output = output.expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
}

/// Copies the files of a folder that no name leads to any more.
fn rescue(folder: &File, to: &Path) {
    let path = PathBuf::from(format!("/proc/self/fd/{}/", folder.as_raw_fd()));
    fs::create_dir(to).expect("a folder");
    for file in fs::read_dir(path).expect("it is open").flatten() {
        fs::copy(file.path(), to.join(file.file_name())).expect("room");
    }
}

fn a_full_disk(options: &str) {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let disk = folder.join("disk");
    fs::create_dir(&disk).expect("a folder");
    if mounted(Command::new("true"), &disk).status().is_err() {
        println!("no file system was filled: not allowed to mount one");
        return;
    }
    let (journal, first_seen) = (disk.join("ingest"), folder.join("seen-1"));
    let mut server = Server::start_with(
        &config(&journal, options, &first_seen),
        mounted(program(), &disk),
    );
    let inside = PathBuf::from(format!("/proc/{}/root", server.pid()));
    let inside = inside.join(disk.strip_prefix("/").expect("a whole path"));
    fs::write(inside.join(BALLAST), vec![1; 1 << 20]).expect("there is room");
    let (mut client, mut acknowledged) = (server.connect(), Vec::new());
    let (refused, reason) = fill(&mut client, &mut acknowledged);
    assert!(reason.contains("the disk is full"), "{reason}");
    server
        .log
        .wait("messages are not acknowledged until that is mended");
    // Queries are answered all the while.
    assert_eq!(client.query("service = \"none\"").len(), 0);
    fs::remove_file(inside.join(BALLAST)).expect("it is there");
    for number in refused + 1..refused + 100 {
        client.send(&[event("after", number)]);
        acknowledged.push(number);
    }
    assert_eq!(client.query("service = \"after\"").len(), 1);
    let kept = File::open(inside.join("ingest")).expect("it is there");
    server.signal(libc::SIGKILL);
    server.wait();
    let rescued = folder.join("rescued");
    rescue(&kept, &rescued);
    journal_command(&["verify"], &rescued);
    // Set back, the streams see all of it.
    journal_command(&["set", "streams", "0"], &rescued);
    let then_seen = folder.join("seen-2");
    let mut server = Server::start(&config(&rescued, options, &then_seen));
    server.signal(libc::SIGTERM);
    server.wait();
    for path in [first_seen, then_seen] {
        let seen = seen(&path);
        let lost: Vec<_> = acknowledged
            .iter()
            .filter(|one| !seen.contains(one))
            .collect();
        assert!(lost.is_empty(), "{path:?}: {lost:?}");
    }
}

#[test]
fn a_full_file_system_in_os() {
    a_full_disk("");
}

#[test]
fn a_full_file_system_in_always() {
    a_full_disk(":durability :always");
}
