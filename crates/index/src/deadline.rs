//! When an event has outlived its time.

use event::{Attr, Event, Field, FieldRef, Number, Scalar, Time, TimeKind, View};

/// The time to live of an event that names none. As Riemann's `default-ttl`.
pub const TTL_S_DEFAULT: i64 = 60;

const US_PER_S: i64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Live,
    Expired,
    /// Has no time, or a ttl or time that is no number: nobody can tell.
    Broken,
}

/// A time, in microseconds, before which the event is surely live, so that a sweep need not look at
/// it; it may have to wait a little longer than that. `i64::MIN` for one that must be looked at.
pub(crate) fn of_view(view: &View<'_>) -> i64 {
    let Some(time) = view.time else {
        return i64::MIN;
    };
    match view.ttl {
        None => time.us.saturating_add(TTL_S_DEFAULT * US_PER_S),
        Some(Scalar::Int(ttl)) => time.us.saturating_add(ttl.saturating_mul(US_PER_S)),
        Some(Scalar::F64(ttl)) => after_float(time, ttl),
        Some(Scalar::F32(ttl)) => after_float(time, f64::from(ttl)),
    }
}

/// As [`of_view`].
pub(crate) fn of_event(event: &Event) -> i64 {
    let time = match event.field(Field::Time) {
        FieldRef::Time(time) => time,
        FieldRef::Absent => Time::from_s(0),
        _ => return i64::MIN,
    };
    match event.field(Field::Ttl) {
        FieldRef::Nil | FieldRef::Absent => time.us.saturating_add(TTL_S_DEFAULT * US_PER_S),
        FieldRef::Num(Number::Int(ttl)) => time.us.saturating_add(ttl.saturating_mul(US_PER_S)),
        FieldRef::Num(ttl) => after_float(time, ttl.to_f64()),
        _ => i64::MIN,
    }
}

fn after_float(time: Time, ttl: f64) -> i64 {
    if ttl.is_nan() {
        return i64::MAX;
    }
    // Rounding, here and where times are compared as floats, is well below a part in 2^50.
    let ttl_us = ttl * US_PER_S as f64;
    let early = ttl_us - ttl_us.abs() / (1u64 << 50) as f64 - 1.0;
    time.us.saturating_add(early as i64)
}

/// Whether the event's age at `now` is beyond its ttl: strictly, as numbers compare in Clojure.
pub(crate) fn verdict(event: &Event, now: Time) -> Verdict {
    let ttl = match event.field(Field::Ttl) {
        FieldRef::Nil | FieldRef::Absent => Number::Int(TTL_S_DEFAULT),
        FieldRef::Num(ttl) => ttl,
        FieldRef::Odd(Attr::Num(ttl)) => ttl.clone(),
        _ => return Verdict::Broken,
    };
    let age = match event.field(Field::Time) {
        FieldRef::Time(time) => age(now, time),
        FieldRef::Absent => now.to_number(),
        FieldRef::Odd(Attr::Num(time)) => match now.to_number().sub(time) {
            Ok(age) => age,
            Err(event::Overflow) => return Verdict::Broken,
        },
        _ => return Verdict::Broken,
    };
    match age.compare(&ttl) {
        Some(std::cmp::Ordering::Greater) => Verdict::Expired,
        _ => Verdict::Live,
    }
}

/// Exact, even where one of the times reads as a float: 10.1 is 0.1 after 10, and not a little more.
fn age(now: Time, time: Time) -> Number {
    let age = now.minus(time);
    Time {
        kind: age.kind.max(TimeKind::Ratio),
        ..age
    }
    .to_number()
}
