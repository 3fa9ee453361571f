//! The journals of queues, through reloads.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use clock::{Clock, SystemClock};
use config::{Backlogs, Durability, QueueSpec};
use journal::{Compression, Journal, Now, Options, Retention};
use parking_lot::Mutex;
use sinks::durable::Backlog;

/// How often, at least, journals are told the time.
const TICK: Duration = Duration::from_millis(100);

/// Open journals of queues, by their folders. One closes when no configuration has it any more.
#[derive(Default)]
pub struct Queues {
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    backlogs: HashMap<PathBuf, Held>,
    /// A thread tells them the time.
    is_told: bool,
}

struct Held {
    spec: QueueSpec,
    backlog: Weak<Backlog>,
}

impl Backlogs for Queues {
    fn open(&self, spec: &QueueSpec) -> Result<Arc<Backlog>, String> {
        let mut open = self.open.lock();
        let held = open.backlogs.get(&spec.dir);
        if let Some((held, backlog)) = held.and_then(|held| Some((held, held.backlog.upgrade()?))) {
            if !opens_alike(&held.spec, spec) {
                let queue = &*spec.name;
                tracing::warn!(
                    queue,
                    "its journal's new options hold from the next start on"
                );
            }
            return Ok(backlog);
        }
        let backlog = Arc::new(open_new(spec)?);
        let held = Held {
            spec: spec.clone(),
            backlog: Arc::downgrade(&backlog),
        };
        open.backlogs.insert(spec.dir.clone(), held);
        if !open.is_told {
            tell_time(&self.open)?;
            open.is_told = true;
        }
        Ok(backlog)
    }
}

impl Queues {
    /// Makes what waits as durable as it is to be, at the end of the process.
    pub fn close(&self) {
        for (dir, held) in &self.open.lock().backlogs {
            let Some(backlog) = held.backlog.upgrade() else {
                continue;
            };
            if held.spec.durability != Durability::Os
                && let Err(error) = backlog.sync()
            {
                tracing::error!("queue {}: {error}", dir.display());
            }
        }
    }
}

/// The same but for what a configuration does with it.
fn opens_alike(one: &QueueSpec, other: &QueueSpec) -> bool {
    one.durability == other.durability && one.bytes_max == other.bytes_max
}

fn open_new(spec: &QueueSpec) -> Result<Backlog, String> {
    let failed = |dir: &Path, error: journal::Error| {
        format!("the queue {:?} in {}: {error}", spec.name, dir.display())
    };
    let clock = SystemClock::new();
    let now: Now = Arc::new(move || clock.now().us);
    let options = options(spec, now.clone());
    let journal = Journal::open(&spec.dir, options.clone());
    let journal = journal.map_err(|error| failed(&spec.dir, error))?;
    if !journal.recovery().is_clean() {
        tracing::warn!("queue {}: {}", spec.dir.display(), journal.recovery());
    }
    let dead_dir = spec.dead_dir();
    let dead_options = Options {
        retention: Retention::default(),
        ..options
    };
    let open_dead = move || Journal::open(&dead_dir, dead_options.clone());
    let backlog = Backlog::new(&spec.name, journal, Box::new(open_dead), now);
    let backlog = backlog.map_err(|error| failed(&spec.dir, error))?;
    let waiting = backlog.stats().depth;
    if waiting > 0 {
        let queue = &*spec.name;
        tracing::info!(queue, waiting, "goes on with what has not left");
    }
    Ok(backlog)
}

fn options(spec: &QueueSpec, now: Now) -> Options {
    Options {
        durability: match spec.durability {
            Durability::Os => journal::Durability::Os,
            Durability::Interval { ms } => journal::Durability::Interval { ms },
            Durability::Always => journal::Durability::Always,
        },
        compression: if spec.is_compressed {
            Compression::Lz4
        } else {
            Compression::None
        },
        retention: Retention {
            max_bytes: spec.bytes_max,
            max_age_us: None,
        },
        now,
        ..Options::default()
    }
}

/// What is open, and when it wants to be told the time again: syncs of an interval are due by that.
fn held_now(open: &mut Open) -> (Vec<Arc<Backlog>>, Duration) {
    open.backlogs
        .retain(|_, held| held.backlog.strong_count() > 0);
    let ticks = open
        .backlogs
        .values()
        .map(|held| match held.spec.durability {
            Durability::Interval { ms } => TICK.min(Duration::from_millis(ms)),
            _ => TICK,
        });
    let tick = ticks.min().unwrap_or(TICK);
    let held = open.backlogs.values();
    (
        held.filter_map(|held| held.backlog.upgrade()).collect(),
        tick,
    )
}

/// Starts the thread that tells the journals the time, until the program ends.
fn tell_time(open: &Arc<Mutex<Open>>) -> Result<(), String> {
    let open = Arc::downgrade(open);
    let tell = move || {
        while let Some(open) = open.upgrade() {
            let (held, tick) = held_now(&mut open.lock());
            held.iter().for_each(|backlog| backlog.tick());
            drop((open, held));
            thread::sleep(tick);
        }
    };
    let spawned = thread::Builder::new().name("queues".into()).spawn(tell);
    spawned
        .map(drop)
        .map_err(|error| format!("cannot start the thread of queues: {error}"))
}
