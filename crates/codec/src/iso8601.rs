//! Times as ISO 8601 text.

use std::fmt::{self, Display};

use event::Time;

const US_PER_S: i64 = 1_000_000;
const S_PER_DAY: i64 = 86_400;
/// Days from 1 March of the year 0 to 1970.
const EPOCH_DAYS: i64 = 719_468;
const DAYS_PER_ERA: i64 = 146_097;

/// A time as `1970-01-01T00:00:00.000Z`: UTC, milliseconds rounded down.
///
/// ```
/// use codec::iso8601::Utc;
/// use event::Time;
/// assert_eq!(Utc(Time::from_us(1_366_049_218_123_456)).to_string(), "2013-04-15T18:06:58.123Z");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Utc(pub Time);

impl Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.floor_s();
        let ms = self.0.us.rem_euclid(US_PER_S) / 1000;
        let (year, month, day) = civil(seconds.div_euclid(S_PER_DAY));
        let second = seconds.rem_euclid(S_PER_DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        if year < 0 {
            f.write_str("-")?;
        }
        let year = year.abs();
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"
        )
    }
}

/// Reads a date, or a date and a time of day, in the usual forms of ISO 8601; without an offset it
/// is UTC. `None` for anything else.
///
/// ```
/// use codec::iso8601::parse;
/// use event::Time;
/// let time = Some(1_366_020_418_500_000);
/// assert_eq!(parse("2013-04-15T10:06:58.5Z").map(|time| time.us), time);
/// assert_eq!(parse("2013-04-15T12:06:58,5+02:00").map(|time| time.us), time);
/// assert_eq!(parse("2013-04-15"), Some(Time::exact(1_365_984_000_000_000)));
/// assert_eq!(parse("yesterday"), None);
/// ```
pub fn parse(text: &str) -> Option<Time> {
    let mut scan = Scan(text.as_bytes());
    let days = scan.date()?;
    let mut us = 0;
    let mut offset = 0;
    if scan.take(b'T') {
        if scan.digit().is_some() {
            us = scan.time_of_day()?;
        }
        offset = scan.offset()?;
    }
    if !scan.0.is_empty() {
        return None;
    }
    let seconds = days.checked_mul(S_PER_DAY)?.checked_sub(offset)?;
    Some(Time::exact(seconds.checked_mul(US_PER_S)?.checked_add(us)?))
}

struct Scan<'a>(&'a [u8]);

impl Scan<'_> {
    fn digit(&self) -> Option<i64> {
        let byte = self.0.first()?;
        byte.is_ascii_digit().then(|| i64::from(byte - b'0'))
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.0.first() == Some(&byte);
        if there {
            self.0 = &self.0[1..];
        }
        there
    }

    /// A number of `least` to `most` digits.
    fn number(&mut self, least: usize, most: usize) -> Option<i64> {
        let (mut value, mut digits) = (0, 0);
        while digits < most
            && let Some(digit) = self.digit()
        {
            value = value * 10 + digit;
            digits += 1;
            self.0 = &self.0[1..];
        }
        (digits >= least).then_some(value)
    }

    fn within(&mut self, least: i64, most: i64) -> Option<i64> {
        self.number(2, 2)
            .filter(|number| (least..=most).contains(number))
    }

    /// Year, month and day, or year and day of year; days since 1970.
    fn date(&mut self) -> Option<i64> {
        let negative = self.take(b'-');
        let year = self.number(4, 6)?;
        let year = if negative { -year } else { year };
        if !self.take(b'-') {
            return Some(days(year, 1, 1));
        }
        let digits = self
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 3 {
            let day = self.number(3, 3)?;
            let length = days(year + 1, 1, 1) - days(year, 1, 1);
            return (1..=length)
                .contains(&day)
                .then(|| days(year, 1, 1) + day - 1);
        }
        let month = self.within(1, 12)?;
        let day = if self.take(b'-') {
            self.within(1, month_days(year, month))?
        } else {
            1
        };
        Some(days(year, month, day))
    }

    /// Hours, and minutes, seconds and a fraction as far as there; microseconds since midnight.
    fn time_of_day(&mut self) -> Option<i64> {
        let hour = self.within(0, 23)?;
        let (mut minute, mut second, mut fraction) = (0, 0, 0);
        if self.take(b':') {
            minute = self.within(0, 59)?;
            if self.take(b':') {
                second = self.within(0, 59)?;
                if self.take(b'.') || self.take(b',') {
                    fraction = self.fraction_us()?;
                }
            }
        }
        Some((hour * 3600 + minute * 60 + second) * US_PER_S + fraction)
    }

    fn fraction_us(&mut self) -> Option<i64> {
        self.digit()?;
        let mut us = 0;
        let mut unit = US_PER_S / 10;
        while let Some(digit) = self.digit() {
            us += digit * unit;
            unit /= 10;
            self.0 = &self.0[1..];
        }
        Some(us)
    }

    /// Seconds east of UTC: `Z`, `+02:00`, `+0200`, `+02`, or nothing.
    fn offset(&mut self) -> Option<i64> {
        if self.0.is_empty() || self.take(b'Z') {
            return Some(0);
        }
        let sign = if self.take(b'-') { -1 } else { 1 };
        if sign > 0 && !self.take(b'+') {
            return None;
        }
        let hours = self.within(0, 23)?;
        let minutes = if self.take(b':') || self.digit().is_some() {
            self.within(0, 59)?
        } else {
            0
        };
        Some(sign * (hours * 3600 + minutes * 60))
    }
}

