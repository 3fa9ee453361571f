//! Queues in journals: what a test of them asks.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::riemann::{Riemann, event};
use super::{Server, eventually, free_port, http, program};

/// A place for what outlives the servers of one test.
pub struct Bench {
    folder: TempDir,
    pub port: u16,
}

impl Bench {
    pub fn new() -> Bench {
        Bench {
            folder: TempDir::new().expect("a folder"),
            port: free_port(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A server that hands on what it is sent, to a server that may be there or not.
    pub fn forwarding(&self, options: &str) -> String {
        let (port, dir) = (self.port, self.path("up"));
        format!(
            "(tcp-server {{:port 0}}) (ws-server {{:port 0}})
             (let [up (tcp-client {{:host \"127.0.0.1\" :port {port}
                                    :queue {{:journal \"up\" :dir {dir:?} {options}}}}})]
               (streams (where (service \"n\") (forward up))))"
        )
    }

    /// The server that it goes to, which writes what comes to a file.
    pub fn target(&self) -> Server {
        let (port, seen) = (self.port, self.path("seen"));
        Server::start(&format!(
            "(tcp-server {{:port {port}}})
             (let [seen {seen:?}]
               (streams (fn [event] (spit seen (str (:metric event) \"\\n\") :append true))))"
        ))
    }

    pub fn seen(&self) -> Vec<i64> {
        numbers(&self.path("seen"))
    }

    /// Waits until a number was seen, and checks that nothing was missed on the way: what comes
    /// again after a crash begins at or before what was seen last.
    pub fn wait_for(&self, last: i64) {
        let seen = eventually("what was sent", || {
            Some(self.seen()).filter(|seen| seen.last() == Some(&last))
        });
        check_order(&seen, last);
    }
}

/// The numbers in the lines of a file; the last may be torn.
pub fn numbers(path: &Path) -> Vec<i64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().filter_map(|line| line.parse().ok()).collect()
}

pub fn check_order(seen: &[i64], last: i64) {
    let mut highest = 0;
    for number in seen {
        assert!(*number <= highest + 1, "{number} after {highest}: {seen:?}");
        highest = highest.max(*number);
    }
    assert_eq!(highest, last);
}

pub fn send(client: &mut Riemann, numbers: impl IntoIterator<Item = i64>) {
    for number in numbers {
        client.send(&[event("n", number)]);
    }
}

/// A figure of `/metrics`.
pub fn figure(server: &Server, name: &str, queue: &str) -> u64 {
    let (_, text) = http::get(server.address("ws"), "/metrics");
    let line = format!("cauchy_outlet_{name}{{outlet=\"{queue}\"}} ");
    let value = text.lines().find_map(|row| row.strip_prefix(&line));
    let value = value.unwrap_or_else(|| panic!("no {line} in {text}"));
    value.parse::<f64>().expect("a number") as u64
}

/// Waits until a figure is what it should be.
pub fn wait_figure(server: &Server, name: &str, queue: &str, value: u64) {
    eventually(name, || {
        (figure(server, name, queue) == value).then_some(())
    });
}

/// What `cauchy journal read` prints.
pub fn read_journal(dir: &Path) -> String {
    let read = program()
        .args(["journal", "read", "--format", "json"])
        .arg(dir)
        .output()
        .expect("the program runs");
    assert!(read.status.success(), "{read:?}");
    String::from_utf8(read.stdout).expect("UTF-8")
}
