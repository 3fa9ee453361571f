//! When an event leaves the index.

use event::{Attr, Draft, Event, Field, Number, Time, View};
use index::{Expired, Index};

/// The index after one event, `age` seconds later.
fn expire(draft: Draft<'static>, now: Number) -> (Expired, usize) {
    let index = Index::new();
    index.insert(&draft.build());
    let expired = index.expire(Time::from_number(&now).unwrap());
    (expired, index.len())
}

fn event(time: Number, ttl: Option<Number>) -> Draft<'static> {
    Draft {
        time: Time::from_number(&time),
        ttl,
        ..Draft::record()
    }
}

fn check(ttl: Option<Number>, age: Number, expired: bool) {
    for time in [Number::Int(0), Number::Int(1_700_000_000)] {
        let now = time.add(&age).unwrap();
        let (gone, left) = expire(event(time.clone(), ttl.clone()), now);
        let counts = (gone.events.len(), gone.broken.len(), left);
        let expected = if expired { (1, 0, 0) } else { (0, 0, 1) };
        assert_eq!(counts, expected, "ttl {ttl:?}, age {age:?}, from {time:?}");
    }
}

fn ratio(a: i64, b: i64) -> Number {
    Number::Int(a).div(&Number::Int(b)).unwrap()
}

#[test]
fn an_event_lives_until_its_age_is_beyond_its_ttl() {
    check(Some(Number::Int(10)), Number::Int(10), false);
    check(Some(Number::Int(10)), ratio(10_001, 1000), true);
    check(Some(Number::F32(10.0)), Number::Int(10), false);
    check(Some(Number::F32(10.0)), ratio(10_001, 1000), true);
    check(Some(Number::F64(0.5)), ratio(1, 2), false);
    check(Some(Number::F64(0.5)), ratio(501, 1000), true);
    check(Some(ratio(1, 2)), ratio(1, 2), false);
    check(Some(ratio(1, 2)), ratio(501, 1000), true);
    check(Some(Number::Int(0)), Number::Int(0), false);
    check(Some(Number::Int(0)), ratio(1, 1000), true);
    check(Some(Number::Int(-1)), Number::Int(0), true);
}

#[test]
fn no_ttl_is_a_minute() {
    check(None, Number::Int(60), false);
    check(None, ratio(60_001, 1000), true);
}

#[test]
fn extreme_ttls() {
    let century = Number::Int(3_000_000_000);
    check(Some(Number::F64(f64::INFINITY)), century.clone(), false);
    check(Some(Number::F64(f64::NAN)), century.clone(), false);
    check(Some(Number::Int(i64::MAX)), century.clone(), false);
    check(Some(Number::F64(1e300)), century, false);
    check(Some(Number::F64(f64::NEG_INFINITY)), Number::Int(0), true);
    check(Some(Number::Int(i64::MIN)), Number::Int(0), true);
}

#[test]
fn received_events_expire_as_others_do() {
    for (ttl, now_ms, left) in [
        (Some(0.1), 100, 1),
        (Some(0.1), 101, 0),
        (None, 60_000, 1),
        (None, 60_001, 0),
    ] {
        let index = Index::new();
        index.insert_view(&View {
            time: Some(Time::from_us(0)),
            ttl: ttl.map(event::Scalar::F32),
            ..View::default()
        });
        let expired = index.expire(Time::exact(now_ms * 1000));
        assert_eq!(
            (index.len(), expired.events.len()),
            (left, 1 - left),
            "{ttl:?} {now_ms}"
        );
    }
}

#[test]
fn what_cannot_be_told_is_removed_and_reported() {
    let text = || Attr::Str("soon".into());
    let no_time = Draft {
        ttl: Some(Number::Int(5)),
        ..Draft::record()
    };
    let odd_ttl = Draft {
        odd_fields: vec![(Field::Ttl, text())],
        ..event(Number::Int(0), None)
    };
    let odd_time = Draft {
        odd_fields: vec![(Field::Time, text())],
        ..Draft::record()
    };
    for draft in [no_time, odd_ttl, odd_time] {
        let (gone, left) = expire(draft, Number::Int(1));
        assert_eq!((gone.events.len(), gone.broken.len(), left), (0, 1, 0));
    }
    let index = Index::new();
    index.insert_view(&View::default());
    assert_eq!(index.expire(Time::from_s(1)).broken.len(), 1);
}

#[test]
fn a_time_that_is_a_third_of_a_second_still_counts() {
    let third = |ttl| Draft {
        odd_fields: vec![(Field::Time, Attr::Num(ratio(1, 3)))],
        ttl: Some(Number::Int(ttl)),
        ..Draft::record()
    };
    assert_eq!(expire(third(10), Number::Int(10)).1, 1);
    assert_eq!(expire(third(9), Number::Int(10)).0.events.len(), 1);
}

#[test]
fn a_plain_event_with_no_time_at_all_is_of_time_zero() {
    let plain = || Draft {
        host: Some("a".into()),
        ..Draft::plain()
    };
    assert_eq!(expire(plain(), Number::Int(60)).1, 1);
    assert_eq!(expire(plain(), Number::Int(61)).0.events.len(), 1);
}

#[test]
fn a_newer_event_lives_longer() {
    let index = Index::new();
    let at = |time: i64| {
        Event::from_view(&View {
            time: Some(Time::from_s(time)),
            ..View::default()
        })
    };
    index.insert(&at(0));
    index.insert(&at(50));
    assert_eq!(index.expire(Time::from_s(100)).events.len(), 0);
    assert_eq!(index.expire(Time::from_s(111)).events, [at(50)]);
    assert_eq!(index.expire(Time::from_s(1000)).events.len(), 0);
}
