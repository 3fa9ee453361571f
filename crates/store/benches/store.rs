//! The rows that history is measured by: append, bytes on the disk, queries, recovery, memory.
//! Prints CPU seconds, which other load on the machine does not change much.
//!
//! `cargo bench -p cauchy-store [ROW]`. Under `cargo test` it is small and prints nothing of use.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use histogram::Histogram;
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
    let rows: [Row; 6] = [
        ("append", append),
        ("fleet", fleet),
        ("latency", latency),
        ("week", week),
        ("recovery", recovery),
        ("memory", memory),
    ];
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
    }
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
    for from in ["raw", "half hours"] {
        let mut millis = Vec::new();
        let mut count = 0;
        for _ in 0..7 {
            count = 0;
            let start = cpu_seconds();
            let query = Query {
                matches: &|_| true,
                from_us: START_US,
                to_us: START_US + 7 * 86_400 * SECOND_US,
            };
            let answered = store.cells(&query, 5400 * SECOND_US, &mut |_, _, cell| {
                count += cell.count;
                ControlFlow::Continue(())
            });
            answered.expect("an answer");
            millis.push((cpu_seconds() - start) * 1000.0);
        }
        millis.sort_by(f64::total_cmp);
        let bytes = blocks_bytes(dir.path()) as f64 / minutes as f64;
        let median = millis[3];
        println!("week, {count} measurements from {from}: {median:.1} ms; {bytes:.0} B a minute");
        store.compact().expect("rolled up");
    }
}

fn recovery(size: Size) {
    let dir = TempDir::new().expect("a folder");
    let store = open(&dir);
    let ticks = 500 / size.0.min(100) as i64;
    let (taken, _) = fill_head(&store, ticks);
    drop(store);
    let start = Instant::now();
    let store = open(&dir);
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(store.recovery().from_journal, taken as u64);
    println!("recovery of {taken} samples: {seconds:.2} s");
}

fn fill_head(store: &Store, ticks: i64) -> (usize, f64) {
    fill_fleet(store, 10_000, ticks.min(299))
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
}

fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
