//! Nanoseconds to store an event whose key is known, one by one and in batches, over few and many
//! keys. Small unless run by `cargo bench`; numbers of keys after `--` choose rows.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use event::{Scalar, Time, View, Views};
use index::Index;

const SERVICES: usize = 100;
const BATCH: usize = 100;

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
        "{:>9} {:>12} {:>12} {:>12} {:>14} {:>14}",
        "keys", "one by one", "in batches", "expire, us", "longest, us", "in a sweep, us"
    );
    let wanted = |keys: &&usize| chosen.is_empty() || chosen.contains(keys);
    for keys in sizes.iter().filter(wanted) {
        let names = Names::new(*keys);
        let index = Index::new();
        fill(&index, &names);
        let single = single(&index, &names, upserts);
        let batched = batched(&index, &names, upserts);
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
            "{keys:>9} {single:>12.1} {batched:>12.1} {sweep:>12} {alone:>14} {swept:>14}  {:x}",
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

/// Microseconds of the insertion that took longest while `sweep` ran.
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
            let start = Instant::now();
            index.insert_view(&names.view(seed));
            longest = longest.max(start.elapsed());
        }
        longest.as_micros()
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

/// Without the time it takes to put the batches together.
fn batched(index: &Index, names: &Names, upserts: usize) -> f64 {
    let mut seed = 1;
    let mut views = Views::new();
    let mut spent_ns = 0;
    for _ in 0..upserts / BATCH {
        for _ in 0..BATCH {
            seed = next(seed);
            let view = names.view(seed);
            view.tags.iter().for_each(|tag| views.push_tag(tag));
            views.push(view);
        }
        let start = Instant::now();
        index.insert_views(&views, 0..views.len());
        spent_ns += start.elapsed().as_nanos();
        views = views.recycle();
    }
    spent_ns as f64 / upserts as f64
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
