//! What `baseline` asks of history, and what it says if that fails.

mod pretend;

use std::sync::{Arc, Mutex};

use clj::{Map, Value};
use event::{Draft, Event, Fields, Number, Time};
use histogram::Histogram;
use pretend::{Log, Pretend};
use streams::{Past, World};

/// A history of which one series is known, and what it was asked.
#[derive(Default)]
struct OneSeries(Mutex<Vec<(i64, i64)>>);

impl Past for OneSeries {
    fn past(&self, event: &Event, from: Time, to: Time) -> Result<Option<Histogram>, String> {
        self.0
            .lock()
            .expect("nobody panics")
            .push((from.us / 1_000_000, to.us / 1_000_000));
        match event.service() {
            Some("known") => Ok(Some([1.0, 1.0, 1.0, 2.0].into_iter().collect())),
            Some("broken") => Err("block 7 is damaged".to_owned()),
            _ => Ok(None),
        }
    }
}

fn event(service: &'static str, metric: i64) -> Value {
    Value::Event(
        Draft {
            service: Some(service.into()),
            metric: Some(Number::Int(metric)),
            ..Draft::record()
        }
        .build(),
    )
}

#[test]
fn history_is_asked_for_the_hour_a_week_ago() {
    let (pretend, log) = (Pretend::new(), Log::default());
    let asked = Arc::new(OneSeries::default());
    let world = pretend.rt.extension::<World>().expect("attached");
    world.set_past(asked.clone());
    let metric = pretend.make("smap", &[Value::keyword("service"), log.end("told")]);
    let baseline = pretend.make("baseline", &[Value::Map(Map::default()), metric]);
    pretend.advance_ms(700_000_000);
    for (service, minute) in [("known", 1), ("unknown", 2), ("broken", 3)] {
        pretend
            .send(&baseline, &event(service, 5))
            .expect("it is taken");
        pretend.advance_ms(700_000_000 + minute * 60_000);
    }
    let told = log.take();
    assert_eq!(
        told,
        [
            r#"told "known distance""#,
            r#"told "known shift""#,
            r#"told "known shift 0.5""#,
            r#"told "known share 0.5""#,
            r#"told "known shift 0.99""#,
            r#"told "known share 0.99""#,
        ]
    );
    let reports = pretend.reports.lock().clone();
    assert_eq!(
        reports,
        ["a scheduled task threw java.lang.IllegalStateException: \
          baseline: history: block 7 is damaged"]
    );
    let end_s = 700_020;
    let from_s = end_s - 7 * 24 * 3600 - 1800;
    let asked = asked.0.lock().expect("nobody panics").clone();
    let expected: Vec<(i64, i64)> = (0..3)
        .map(|n| (from_s + n * 60, from_s + n * 60 + 3600))
        .collect();
    assert_eq!(asked, expected);
}
