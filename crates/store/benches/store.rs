//! The rows that history is measured by: append, bytes on the disk, queries, recovery, memory.
//! Prints CPU seconds, which other load on the machine does not change much.
//!
//! `cargo bench -p cauchy-store [ROW]`. Under `cargo test` it is small and prints nothing of use.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use histogram::Histogram;
use rustix::fs::{Advice, fadvise};
use rustix::time::{ClockId, clock_gettime};
use store::{Cell, Options, Query, Sample, Store, Value};
use tempfile::TempDir;

const SECOND_US: i64 = 1_000_000;
const START_US: i64 = 1_699_920_000 * SECOND_US;

/// One in so many under test.
#[derive(Clone, Copy)]
struct Size(usize);

type Row = (&'static str, fn(Size));

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let only = arguments.iter().find(|argument| !argument.starts_with('-'));
    let size = Size(if is_bench { 1 } else { 1000 });
    // Memory first: later, what others have freed would be used again.
    let rows: [Row; 6] = [
        ("memory", memory),
        ("append", append),
        ("fleet", fleet),
        ("latency", latency),
        ("week", week),
        ("recovery", recovery),
    ];
    if let Some(dir) = std::env::var_os(FILL_DIR) {
        fill_and_abort(Path::new(&dir), size);
    }
    for (name, row) in rows {
        if only.is_none_or(|only| name.contains(only.as_str())) {
            row(size);
        }
    }
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn open(dir: &TempDir) -> Store {
    Store::open(dir.path(), Options::default()).expect("a store")
}

/// Lets the system forget what it holds of the folder's files.
fn make_cold(dir: &Path) {
    for entry in fs::read_dir(dir).expect("the folder").flatten() {
        let file = fs::File::open(entry.path()).expect("a file");
        file.sync_all().expect("synced");
        fadvise(&file, 0, None, Advice::DontNeed).expect("advice taken");
    }
}

fn blocks_bytes(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).expect("the folder").flatten();
    let blocks = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(".blocks"));
    let raw = blocks.filter(|entry| entry.file_name().to_string_lossy().starts_with("raw"));
    raw.map(|entry| entry.metadata().expect("its size").len())
        .sum()
}

/// Numbers from a seed (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        (self.roll() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normal, of mean 0 and deviation 1.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.share()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.share()).cos()
    }
}

/// A monitored fleet: of ten series three are nearly constant, three walk in hundredths, three
/// count, one is a quotient with all its digits.
fn fleet_value(series: usize, last: &mut f64, dice: &mut Dice) -> f64 {
    match series % 10 {
        0..3 => {
            if dice.share() < 0.01 {
                *last = (dice.share() * 8.0).floor();
            }
            *last
        }
        3..6 => {
            *last += (dice.normal() * 20.0).round() / 100.0;
            *last = (*last * 100.0).round() / 100.0;
            *last
        }
        6..9 => {
            *last += (50.0 + dice.normal() * 8.0).round().max(0.0);
            *last
        }
        _ => (dice.share() * 1e9).round() / 16e9,
    }
}

fn fill_fleet(store: &Store, hosts: usize, ticks: i64) -> (usize, f64) {
    let names: Vec<(String, String)> = (0..hosts)
        .map(|at| (format!("host{}", at / 20), format!("service {}", at % 20)))
        .collect();
    let mut dice = Dice(7);
    let mut last = vec![0.0; hosts];
    let mut spent = 0.0;
    let mut taken = 0;
    for tick in 0..ticks {
        let mut samples = Vec::with_capacity(hosts);
        for (at, (host, service)) in names.iter().enumerate() {
            let jitter = (dice.share() * 4.0) as i64 * 1000;
            samples.push(Sample {
                host: Some(host),
                service: Some(service),
                by: &[],
                time_us: START_US + tick * 10 * SECOND_US + if at % 2 == 0 { 0 } else { jitter },
                value: Value::Number(fleet_value(at, &mut last[at], &mut dice)),
            });
        }
        let start = cpu_seconds();
        for batch in samples.chunks(500) {
            taken += store.append(batch).expect("taken");
        }
        spent += cpu_seconds() - start;
        if tick % 300 == 299 {
            store.seal().expect("sealed");
        }
    }
    (taken, spent)
}

fn append(size: Size) {
    let dir = TempDir::new().expect("a folder");
    let store = open(&dir);
    let (taken, spent) = fill_fleet(&store, 10_000, 300.max(size.0 as i64) / size.0 as i64);
    let rate = taken as f64 / spent / 1e6;
    println!("append, 10 K series: {rate:.2} M samples per CPU second");
}

