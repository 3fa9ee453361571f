//! Who hears what, and what a slow reader is told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use event::{Event, Fields, Scalar, View};
use index::{Callback, Counts, Filter, Listener, Notify, Options, Payload, PubSub};

fn event(metric: i64) -> Event {
    Event::from_view(&View {
        metric: Some(Scalar::Int(metric)),
        ..View::default()
    })
}

fn metric(payload: &Payload) -> i64 {
    match payload {
        Payload::Event(event) => event.metric().unwrap().as_i64().unwrap(),
        Payload::Other(_) => panic!("not an event"),
    }
}

fn quiet() -> Notify {
    Arc::new(|| ())
}

fn read(listener: &Listener, max: usize) -> (u64, Vec<i64>) {
    let batch = listener.read(max);
    (batch.lost, batch.values.iter().map(metric).collect())
}

fn publish(pubsub: &PubSub, metrics: std::ops::Range<i64>) {
    for metric in metrics {
        assert!(pubsub.publish("index", &event(metric)).is_ok());
    }
}

#[test]
fn a_slow_reader_loses_the_oldest_and_is_told_how_many() {
    let pubsub = PubSub::new();
    let listener = pubsub.listen("index", Options::default(), 4, quiet());
    publish(&pubsub, 0..3);
    assert_eq!(read(&listener, 2), (0, vec![0, 1]));
    publish(&pubsub, 3..10);
    assert_eq!(read(&listener, 3), (4, vec![6, 7, 8]));
    assert_eq!(read(&listener, 3), (0, vec![9]));
    assert_eq!(read(&listener, 3), (0, vec![]));
    assert_eq!(pubsub.counts().lost, 4);
}

#[test]
fn what_a_filter_refuses_pushes_nothing_out() {
    let pubsub = PubSub::new();
    let even: Filter = Arc::new(|payload| metric(payload) % 2 == 0);
    let options = Options {
        filter: Some(even),
        ..Options::default()
    };
    let listener = pubsub.listen("index", options, 5, quiet());
    publish(&pubsub, 0..10);
    assert_eq!(read(&listener, 100), (0, vec![0, 2, 4, 6, 8]));
}

#[test]
fn a_reader_is_woken_once_for_what_it_has_not_read() {
    let pubsub = PubSub::new();
    let woken = Arc::new(AtomicUsize::new(0));
    let count = woken.clone();
    let notify: Notify = Arc::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let listener = pubsub.listen("index", Options::default(), 2, notify);
    publish(&pubsub, 0..5);
    assert_eq!(woken.load(Ordering::Relaxed), 1);
    read(&listener, 1);
    publish(&pubsub, 5..6);
    assert_eq!(
        woken.load(Ordering::Relaxed),
        1,
        "there was something to read all along"
    );
    read(&listener, 10);
    publish(&pubsub, 6..7);
    assert_eq!(woken.load(Ordering::Relaxed), 2);
    pubsub.sweep();
    assert_eq!(woken.load(Ordering::Relaxed), 3);
    assert!(listener.is_closed());
    assert_eq!(read(&listener, 10), (0, vec![6]));
}

#[test]
fn callbacks_hear_any_value_in_order_of_subscription() {
    let pubsub = PubSub::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let callback = |name: &'static str| -> Callback {
        let heard = heard.clone();
        Arc::new(move |payload| {
            let text = match payload {
                Payload::Event(event) => event.metric().unwrap().to_string(),
                Payload::Other(other) => other.downcast_ref::<&str>().unwrap().to_string(),
            };
            heard.lock().unwrap().push(format!("{name} {text}"));
            Ok(())
        })
    };
    let first = pubsub.subscribe("c", Options::default(), callback("first"));
    pubsub.subscribe("c", Options::default(), callback("second"));
    let channel = pubsub.channel("c");
    assert!(channel.publish(&event(1)).is_ok());
    assert!(
        channel
            .publish_payload(&Payload::Other(Arc::new("two")))
            .is_ok()
    );
    assert!(pubsub.publish("other", &event(3)).is_ok());
    assert!(pubsub.unsubscribe(first));
    assert!(!pubsub.unsubscribe(first));
    assert!(channel.publish(&event(4)).is_ok());
    let expected = ["first 1", "second 1", "first two", "second two", "second 4"];
    assert_eq!(*heard.lock().unwrap(), expected);
}

