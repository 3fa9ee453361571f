//! Nanoseconds to store an event whose key is known, one by one and in batches, over few and many
//! keys. Small unless run by `cargo bench`; numbers of keys after `--` choose rows.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use event::{Scalar, Time, View, Views};
use index::Index;

const SERVICES: usize = 100;
/// Events of one read of the server.
const BATCH: usize = 3_800;

fn main() {
    let full = std::env::args().any(|arg| arg == "--bench");
    let (sizes, upserts): (&[usize], _) = if full {
        (&[1_000, 100_000, 1_000_000], 4_000_000)
    } else {
        (&[1_000], 10_000)
    };
    let chosen: Vec<usize> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    println!(
        "{:>9} {:>12} {:>12} {:>12} {:>12} {:>14} {:>14}",
        "keys", "one by one", "in batches", "second", "expire, us", "longest, us", "in a sweep, us"
    );
    let wanted = |keys: &&usize| chosen.is_empty() || chosen.contains(keys);
    for keys in sizes.iter().filter(wanted) {
        let names = Names::new(*keys);
        let index = Index::new();
        fill(&index, &names);
        let single = single(&index, &names, upserts);
        let batched = batched(&index, &names, upserts, 1);
        let two = two_threads(&index, &names, upserts);
        let sweep = Instant::now();
        let expired = index.expire(Time::from_s(0));
        let sweep = sweep.elapsed().as_micros();
        let alone = longest(&index, &names, || {
            assert!(index.expire(LONG_AGO).events.is_empty())
        });
        let swept = longest(&index, &names, || {
            assert!(index.expire(FAR).events.len() >= *keys)
        });
        println!(
            "{keys:>9} {single:>12.1} {batched:>12.1} {two:>12.1} {sweep:>12} {alone:>14} {swept:>14}  {:x}",
            checksum(&index) + expired.events.len() as u64
        );
    }
}

/// Before all events.
const LONG_AGO: Time = Time {
    us: i64::MIN,
    kind: event::TimeKind::Int,
};
/// When every event is over.
const FAR: Time = Time {
    us: 1 << 50,
    kind: event::TimeKind::Int,
};

/// Microseconds of the insertion that took longest while `sweep` ran, without those in which its thread
/// could have run and had no processor. A sweep that loses its processor while it has a lock counts.
fn longest(index: &Index, names: &Names, sweep: impl FnOnce() + Send) -> u128 {
    let swept = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            sweep();
            swept.store(true, Ordering::Relaxed);
        });
        let (mut seed, mut longest) = (1, Duration::ZERO);
        while !swept.load(Ordering::Relaxed) {
            seed = next(seed);
            let (start, waited) = (Instant::now(), schedule()[1]);
            index.insert_view(&names.view(seed));
            let took = start.elapsed();
            longest = longest.max(took.saturating_sub(schedule()[1] - waited));
        }
        longest.as_micros()
    })
}

/// How long this thread has run, and how long it could have and had no processor.
fn schedule() -> [Duration; 2] {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("this thread runs");
    let mut times = stat.split_ascii_whitespace();
    [(); 2].map(|()| {
        let ns = times.next().and_then(|ns| ns.parse().ok());
        Duration::from_nanos(ns.expect("a number of nanoseconds"))
    })
}

struct Names {
    hosts: Vec<String>,
    services: Vec<String>,
}

impl Names {
    fn new(keys: usize) -> Names {
        Names {
            hosts: (0..keys / SERVICES)
                .map(|host| format!("web-{host:05}.example.com"))
                .collect(),
            services: (0..SERVICES)
                .map(|service| format!("disk {service:02} used"))
                .collect(),
        }
    }

    fn view(&self, seed: u64) -> View<'_> {
        let host = (seed >> 32) as usize % self.hosts.len();
        View {
            host: Some(&self.hosts[host]),
            service: Some(&self.services[seed as usize % SERVICES]),
            state: Some("ok"),
            description: Some("all is well on this one"),
            metric: Some(Scalar::F64(seed as f64)),
            ttl: Some(Scalar::F32(60.0)),
            time: Some(Time::from_s(seed as i64 & 0xffff)),
            tags: &["production", "web"],
            attrs: &[],
            ..View::default()
        }
    }
}

fn fill(index: &Index, names: &Names) {
    for host in 0..names.hosts.len() as u64 {
        for service in 0..SERVICES as u64 {
            index.insert_view(&names.view(host << 32 | service));
        }
    }
}

fn single(index: &Index, names: &Names, upserts: usize) -> f64 {
    let mut seed = 1;
    let start = Instant::now();
    for _ in 0..upserts {
        seed = next(seed);
        index.insert_view(&names.view(seed));
    }
    start.elapsed().as_nanos() as f64 / upserts as f64
}

/// Processor time that an event takes more when two threads store batches than when one does.
fn two_threads(index: &Index, names: &Names, upserts: usize) -> f64 {
    let spent = |seed| {
        let [before, _] = schedule();
        batched(index, names, upserts, seed);
        let [after, _] = schedule();
        (after - before).as_nanos() as f64 / upserts as f64
    };
    let alone = spent(1);
    let both = std::thread::scope(|scope| {
        let other = scope.spawn(|| spent(2));
        spent(3) + other.join().expect("the other thread ends")
    });
    both / 2.0 - alone
}

/// The median batch, without the time it takes to put it together.
fn batched(index: &Index, names: &Names, upserts: usize, mut seed: u64) -> f64 {
    let mut views = Views::new();
    let mut spent = Vec::new();
    for _ in 0..upserts / BATCH {
        for _ in 0..BATCH {
            seed = next(seed);
            let view = names.view(seed);
            view.tags.iter().for_each(|tag| views.push_tag(tag));
            views.push(view);
        }
        let start = Instant::now();
        index.insert_views(&views, 0..views.len());
        spent.push(start.elapsed());
        views = views.recycle();
    }
    spent.sort();
    spent[spent.len() / 2].as_nanos() as f64 / BATCH as f64
}

/// Xorshift, so that runs repeat.
fn next(mut seed: u64) -> u64 {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^ seed << 17
}

fn checksum(index: &Index) -> u64 {
    let times = index.iter().filter_map(|event| event::Fields::time(&event));
    times.map(|time| time.us as u64).fold(0, u64::wrapping_add)
}
