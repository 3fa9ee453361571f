//! Many threads, the same keys.

use std::sync::Barrier;
use std::thread;

use event::{Fields, Number, Scalar, Time, View};
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