fn month_days(year: i64, month: i64) -> i64 {
    let next = if month == 12 {
        days(year + 1, 1, 1)
    } else {
        days(year, month + 1, 1)
    };
    next - days(year, month, 1)
}

/// Days since 1970 of a date, counting years from March so that the leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_ERA + day_of_era - EPOCH_DAYS
}

/// The year, month and day of a number of days since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH_DAYS;
    let day_of_era = days.rem_euclid(DAYS_PER_ERA);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + days.div_euclid(DAYS_PER_ERA) * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_dates() {
        let check = |s: i64, text: &str| {
            assert_eq!(Utc(Time::from_s(s)).to_string(), text);
            assert_eq!(parse(text), Some(Time::exact(s * US_PER_S)));
        };
        check(0, "1970-01-01T00:00:00.000Z");
        check(951_782_400, "2000-02-29T00:00:00.000Z");
        check(4_107_542_399, "2100-02-28T23:59:59.000Z");
        check(4_107_542_400, "2100-03-01T00:00:00.000Z");
        check(-1, "1969-12-31T23:59:59.000Z");
        check(-62_167_219_200, "0000-01-01T00:00:00.000Z");
        assert_eq!(
            Utc(Time::from_us(-1)).to_string(),
            "1969-12-31T23:59:59.999Z"
        );
    }

    #[test]
    fn shorter_forms() {
        let check = |text: &str, longer: &str| {
            assert!(parse(longer).is_some(), "{longer}");
            assert_eq!(parse(text), parse(longer), "{text}");
        };
        check("2013", "2013-01-01T00:00:00Z");
        check("2013-04", "2013-04-01T00:00:00Z");
        check("2013-105", "2013-04-15");
        check("2013-04-15T", "2013-04-15");
        check("2013-04-15T10", "2013-04-15T10:00:00Z");
        check("2013-04-15T10:06-0130", "2013-04-15T11:36:00Z");
        check(
            "2013-04-15T10:06:58.1234567+01",
            "2013-04-15T09:06:58.123456Z",
        );
    }

    #[test]
    fn other_text_is_refused() {
        let bad = [
            "",
            "13",
            "2013-13",
            "2013-02-29",
            "2013-366",
            "2013-04-15 10:00",
            "2013-04-15T24:00",
            "2013-04-15T10:60",
            "2013-04-15T10:00:00.",
            "2013-04-15T10:00:00X",
            "2013-04-15T1",
            "2013-04-15T10:00+25",
            "2013-04-15Z",
            "1366020418",
        ];
        for text in bad {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn milliseconds_come_back(us in -62_000_000_000_000_000i64..253_000_000_000_000_000) {
            let ms = us.div_euclid(1000) * 1000;
            prop_assert_eq!(parse(&Utc(Time::from_us(us)).to_string()), Some(Time::exact(ms)));
        }

        #[test]
        fn any_time_has_a_text_and_any_text_an_answer(us: i64, text: String, digits in "[0-9T:+-]*") {
            prop_assert!(Utc(Time::from_us(us)).to_string().ends_with('Z'));
            let _ = (parse(&text), parse(&digits));
        }
    }
}
