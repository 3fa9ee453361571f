//! Nanoseconds of CPU to count a number, to merge and to ask. Small unless run by `cargo bench`.

use std::hint::black_box;

use histogram::{Bin, Histogram, Recorder};
use rustix::time::{ClockId, clock_gettime};

fn main() {
    let full = std::env::args().any(|arg| arg == "--bench");
    let samples = if full { 1_000_000 } else { 10_000 };
    let rounds = if full { 15 } else { 1 };
    let latencies = latencies(samples);
    let integers: Vec<i64> = latencies.iter().map(|s| (s * 1e9) as i64).collect();
    let whole: Histogram = latencies.iter().copied().collect();
    let bins = whole.bin_count();
    println!(
        "{samples} log-normal latencies in {bins} bins, {} bytes",
        whole.memory_bytes()
    );

    let mut counted = whole.clone();
    report("bin of a double", samples, rounds, || {
        black_box(latencies.iter().fold(0, |sum, s| sum ^ Bin::of(*s).val()));
    });
    report("bin of an integer with its scale", samples, rounds, || {
        let bin = |ns: &i64| Bin::of_scaled(*ns, -9).val();
        black_box(integers.iter().fold(0, |sum, ns| sum ^ bin(ns)));
    });
    report("insert a double", samples, rounds, || {
        latencies
            .iter()
            .for_each(|latency| counted.insert(*latency));
    });
    report("insert an integer with its scale", samples, rounds, || {
        integers
            .iter()
            .for_each(|ns| counted.insert_scaled(*ns, -9, 1));
    });
    let recorder = Recorder::new(2);
    report("record a double, striped", samples, rounds, || {
        latencies
            .iter()
            .for_each(|latency| recorder.record(*latency));
    });
    let mut total = whole.clone();
    merge_and_ask(&mut total, &whole, &latencies, rounds);
    println!("checksum {:x}", counted.count() ^ total.count());
}

/// What is done with histograms that are whole.
fn merge_and_ask(total: &mut Histogram, whole: &Histogram, latencies: &[f64], rounds: usize) {
    let bins = whole.bin_count();
    let merges = latencies.len() / bins;
    report("merge, a bin", merges * bins, rounds, || {
        (0..merges).for_each(|_| total.merge(black_box(whole)));
    });
    let parts: Vec<Histogram> = latencies
        .chunks(1_000)
        .map(|part| part.iter().copied().collect())
        .collect();
    let part_bins: usize = parts.iter().map(Histogram::bin_count).sum();
    report("merge of fewer bins, a bin", part_bins, rounds, || {
        parts.iter().for_each(|part| total.merge(black_box(part)));
    });
    let bytes = whole.encode();
    report("merge of bytes, a bin", merges * bins, rounds, || {
        (0..merges).for_each(|_| {
            let _ = black_box(total.merge_encoded(black_box(&bytes)));
        });
    });
    report("write to bytes, a bin", merges * bins, rounds, || {
        let mut bytes = Vec::new();
        (0..merges).for_each(|_| {
            bytes.clear();
            black_box(whole).encode_into(&mut bytes);
        });
    });
    let asks = 100.min(merges);
    report("4 quantiles", asks, rounds, || {
        (0..asks).for_each(|_| {
            let _ = black_box(black_box(whole).quantiles(&[0.5, 0.9, 0.99, 0.999]));
        });
    });
    report("modes", 1, rounds, || {
        black_box(whole.modes());
    });
}

/// Prints the median of the rounds.
fn report(name: &str, operations: usize, rounds: usize, mut work: impl FnMut()) {
    let mut spent: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = cpu_ns();
            work();
            (cpu_ns() - start) as f64 / operations as f64
        })
        .collect();
    spent.sort_by(f64::total_cmp);
    println!(
        "{name:<34} {:>10.2} ns, best {:>10.2}",
        spent[rounds / 2],
        spent[0]
    );
}

/// What this thread has had of the processor, so that other programs hardly matter.
fn cpu_ns() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Seconds about 10 ms, deviation 1.2 of the natural logarithm; the same on every machine.
fn latencies(samples: usize) -> Vec<f64> {
    let mut seed: u64 = 0x2545_F491_4F6C_DD1D;
    let mut unit = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..samples)
        .map(|_| {
            let radius = (-2.0 * (1.0 - unit()).ln()).sqrt();
            let normal = radius * (std::f64::consts::TAU * unit()).cos();
            0.01 * (1.2 * normal).exp()
        })
        .collect()
}
