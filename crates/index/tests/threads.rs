//! Many threads, the same keys.

use std::sync::Barrier;
use std::thread;

use event::{Fields, Number, Scalar, Time, View, Views};
use index::Index;

#[test]
fn the_last_of_each_thread_is_kept_whole() {
    const THREADS: usize = 4;
    const ROUNDS: i64 = 500;
    let index = Index::new();
    let barrier = Barrier::new(THREADS);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (index, barrier) = (&index, &barrier);
            scope.spawn(move || {
                let own = format!("own-{thread}");
                barrier.wait();
                for round in 0..ROUNDS {
                    let text = format!("{thread}:{round}").repeat(round as usize % 7);
                    for host in ["shared", &own] {
                        let view = View {
                            host: Some(host),
                            description: Some(&text),
                            metric: Some(Scalar::Int(round)),
                            time: Some(Time::from_s(thread as i64)),
                            ..View::default()
                        };
                        index.insert_view(&view);
                        let seen = index.lookup((Some(host), None)).expect("never removed");
                        check_whole(&seen);
                    }
                }
            });
        }
    });
    assert_eq!(index.len(), THREADS + 1);
    for thread in 0..THREADS {
        let own = index
            .lookup((Some(format!("own-{thread}").as_str()), None))
            .unwrap();
        assert_eq!(own.metric(), Some(Number::Int(ROUNDS - 1)));
    }
}

/// The parts of an event are all of the same insertion.
fn check_whole(event: &event::Event) {
    let round = event.metric().unwrap().as_i64().unwrap();
    let thread = event.time().unwrap().floor_s();
    let text = format!("{thread}:{round}").repeat(round as usize % 7);
    assert_eq!(event.description(), Some(text.as_str()));
}

/// Two threads put batches of the same keys in, while a third sweeps and a fourth takes keys out.
/// What is left is what was put in last, and the memory of one event is never that of two.
#[test]
fn batches_and_sweeps_meet() {
    const KEYS: usize = 20_000;
    const ROUNDS: i64 = 6;
    let index = Index::new();
    let hosts: Vec<String> = (0..KEYS).map(|key| format!("host-{key}")).collect();
    let barrier = Barrier::new(4);
    thread::scope(|scope| {
        for thread in 0..2 {
            let (index, hosts, barrier) = (&index, &hosts, &barrier);
            scope.spawn(move || {
                barrier.wait();
                for round in 0..ROUNDS {
                    insert_all(index, hosts, thread, round);
                }
            });
        }
        let (index, hosts, barrier) = (&index, &hosts, &barrier);
        scope.spawn(move || {
            barrier.wait();
            for _ in 0..ROUNDS {
                // None is as old as that, so that nothing may go.
                assert_eq!(index.expire(Time::from_s(60)).events.len(), 0);
                index.iter().for_each(|event| check_whole(&event));
            }
        });
        scope.spawn(move || {
            barrier.wait();
            for host in hosts.iter().step_by(7) {
                if let Some(event) = index.delete((Some(host.as_str()), None)) {
                    check_whole(&event);
                }
            }
        });
    });
    insert_all(&index, &hosts, 0, ROUNDS);
    assert_eq!(index.len(), KEYS);
    for host in &hosts {
        let event = index.lookup((Some(host.as_str()), None)).expect("put in");
        assert_eq!(event.host(), Some(host.as_str()));
        assert_eq!(event.metric(), Some(Number::Int(ROUNDS)));
        check_whole(&event);
    }
    assert_eq!(index.expire(Time::from_s(1000)).events.len(), KEYS);
    assert!(index.is_empty());
}

fn insert_all(index: &Index, hosts: &[String], thread: i64, round: i64) {
    let text = format!("{thread}:{round}").repeat(round as usize % 7);
    for part in hosts.chunks(1000) {
        let mut views = Views::new();
        for host in part {
            views.push(View {
                host: Some(host),
                description: Some(&text),
                metric: Some(Scalar::Int(round)),
                time: Some(Time::from_s(thread)),
                ..View::default()
            });
        }
        index.insert_views(&views, 0..views.len());
    }
}
