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

/// A second since 1970 before which the event is surely live, so that a sweep need not look at it; it
/// may have to wait a little longer than that. 0 for one that must be looked at.
#[inline]
pub(crate) fn of_view(view: &View<'_>) -> u32 {
    match view.time {
        Some(time) => after(time, view.ttl),
        None => 0,
    }
}

/// As [`of_view`].
pub(crate) fn of_event(event: &Event) -> u32 {
    let time = match event.field(Field::Time) {
        FieldRef::Time(time) => time,
        FieldRef::Absent => Time::from_s(0),
        _ => return 0,
    };
    match event.field(Field::Ttl) {
        FieldRef::Nil | FieldRef::Absent => after(time, None),
        FieldRef::Num(Number::Int(ttl)) => after(time, Some(Scalar::Int(ttl))),
        FieldRef::Num(ttl) => after(time, Some(Scalar::F64(ttl.to_f64()))),
        _ => 0,
    }
}

/// Whole seconds, each rounded down: their sum is not after the sum. What is below 0 or no number is
/// looked at.
#[inline]
fn after(time: Time, ttl: Option<Scalar>) -> u32 {
    let ttl_s = match ttl {
        None => TTL_S_DEFAULT as u32,
        Some(Scalar::F32(ttl)) if ttl >= 0.0 => ttl as u32,
        Some(Scalar::F64(ttl)) if ttl >= 0.0 => ttl as u32,
        Some(Scalar::Int(ttl)) if ttl >= 0 => u32::try_from(ttl).unwrap_or(u32::MAX),
        Some(_) => return 0,
    };
    if time.us < 0 {
        return 0;
    }
    second(time).saturating_add(ttl_s)
}

/// The second that a time lies in, from 1970 to 2106, or the nearest of those.
#[inline]
pub(crate) fn second(time: Time) -> u32 {
    (time.us / US_PER_S).clamp(0, i64::from(u32::MAX)) as u32
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
