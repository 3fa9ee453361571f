//! What a stream drops because it keeps as many as it may is counted.

mod pretend;

use clj::{Map, Value};
use event::{Draft, Number, Time};
use pretend::{Log, Pretend};
use streams::World;

fn event(number: i64) -> Value {
    Value::Event(
        Draft {
            host: Some(format!("h{number}").into()),
            service: Some("s".into()),
            metric: Some(Number::Int(number)),
            time: Some(Time::from_s(number)),
            ..Draft::record()
        }
        .build(),
    )
}

#[test]
fn dropped_events_are_counted_by_stream() {
    let pretend = Pretend::new();
    let log = Log::default();
    let options = Value::Map(Map::from_iter([(Value::keyword("max"), Value::Int(3))]));
    let stream = pretend.make(
        "moving-time-window",
        &[Value::Int(1000), options.clone(), log.end("x")],
    );
    let latest = pretend.make("coalesce", &[Value::Int(1000), options, log.end("y")]);
    for number in 1..=10 {
        pretend.send(&stream, &event(number)).expect("it is taken");
        pretend.send(&latest, &event(number)).expect("it is taken");
    }
    let world = pretend.rt.extension::<World>().expect("attached");
    assert_eq!(
        world.dropped(),
        [("coalesce", 7), ("moving-time-window", 7)]
    );
}