fn fleet(size: Size) {
    let dir = TempDir::new().expect("a folder");
    let store = open(&dir);
    let (taken, _) = fill_fleet(&store, 1000, 4300 / size.0 as i64);
    let start = cpu_seconds();
    store.compact().expect("merged");
    let spent = cpu_seconds() - start;
    let bytes = blocks_bytes(dir.path()) as f64 / taken as f64;
    let rate = taken as f64 / spent / 1e6;
    println!("fleet: {bytes:.2} bytes a sample; merged, rolled up {rate:.2} M a CPU second");
    let mut micros = Vec::new();
    for series in 0..100.min(1000 / size.0) {
        let (host, service) = (
            format!("host{}", series / 20),
            format!("service {}", series % 20),
        );
        let mut sum = 0.0;
        let query = Query {
            matches: &|name| {
                name.host.as_deref() == Some(&host) && name.service.as_deref() == Some(&service)
            },
            from_us: START_US + 8 * 3600 * SECOND_US,
            to_us: START_US + 9 * 3600 * SECOND_US,
        };
        let start = Instant::now();
        let answered = store.samples(&query, &mut |_, _, value| {
            if let Value::Number(number) = value {
                sum += number;
            }
            ControlFlow::Continue(())
        });
        answered.expect("an answer");
        micros.push((start.elapsed().as_micros(), sum as i64).0);
    }
    micros.sort_unstable();
    let median = micros.get(micros.len() / 2).copied().unwrap_or_default();
    println!("one series of 1 K, an hour: {median} µs");
}

/// 200 series of histograms, one in ten seconds, for six hours.
fn latency(size: Size) {
    let dir = TempDir::new().expect("a folder");
    let store = open(&dir);
    let mut dice = Dice(11);
    let ticks = 2160 / size.0.min(200) as i64;
    for tick in 0..ticks {
        let histograms: Vec<Histogram> = (0..200)
            .map(|_| (0..50).map(|_| (dice.normal() * 0.5 - 2.3).exp()).collect())
            .collect();
        let hosts: Vec<String> = (0..200).map(|at| format!("host{at}")).collect();
        let samples = hosts
            .iter()
            .zip(&histograms)
            .map(|(host, histogram)| Sample {
                host: Some(host),
                service: Some("latency"),
                by: &[],
                time_us: START_US + tick * 10 * SECOND_US,
                value: Value::Histogram(histogram),
            });
        let samples: Vec<Sample> = samples.collect();
        store.append(&samples).expect("taken");
        if tick == ticks * 2 / 3 {
            store.seal().expect("sealed");
        }
    }
    p99_row(&store, "raw, two hours of it not sealed");
    store.seal().expect("sealed");
    let count = (ticks * 200) as f64;
    let bytes = blocks_bytes(dir.path()) as f64 / count;
    println!("histogram of 50 log-normal samples: {bytes:.1} bytes");
    p99_row(&store, "raw");
    store.compact().expect("rolled up");
    p99_row(&store, "minutes");
}

fn p99_row(store: &Store, from: &str) {
    let mut millis = Vec::new();
    let mut p99 = 0.0;
    for _ in 0..5 {
        let start = cpu_seconds();
        let query = Query {
            matches: &|_| true,
            from_us: START_US,
            to_us: START_US + 6 * 3600 * SECOND_US,
        };
        let mut slices = Vec::with_capacity(360);
        let mut go_on = || ControlFlow::Continue(());
        let answered = store.sums(&query, 60 * SECOND_US, &mut go_on, &mut |_, cell: &Cell| {
            slices.push(cell.histogram.quantile(0.99));
            ControlFlow::Continue(())
        });
        answered.expect("an answer");
        p99 = slices[0];
        millis.push((cpu_seconds() - start) * 1000.0);
    }
    millis.sort_by(f64::total_cmp);
    let median = millis[2];
    println!("p99 over 200 series, 6 h, 60 s, from {from}: {median:.0} ms CPU ({p99:.4})");
}

/// A week of histograms of a minute, 1.2 billion measurements, into 112 slices.
fn week(size: Size) {
    let dir = TempDir::new().expect("a folder");
    let store = open(&dir);
    let mut dice = Dice(13);
    let minutes = 10_080 / size.0 as i64;
    for minute in 0..minutes {
        let mut histogram = Histogram::new();
        for _ in 0..700 {
            histogram.insert_n((dice.normal() * 1.2 - 2.3).exp(), 150 + dice.roll() % 40);
        }
        let sample = Sample {
            host: Some("host"),
            service: Some("latency"),
            by: &[],
            time_us: START_US + minute * 60 * SECOND_US,
            value: Value::Histogram(&histogram),
        };
        store.append(&[sample]).expect("taken");
    }
    store.seal().expect("sealed");
    let bytes = blocks_bytes(dir.path()) as f64 / minutes as f64;
    println!("histogram of a minute, some 120 000 measurements: {bytes:.0} bytes");
    week_row(&store, "samples");
    let store = week_cold(&dir, store, "samples");
    store.compact().expect("rolled up");
    week_row(&store, "half hours");
    week_cold(&dir, store, "half hours");
}

