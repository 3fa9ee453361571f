//! What a journal costs: the server with one in front of its streams against one without, in the
//! same run; and writers that wait for the disk against a plain loop of writes and syncs.
//!
//! Believe the ratios; the figures belong to the machine. Small unless run by `cargo bench`. Words
//! after `--` choose rows by a part of their name. `CAUCHY_PROGRAM=path` measures another build of
//! the program, `DIR=path` another disk.

mod client;
mod group_commit;
#[path = "../floor/messages.rs"]
#[allow(dead_code, reason = "the other bench uses more of it")]
mod messages;
#[path = "../recorded.rs"]
mod recorded;
mod served;
#[path = "../../tests/server/mod.rs"]
mod server;

use std::time::Duration;

use tempfile::TempDir;

/// How much to do.
pub struct Size {
    /// Of one turn of a server.
    length: Duration,
    /// Turns of each; the median counts.
    rounds: usize,
    /// Syncs of the plain loop in one turn.
    syncs: usize,
}

const SMALL: Size = Size {
    length: Duration::from_millis(50),
    rounds: 1,
    syncs: 2,
};
const FULL: Size = Size {
    length: Duration::from_secs(1),
    rounds: 9,
    syncs: 100,
};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let full = arguments.iter().any(|argument| argument == "--bench");
    let words: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(&**word));
    let size = if full { FULL } else { SMALL };
    for (name, row) in served::ROWS {
        if wanted(name) {
            row(name, &size);
        }
    }
    for (name, row) in group_commit::ROWS {
        if wanted(name) {
            row(name, &size);
        }
    }
}

fn median(all: impl IntoIterator<Item = f64>) -> f64 {
    let mut all: Vec<f64> = all.into_iter().collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// A folder on the disk that is measured.
fn folder() -> TempDir {
    match std::env::var_os("DIR") {
        Some(dir) => TempDir::new_in(dir),
        None => TempDir::new_in(env!("CARGO_TARGET_TMPDIR")),
    }
    .expect("a folder")
}
