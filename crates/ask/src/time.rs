//! Times and lengths of time, as people write them.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::error::Refused;

const SECOND_US: i64 = 1_000_000;

/// Units of a length of time and their microseconds; a longer one comes before its beginning.
const UNITS: [(&str, i64); 8] = [
    ("us", 1),
    ("µs", 1),
    ("ms", 1_000),
    ("s", SECOND_US),
    ("m", 60 * SECOND_US),
    ("h", 3600 * SECOND_US),
    ("d", 86_400 * SECOND_US),
    ("w", 7 * 86_400 * SECOND_US),
];

/// A time that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// In microseconds since 1970.
    At(i64),
    /// So many microseconds after now.
    FromNow(i64),
}

impl Moment {
    /// Reads `now`, `-6h`, `now-6h`, seconds since 1970, or ISO 8601, in UTC if it names no zone.
    ///
    /// ```
    /// use ask::Moment;
    /// assert_eq!(Moment::parse("-90s"), Ok(Moment::FromNow(-90_000_000)));
    /// assert_eq!(Moment::parse("1.5"), Ok(Moment::At(1_500_000)));
    /// assert_eq!(Moment::parse("1970-01-01T01:00+01:00"), Ok(Moment::At(0)));
    /// assert_eq!(Moment::parse("1970-01-02"), Ok(Moment::At(86_400_000_000)));
    /// ```
    ///
    /// # Errors
    /// If it is none of these.
    pub fn parse(text: &str) -> Result<Moment, Refused> {
        let text = text.trim();
        let since_now = text.strip_prefix("now").unwrap_or(text);
        if since_now.is_empty() && !text.is_empty() {
            return Ok(Moment::FromNow(0));
        }
        for (sign, factor) in [('-', -1), ('+', 1)] {
            if let Some(us) = since_now.strip_prefix(sign).and_then(length_us) {
                return Ok(Moment::FromNow(factor * us));
            }
        }
        seconds(text)
            .or_else(|| iso(text))
            .map(Moment::At)
            .ok_or_else(|| not_a_time(text))
    }

    /// The time, in microseconds since 1970.
    #[must_use]
    pub fn us(self, now_us: i64) -> i64 {
        match self {
            Moment::At(us) => us,
            Moment::FromNow(us) => now_us.saturating_add(us),
        }
    }
}

fn not_a_time(text: &str) -> Refused {
    Refused::new(
        format!("'{text}' is no time"),
        "write 2026-11-20T05:00:00Z, seconds since 1970, now, or -6h",
    )
}

/// Seconds since 1970, to the microsecond.
fn seconds(text: &str) -> Option<i64> {
    let is_number = |char: char| char.is_ascii_digit() || char == '.';
    if !text.chars().all(is_number) {
        return None;
    }
    let seconds: f64 = text.parse().ok()?;
    // Whole seconds are exact, whatever the year.
    match text.parse::<i64>() {
        Ok(whole) => whole.checked_mul(SECOND_US),
        Err(_) => (seconds < 9e12).then(|| (seconds * 1e6).round() as i64),
    }
}

fn iso(text: &str) -> Option<i64> {
    let in_utc = |time: DateTime| Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp());
    let stamp = (text.parse::<Timestamp>().ok())
        .or_else(|| Some(text.parse::<Zoned>().ok()?.timestamp()))
        .or_else(|| in_utc(text.parse::<DateTime>().ok()?))
        .or_else(|| in_utc(text.parse::<Date>().ok()?.at(0, 0, 0, 0)))?;
    Some(stamp.as_microsecond())
}

/// Reads a length of time: a number and a unit, seconds if there is none; `1h30m` is their sum.
///
/// # Errors
/// If it is none, or not positive.
pub fn length(text: &str) -> Result<i64, Refused> {
    let us = length_us(text.trim()).filter(|us| *us > 0);
    us.ok_or_else(|| {
        Refused::new(
            format!("'{text}' is no length of time"),
            "write a number and a unit: 500ms, 10s, 1m, 1h30m, 1d, 1w",
        )
    })
}