fn week_cold(dir: &TempDir, mut store: Store, from: &str) -> Store {
    let mut millis = Vec::new();
    for _ in 0..5 {
        drop(store);
        store = open(dir);
        make_cold(dir.path());
        let start = Instant::now();
        slices_of_week(&store);
        millis.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    let median = median(&mut millis);
    println!("week in 112 slices, cold, from {from}: {median:.1} ms of wall time");
    store
}

fn week_row(store: &Store, from: &str) {
    let mut count = 0;
    let mut millis: Vec<f64> = (0..7)
        .map(|_| {
            let start = cpu_seconds();
            count = slices_of_week(store);
            (cpu_seconds() - start) * 1000.0
        })
        .collect();
    let median = median(&mut millis);
    println!("week in 112 slices, {count} measurements, from {from}: {median:.1} ms CPU");
}

fn slices_of_week(store: &Store) -> u64 {
    let mut count = 0;
    let query = Query {
        matches: &|_| true,
        from_us: START_US,
        to_us: START_US + 7 * 86_400 * SECOND_US,
    };
    let answered = store.cells(&query, 5400 * SECOND_US, &mut |_, _, cell| {
        count += cell.histogram.count();
        ControlFlow::Continue(())
    });
    assert_eq!(answered.expect("an answer").damages, []);
    count
}

fn median(list: &mut [f64]) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

/// Names the folder that a child of this program fills and then dies.
const FILL_DIR: &str = "CAUCHY_STORE_BENCH_DIR";

/// Two weeks of history, 1 GB of it, and a head of 6 million samples, 100 MB; as a process that was
/// killed leaves them.
fn recovery(size: Size) {
    let dir = TempDir::new().expect("a folder");
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program);
    if size.0 == 1 {
        child.arg("--bench");
    }
    child.env(FILL_DIR, dir.path()).stderr(Stdio::null());
    let status = child.status().expect("it ran");
    assert!(!status.success(), "it was to be killed");
    let bytes: u64 = fs::read_dir(dir.path())
        .expect("the folder")
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".blocks"))
        .map(|entry| entry.metadata().expect("its size").len())
        .sum();
    make_cold(dir.path());
    let (start, spent) = (Instant::now(), cpu_seconds());
    let store = open(&dir);
    let (seconds, spent) = (start.elapsed().as_secs_f64(), cpu_seconds() - spent);
    assert_eq!(store.recovery().damages, []);
    let samples = store.recovery().from_journal;
    let (megabytes, head) = (bytes >> 20, store.stats().head_bytes >> 20);
    println!(
        "recovery of {megabytes} MB and {samples} samples of the head ({head} MB), cold: \
         {seconds:.2} s, {spent:.2} s CPU"
    );
}

fn fill_and_abort(dir: &Path, size: Size) {
    let store = Store::open(dir, Options::default()).expect("a store");
    let noise: String = (0..60_000)
        .map(|at| char::from(b' ' + (at % 90) as u8))
        .collect();
    for day in 0..14 {
        let hosts: Vec<String> = (0..10_000 / size.0).map(|at| format!("host{at}")).collect();
        for host in &hosts {
            let samples = [0, 1, 2, 3].map(|at| Sample {
                host: Some(host),
                service: Some("load"),
                by: &[],
                time_us: START_US + (day - 14) * 86_400 * SECOND_US + at * 60 * SECOND_US,
                value: Value::Number(at as f64),
            });
            store.append(&samples).expect("taken");
        }
        for at in 0..1200 / size.0 as i64 {
            let sample = Sample {
                host: Some("log"),
                service: None,
                by: &[],
                time_us: START_US + (day - 14) * 86_400 * SECOND_US + at * 60 * SECOND_US,
                value: Value::Text(&format!("{day} {at} {noise}")),
            };
            store.append(&[sample]).expect("taken");
        }
        store.seal().expect("sealed");
    }
    fill_head(
        &store,
        10_000 / size.0.min(100),
        640 / size.0.min(100) as i64,
    );
    std::process::abort();
}

fn fill_head(store: &Store, series: usize, ticks: i64) {
    let names: Vec<String> = (0..series).map(|at| format!("host{at}")).collect();
    for tick in 0..ticks {
        let samples: Vec<Sample> = names
            .iter()
            .map(|host| Sample {
                host: Some(host),
                service: Some("head"),
                by: &[],
                time_us: START_US + tick * 10 * SECOND_US,
                value: Value::Number(tick as f64 / 4.0),
            })
            .collect();
        for batch in samples.chunks(500) {
            store.append(batch).expect("taken");
        }
    }
}

fn memory(size: Size) {
    let dir = TempDir::new().expect("a folder");
    let before = resident_bytes();
    let store = open(&dir);
    fill_fleet(&store, 100_000 / size.0, 30);
    let bytes = resident_bytes().saturating_sub(before);
    let head = store.stats().head_bytes >> 20;
    println!(
        "memory, 100 K series: {} MB, of which head {head} MB",
        bytes >> 20
    );
    store.seal().expect("sealed");
    let mut micros: Vec<f64> = (0..100)
        .map(|at| {
            let (host, service) = (
                format!("host{}", at * 7 / 20),
                format!("service {}", at % 20),
            );
            let start = Instant::now();
            let chosen = store.choose_named(Some(&host), Some(&service));
            let times_us = START_US..START_US + 3600 * SECOND_US;
            let answered = store.cells_of(&chosen, times_us, 60 * SECOND_US, &mut |_, _, _| {
                ControlFlow::Continue(())
            });
            answered.expect("an answer");
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    println!(
        "one series of 100 K, an hour: {:.0} µs",
        median(&mut micros)
    );
}

fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