#[test]
fn an_exception_reaches_the_publisher_and_stops_no_other() {
    let pubsub = PubSub::new();
    for word in ["one", "two"] {
        let callback: Callback = Arc::new(move |_| Err(Box::new(word)));
        pubsub.subscribe("index", Options::default(), callback);
    }
    let listener = pubsub.listen("index", Options::default(), 4, quiet());
    let thrown = pubsub.publish("index", &event(1)).unwrap_err();
    assert_eq!(thrown.downcast_ref::<&str>(), Some(&"one"));
    assert_eq!(read(&listener, 4), (0, vec![1]));
}

#[test]
fn a_sweep_spares_the_persistent() {
    let pubsub = PubSub::new();
    let persistent = Options {
        persistent: true,
        ..Options::default()
    };
    let kept = pubsub.listen("index", persistent, 4, quiet());
    let callback: Callback = Arc::new(|_| panic!("swept"));
    let swept = pubsub.subscribe("index", Options::default(), callback);
    assert_eq!(pubsub.sweep(), 1);
    assert!(!pubsub.unsubscribe(swept));
    publish(&pubsub, 0..1);
    assert_eq!(read(&kept, 4), (0, vec![0]));
}

#[test]
fn channels_come_and_go_and_totals_stay() {
    let pubsub = PubSub::new();
    let channel = pubsub.channel("index");
    assert!(!channel.is_watched());
    assert!(channel.publish(&event(0)).is_ok());
    let listener = pubsub.listen("index", Options::default(), 1, quiet());
    let other = pubsub.listen("made up by a client", Options::default(), 1, quiet());
    assert!(channel.is_watched());
    publish(&pubsub, 0..3);
    let counts = Counts {
        channels: 2,
        subscribers: 2,
        published: 3,
        lost: 2,
    };
    assert_eq!(pubsub.counts(), counts);
    drop((listener, other));
    assert!(!channel.is_watched());
    let counts = Counts {
        channels: 1,
        subscribers: 0,
        published: 3,
        lost: 2,
    };
    assert_eq!(pubsub.counts(), counts);
    drop(channel);
    drop(pubsub.listen("again", Options::default(), 1, quiet()));
    assert_eq!(
        pubsub.counts(),
        Counts {
            channels: 0,
            ..counts
        }
    );
}

#[test]
fn a_callback_may_change_the_subscriptions() {
    let pubsub = PubSub::new();
    let (inner, slot) = (pubsub.clone(), Arc::new(Mutex::new(None)));
    let own = slot.clone();
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    let callback: Callback = Arc::new(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        inner.subscribe("index", Options::default(), Arc::new(|_| Ok(())));
        inner.unsubscribe(own.lock().unwrap().take().expect("called once"));
        Ok(())
    });
    *slot.lock().unwrap() = Some(pubsub.subscribe("index", Options::default(), callback));
    publish(&pubsub, 0..2);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert_eq!(pubsub.counts().subscribers, 1);
}

#[test]
fn nothing_is_uncounted_when_a_reader_races_with_publishers() {
    const EACH: i64 = 2000;
    let pubsub = PubSub::new();
    let listener = pubsub.listen("index", Options::default(), 16, quiet());
    let mut seen = 0;
    thread::scope(|scope| {
        let publishers: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| publish(&pubsub, 0..EACH)))
            .collect();
        while !publishers.iter().all(|publisher| publisher.is_finished()) {
            let batch = listener.read(5);
            seen += batch.lost + batch.values.len() as u64;
        }
    });
    let rest = listener.read(usize::MAX);
    assert_eq!(seen + rest.lost + rest.values.len() as u64, 2 * EACH as u64);
}