fn length_us(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut sum: i64 = 0;
    while !rest.is_empty() {
        let is_number = |char: char| char.is_ascii_digit() || char == '.';
        let end = rest.find(|char| !is_number(char)).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let number: f64 = number.parse().ok()?;
        let end = after
            .find(|char: char| char.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let unit_us = match unit {
            "" => SECOND_US,
            _ => UNITS.iter().find(|(name, _)| *name == unit)?.1,
        };
        let us = number * unit_us as f64;
        // A thousand years: everything after is a slip of the finger.
        if us > 3.2e16 {
            return None;
        }
        sum = sum.checked_add(us.round() as i64)?;
        rest = after;
    }
    (!text.is_empty()).then_some(sum)
}

/// A length of time as [`length`] reads it, in its greatest unit.
#[must_use]
pub fn length_text(us: i64) -> String {
    let fits = |unit: &&(&str, i64)| us % unit.1 == 0;
    let (unit, unit_us) = UNITS[2..].iter().rfind(fits).unwrap_or(&UNITS[0]);
    format!("{}{unit}", us / unit_us)
}

/// UTC to the second, or to what is needed beyond; seconds since 1970 for years beyond 9999.
#[must_use]
pub fn iso_text(us: i64) -> String {
    let stamp = Timestamp::from_microsecond(us);
    stamp.map_or_else(|_| seconds_text(us), |stamp| stamp.to_string())
}

/// Seconds since 1970 with as many decimals as needed.
#[must_use]
pub fn seconds_text(us: i64) -> String {
    let sign = if us < 0 { "-" } else { "" };
    let us = us.unsigned_abs();
    let (whole, part) = (us / 1_000_000, us % 1_000_000);
    if part == 0 {
        return format!("{sign}{whole}");
    }
    let decimals = format!("{part:06}");
    format!("{sign}{whole}.{}", decimals.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Moment) {
        assert_eq!(Moment::parse(text), Ok(expected), "{text}");
    }

    #[test]
    fn times_are_read() {
        check("now", Moment::FromNow(0));
        check("now-6h", Moment::FromNow(-6 * 3600 * SECOND_US));
        check("-1h30m", Moment::FromNow(-5400 * SECOND_US));
        check("+10", Moment::FromNow(10 * SECOND_US));
        check("1700000000", Moment::At(1_700_000_000 * SECOND_US));
        check("1700000000.25", Moment::At(1_700_000_000_250_000));
        check(
            "2023-11-14T22:13:20Z",
            Moment::At(1_700_000_000 * SECOND_US),
        );
        check("2023-11-14T22:13:20.5", Moment::At(1_700_000_000_500_000));
        check("2023-11-14 22:13", Moment::At(1_699_999_980 * SECOND_US));
        check("1970-01-01T02:00[+02:00]", Moment::At(0));
    }

    #[test]
    fn what_is_no_time_is_refused_with_a_remedy() {
        for text in ["", "yesterday", "-6x", "now6h", "1.2.3", "2023-13-01", "-"] {
            let refused = Moment::parse(text).unwrap_err();
            assert_eq!(refused.error, format!("'{text}' is no time"));
        }
        assert!(Moment::parse("99999999999999999999").is_err());
    }

    #[test]
    fn lengths_are_read_and_written() {
        for (text, us) in [
            ("10us", 10),
            ("1500us", 1500),
            ("250ms", 250_000),
            ("1s", SECOND_US),
            ("90s", 90 * SECOND_US),
            ("5m", 300 * SECOND_US),
            ("36h", 129_600 * SECOND_US),
            ("1w", 604_800 * SECOND_US),
        ] {
            assert_eq!(length(text), Ok(us));
            assert_eq!(length_text(us), text);
        }
        assert_eq!(length("0.5h"), Ok(1800 * SECOND_US));
        for text in ["", "0", "-1s", "1y", "s", "1e9w", "9999999w"] {
            assert!(length(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_keep_their_microseconds() {
        assert_eq!(seconds_text(1_700_000_000_250_000), "1700000000.25");
        assert_eq!(seconds_text(-1), "-0.000001");
        assert_eq!(seconds_text(-2_000_000), "-2");
        assert_eq!(iso_text(1_700_000_000_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(iso_text(i64::MAX), "9223372036854.775807");
    }
}
