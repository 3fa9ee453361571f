//! Writers that wait until each record is on the disk, against a loop that writes 64 KiB and syncs.
//!
//! What is written in a turn takes a fraction of a second, and both have turns by turns: disks are
//! slow at times, and then for both.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use journal::{Durability, Journal, Options};

use crate::recorded::record;
use crate::{Size, folder, median};

type Row = (&'static str, fn(&str, &Size));

pub const ROWS: [Row; 3] = [
    ("always, 64 writers of 100 B", |name, size| {
        group_commit(name, 100, size);
    }),
    ("always, 64 writers of 1 KiB", |name, size| {
        group_commit(name, 1 << 10, size);
    }),
    ("always, 64 writers of 10 KB", |name, size| {
        group_commit(name, 10_000, size);
    }),
];

const WRITERS: usize = 64;
const BLOCK_BYTES: usize = 64 << 10;

/// What the loop over a file that is written already goes round in.
const FILE_BYTES: usize = 64 << 20;

/// Prints megabytes a second of ours and of the loop, which appends to a file, and which writes
/// over one: then a sync has no new length to write.
fn group_commit(name: &str, record_bytes: usize, size: &Size) {
    let folder = folder();
    let options = Options {
        durability: Durability::Always,
        buffer_bytes: 1 << 20,
        ..Options::default()
    };
    let journal = Journal::open(folder.path(), options).expect("it opens");
    let file = |name: &str| File::create(folder.path().join(name)).expect("a file");
    let (grows, stays) = (file("grows"), file("stays"));
    stays
        .write_all_at(&vec![0; FILE_BYTES], 0)
        .and_then(|()| stays.sync_all())
        .expect("room");
    let mut at = [0, 0];
    let mut round = || {
        let append = plain(&grows, &mut at[0], size);
        let ours = ours(&journal, record_bytes, size);
        let over = plain(&stays, &mut at[1], size);
        at[1] %= FILE_BYTES as u64;
        (ours, append, over)
    };
    round();
    let rounds: Vec<_> = (0..3 * size.rounds).map(|_| round()).collect();
    let of = |value: fn(&(f64, f64, f64)) -> f64| median(rounds.iter().map(value));
    let (mb, append, over) = (of(|r| r.0), of(|r| r.1), of(|r| r.2));
    let (to_append, to_over) = (of(|r| r.0 / r.1), of(|r| r.0 / r.2));
    let stats = journal.stats().expect("it reads");
    let per_sync = stats.appended as f64 / stats.syncs as f64;
    println!(
        "{name:34} {mb:6.1} MB/s ({per_sync:.0} a sync)  loop that appends {append:6.1}, ratio \
         {to_append:5.2}  that writes over {over:6.1}, ratio {to_over:5.2}"
    );
    record(&format!("{name}, ratio"), to_append);
    record(&format!("{name}, ratio to writing over"), to_over);
}

fn mb_per_s(bytes: usize, since: Instant) -> f64 {
    bytes as f64 / since.elapsed().as_secs_f64() / 1e6
}

fn plain(file: &File, at: &mut u64, size: &Size) -> f64 {
    let block = vec![7; BLOCK_BYTES];
    let started = Instant::now();
    for _ in 0..size.syncs {
        file.write_all_at(&block, *at).expect("room");
        file.sync_data().expect("synced");
        *at += BLOCK_BYTES as u64;
    }
    mb_per_s(size.syncs * BLOCK_BYTES, started)
}

/// Each writer goes on when its record is durable, as a connection does that acknowledges.
fn ours(journal: &Journal, record_bytes: usize, size: &Size) -> f64 {
    let record = Arc::new(vec![7; record_bytes]);
    let started = Instant::now();
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let (journal, record, count) = (journal.clone(), Arc::clone(&record), size.syncs);
            thread::spawn(move || {
                for _ in 0..count {
                    journal.append(&record).expect("durable");
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().expect("no panic");
    }
    mb_per_s(size.syncs * WRITERS * record_bytes, started)
}
