//! Questions as they are asked most, from the text of the question to the JSON of the answer.
//! Prints the median of CPU milliseconds, which other load on the machine does not change much.
//!
//! `cargo bench -p cauchy-ask [ROW]`. Under `cargo test` it is small and prints nothing of use.

use ask::{Json, Question};
use histogram::Histogram;
use rustix::time::{ClockId, clock_gettime};
use store::{Options, Sample, Store, Value};
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
    let size = Size(if is_bench { 1 } else { 100 });
    let rows: [Row; 3] = [("hour", hour), ("week", week), ("many", many)];
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

fn open() -> (TempDir, Store) {
    let dir = TempDir::new().expect("a folder");
    let store = Store::open(dir.path(), Options::default()).expect("a store");
    (dir, store)
}

fn sample<'a>(host: &'a str, at_s: i64, value: Value<'a>) -> Sample<'a> {
    Sample {
        host: Some(host),
        service: Some("rtt"),
        by: &[],
        time_us: START_US + at_s * SECOND_US,
        value,
    }
}

/// Asks some times; prints the median and the length of the answer.
fn measure(name: &str, store: &Store, parts: &[(&str, &str)]) {
    let mut spent = Vec::new();
    let mut text = Vec::new();
    for _ in 0..21 {
        text.clear();
        let start = cpu_seconds();
        let question = Question::read(parts.iter().copied(), 0).expect("a question");
        ask::answer(store, &question, &mut Json::new(&mut text)).expect("an answer");
        spent.push(cpu_seconds() - start);
    }
    spent.sort_by(f64::total_cmp);
    println!(
        "{name}: {:.3} ms, {} bytes of JSON",
        spent[10] * 1e3,
        text.len()
    );
}

/// The last hour of one of many series, a number each ten seconds, not sealed.
fn hour(size: Size) {
    for series in [10_000, 100_000] {
        let (_dir, store) = open();
        for at in 0..360 {
            let hosts: Vec<String> = (0..series / size.0).map(|at| format!("host{at}")).collect();
            // Only some go on: it is names that there are many of.
            let going = if at == 0 {
                hosts.len()
            } else {
                hosts.len().min(100)
            };
            let value = Value::Number(f64::from(at) / 7.0);
            let of_host = |host| sample(host, i64::from(at) * 10, value);
            let samples: Vec<Sample> = hosts[..going].iter().map(|host| of_host(host)).collect();
            store.append(&samples).expect("taken");
        }
        let (from, to) = (START_US / SECOND_US, START_US / SECOND_US + 3600);
        let (from, to) = (from.to_string(), to.to_string());
        let parts = [
            ("query", "host = \"host7\" and service = \"rtt\""),
            ("from", &*from),
            ("to", &*to),
            ("show", "quantile:0.99,mean"),
        ];
        measure(
            &format!("last hour of one of {series} series"),
            &store,
            &parts,
        );
    }
}

/// A histogram of some hundred bins.
fn latencies(seed: u64, count: usize) -> Histogram {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut roll = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut normal = || {
        let radius = (-2.0 * (1.0 - roll()).ln()).sqrt();
        radius * (std::f64::consts::TAU * roll()).cos()
    };
    (0..count).map(|_| (normal() * 0.7 - 3.0).exp()).collect()
}

/// A week of histograms of a minute into 112 slices.
fn week(size: Size) {
    let (_dir, store) = open();
    for minute in 0..(7 * 24 * 60 / size.0) {
        let waits = latencies(minute as u64 + 1, 1000);
        let value = Value::Histogram(&waits);
        store
            .append(&[sample("host", minute as i64 * 60, value)])
            .expect("taken");
    }
    store.seal().expect("sealed");
    let (from, to) = (START_US / SECOND_US, START_US / SECOND_US + 7 * 86_400);
    let (from, to) = (from.to_string(), to.to_string());
    for show in ["quantile:0.99", "heatmap", "histogram"] {
        let parts = [
            ("query", "true"),
            ("from", &*from),
            ("to", &*to),
            ("step", "90m"),
            ("show", show),
        ];
        measure(&format!("a week in 112 slices, {show}"), &store, &parts);
    }
}

/// 200 series of ten-second histograms, six hours, merged into minutes.
fn many(size: Size) {
    let (_dir, store) = open();
    for host in 0..200 / size.0 {
        let name = format!("host{host}");
        let waits: Vec<Histogram> = (0..2160)
            .map(|at| latencies(host as u64 * 7919 + at, 50))
            .collect();
        let at = |at: usize| sample(&name, at as i64 * 10, Value::Histogram(&waits[at]));
        let samples: Vec<Sample> = (0..2160).map(at).collect();
        store.append(&samples).expect("taken");
    }
    store.seal().expect("sealed");
    let (from, to) = (START_US / SECOND_US, START_US / SECOND_US + 6 * 3600);
    let (from, to) = (from.to_string(), to.to_string());
    let parts = [
        ("query", "service = \"rtt\""),
        ("from", &*from),
        ("to", &*to),
        ("step", "1m"),
        ("show", "quantile:0.99"),
    ];
    measure("p99 of 200 series, 6 hours in minutes", &store, &parts);
}
