//! Appends and reads a million records of 100 bytes, in the ways of JLog's own benchmark. Prints
//! CPU seconds, which other load on the machine does not change much, and medians of several runs.
//! Writers that wait for the disk are measured by the program's bench `journal`.
//!
//! `cargo bench -p cauchy-journal [ROW]`; `RUNS=9` for more runs, `DIR=/mnt` for another disk.
//! Under `cargo test` it is small and prints nothing of use.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use journal::{Compression, Journal, Mode, Options, Start};
use tempfile::TempDir;

const RECORD_BYTES: usize = 100;

#[derive(Clone, Copy)]
struct Size {
    records: usize,
    runs: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let only = arguments.iter().find(|argument| !argument.starts_with('-'));
    let runs = std::env::var("RUNS")
        .ok()
        .and_then(|runs| runs.parse().ok());
    let size = if is_bench {
        Size {
            records: 1_000_000,
            runs: runs.unwrap_or(5),
        }
    } else {
        Size {
            records: 1000,
            runs: 1,
        }
    };
    let wanted = |row: &str| only.is_none_or(|only| row.contains(only.as_str()));
    for row in rows().iter().filter(|row| wanted(row.name)) {
        append_row(row, size);
    }
    if wanted("read") {
        read_row(size);
    }
}

struct Row {
    name: &'static str,
    options: Options,
    text: bool,
}

fn rows() -> Vec<Row> {
    let plain = Options::default;
    let row = |name, options| Row {
        name,
        options,
        text: false,
    };
    let lz4 = Options {
        compression: Compression::Lz4,
        ..plain()
    };
    vec![
        row(
            "append, multi-process, 128 KiB",
            Options {
                mode: Mode::MultiProcess,
                ..plain()
            },
        ),
        row(
            "append, single-process, smallest buffer",
            Options {
                buffer_bytes: 0,
                ..plain()
            },
        ),
        row("append, single-process, 128 KiB", plain()),
        Row {
            text: true,
            ..row("append, single-process, 128 KiB, text", plain())
        },
        Row {
            text: true,
            ..row("append, single-process, 128 KiB, text, LZ4", lz4)
        },
    ]
}

fn append_row(row: &Row, size: Size) {
    let records = records(size.records, row.text);
    let mut bytes = 0;
    let runs = (0..size.runs).map(|_| {
        let folder = folder();
        let start = Spent::now();
        let journal = Journal::open(folder.path(), row.options.clone()).expect("it opens");
        for record in &records {
            journal.append(record).expect("room");
        }
        journal.flush().expect("room");
        let spent = start.since();
        bytes = segment_bytes(folder.path());
        spent
    });
    report(row.name, size.records, runs.collect(), bytes);
}

fn read_row(size: Size) {
    let records = records(size.records, false);
    let folder = folder();
    let journal = Journal::open(folder.path(), Options::default()).expect("it opens");
    journal
        .add_subscriber("a", Start::Begin)
        .expect("it is new");
    journal
        .append_batch(records.iter().map(|record| &record[..]))
        .expect("room");
    journal.sync().expect("synced");
    let bytes = segment_bytes(folder.path());
    drop(journal);
    let runs = (0..size.runs).map(|_| {
        forget_pages(folder.path());
        let start = Spent::now();
        let journal = Journal::open(folder.path(), Options::default()).expect("it opens");
        let mut reader = journal.reader("a").expect("it is there");
        let (mut read, mut sum) = (0, 0_u64);
        loop {
            let batch = reader.next_batch(1000).expect("it reads");
            if batch.is_empty() {
                break;
            }
            for (id, record) in batch.iter() {
                sum = sum.wrapping_add(id.0 ^ u64::from(record[50]));
            }
            read += batch.len();
        }
        let spent = start.since();
        assert_eq!(read, records.len());
        assert_ne!(sum, 0);
        spent
    });
    report("read, cold", size.records, runs.collect(), bytes);
}

fn records(count: usize, text: bool) -> Vec<Vec<u8>> {
    let constant = vec![b'X'; RECORD_BYTES];
    (0..count)
        .map(|number| match text {
            false => constant.clone(),
            true => log_line(number),
        })
        .collect()
}

/// A line as servers write them: mostly the same, with times, numbers and names that differ.
fn log_line(number: usize) -> Vec<u8> {
    let dice = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    let mut line = format!(
        "2026-11-21T05:{:02}:{:02}.{:03}Z web{} INFO http: GET /api/v1/items/{} 200 {}ms agent=curl/8.5.0 ref=-",
        number / 60_000 % 60,
        number / 1000 % 60,
        number % 1000,
        dice % 8,
        dice >> 8 & 0xfff,
        dice >> 24 & 0x7f,
    )
    .into_bytes();
    line.resize(RECORD_BYTES, b'.');
    line
}

fn folder() -> TempDir {
    match std::env::var_os("DIR") {
        Some(dir) => TempDir::new_in(dir),
        None => TempDir::new_in(env!("CARGO_TARGET_TMPDIR")),
    }
    .expect("a folder")
}

fn segment_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).expect("a folder");
    let segments = files.flatten().filter(|file| {
        let name = file.file_name();
        name.to_string_lossy().ends_with(".segment")
    });
    segments
        .map(|file| file.metadata().map_or(0, |file| file.len()))
        .sum()
}

/// Lets the kernel forget what it holds of the files, so that they are read from the disk.
fn forget_pages(folder: &Path) {
    use std::os::fd::AsRawFd;
    for file in std::fs::read_dir(folder).expect("a folder").flatten() {
        let file = File::open(file.path()).expect("a file");
        // SAFETY: the descriptor is open; the call only advises.
        unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    }
}

/// CPU time of the process, and time.
#[derive(Clone, Copy)]
struct Spent {
    cpu: f64,
    wall: Instant,
}

impl Spent {
    fn now() -> Spent {
        Spent {
            cpu: cpu_s(),
            wall: Instant::now(),
        }
    }

    fn since(self) -> (f64, f64) {
        (cpu_s() - self.cpu, self.wall.elapsed().as_secs_f64())
    }
}

fn cpu_s() -> f64 {
    // SAFETY: all zeros is a good `rusage`, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

fn report(name: &str, records: usize, mut runs: Vec<(f64, f64)>, bytes: u64) {
    runs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (cpu, best) = (runs[runs.len() / 2].0, runs[0].0);
    runs.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
    let wall = runs[runs.len() / 2].1;
    let millions = records as f64 / 1e6;
    println!(
        "{name:44} {:.3} CPU s/M (best {:.3})  {:6.2} M/s  {:6.1} MB",
        cpu / millions,
        best / millions,
        millions / wall,
        bytes as f64 / 1e6
    );
}
