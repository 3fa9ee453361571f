//! Texts to points in time, as a pattern says.

use jiff::civil::{Date, DateTime, ISOWeekDate, Time, Weekday};
use jiff::tz::{Offset, TimeZone};
use jiff::{Zoned, civil};

use super::pattern::{DAYS, Item, MONTHS, Pattern};
use crate::{Result, Thrown};

/// Digits of a number that no other number follows.
const DIGITS_MAX: usize = 9;

/// The year of a date that names a month or day but no year, as Joda has it.
const YEAR_OF_NONE: i16 = 2000;

/// What a text said.
#[derive(Default)]
struct Said {
    year: Option<i64>,
    week_year: Option<i64>,
    week: Option<i64>,
    weekday: Option<i64>,
    day_of_year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: Option<i64>,
    is_afternoon: Option<bool>,
    minute: i64,
    second: i64,
    nanos: i64,
    zone: Option<TimeZone>,
}

impl Pattern {
    /// The point in time that a text says: in the zone that it names, else in `zone`.
    ///
    /// # Errors
    /// `IllegalArgumentException` with the place where the text does not fit.
    pub fn read(&self, text: &str, zone: &TimeZone) -> Result<Zoned> {
        let mut said = Said::default();
        let mut rest = text;
        for (index, item) in self.0.iter().enumerate() {
            let next_is_number = matches!(self.0.get(index + 1), Some(Item::Field(letter, width))
                if is_number(*letter, *width));
            let after = match item {
                Item::Literal(literal) => strip_prefix_ignoring_case(rest, literal),
                Item::Field(letter, width) => said.take(*letter, *width, next_is_number, rest),
            };
            rest = after.ok_or_else(|| misfit(text, rest))?;
        }
        if !rest.is_empty() {
            return Err(misfit(text, rest));
        }
        let civil = said.civil().map_err(|problem| {
            Thrown::illegal_argument(format!("Cannot parse \"{text}\": {problem}"))
        })?;
        let there = said.zone.as_ref().unwrap_or(zone).clone();
        civil.to_zoned(there).map_err(super::out_of_range)
    }
}

fn is_number(letter: char, width: usize) -> bool {
    match letter {
        'M' | 'L' => width <= 2,
        'G' | 'E' | 'a' | 'z' | 'Z' | 'X' => false,
        _ => true,
    }
}

fn misfit(text: &str, rest: &str) -> Thrown {
    let place = if rest.len() == text.len() {
        String::new()
    } else if rest.is_empty() {
        " is too short".to_owned()
    } else {
        format!(" is malformed at \"{rest}\"")
    };
    Thrown::illegal_argument(format!("Invalid format: \"{text}\"{place}"))
}

impl Said {
    /// Takes a field off the front of a text; `None` if it is not there.
    fn take<'t>(
        &mut self,
        letter: char,
        width: usize,
        next_is_number: bool,
        text: &'t str,
    ) -> Option<&'t str> {
        match letter {
            'E' => return one_of(text, &DAYS).map(|(_, rest)| rest),
            'M' | 'L' if width > 2 => {
                let (month, rest) = one_of(text, &MONTHS)?;
                self.month = Some(month as i64 + 1);
                return Some(rest);
            }
            'G' => return one_of(text, &["AD", "BC"]).map(|(_, rest)| rest),
            'a' => {
                let (half, rest) = one_of(text, &["AM", "PM"])?;
                self.is_afternoon = Some(half == 1);
                return Some(rest);
            }
            'z' | 'Z' | 'X' => return self.take_zone(text),
            'S' => return self.take_fraction(width, text),
            _ => {}
        }
        let most = if next_is_number { width } else { DIGITS_MAX };
        let (number, rest) = number(text, most, matches!(letter, 'y' | 'x'))?;
        self.set(letter, number, width == 2 && text.len() - rest.len() == 2);
        Some(rest)
    }

    fn set(&mut self, letter: char, number: i64, is_short_year: bool) {
        let year = if is_short_year {
            full_year(number)
        } else {
            number
        };
        match letter {
            'y' | 'Y' => self.year = Some(year),
            'x' => self.week_year = Some(year),
            'w' => self.week = Some(number),
            'e' | 'u' => self.weekday = Some(number),
            'D' => self.day_of_year = Some(number),
            'M' | 'L' => self.month = Some(number),
            'd' => self.day = Some(number),
            'K' | 'H' => self.hour = Some(number),
            'h' => self.hour = Some(if number == 12 { 0 } else { number }),
            'k' => self.hour = Some(if number == 24 { 0 } else { number }),
            'm' => self.minute = number,
            's' => self.second = number,
            _ => {}
        }
    }

    fn take_fraction<'t>(&mut self, width: usize, text: &'t str) -> Option<&'t str> {
        let len = text
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count()
            .min(width);
        if len == 0 {
            return None;
        }
        let digits: String = text[..len]
            .chars()
            .chain(std::iter::repeat('0'))
            .take(9)
            .collect();
        self.nanos = digits.parse().ok()?;
        Some(&text[len..])
    }

    fn take_zone<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        if let Some(rest) = text.strip_prefix('Z') {
            self.zone = Some(TimeZone::UTC);
            return Some(rest);
        }
        if text.starts_with(['+', '-']) {
            let (seconds, rest) = offset(text)?;
            self.zone = Some(TimeZone::fixed(Offset::from_seconds(seconds).ok()?));
            return Some(rest);
        }
        let is_name = |char: char| char.is_ascii_alphanumeric() || "/_+-".contains(char);
        let len = text.find(|char| !is_name(char)).unwrap_or(text.len());
        self.zone = Some(match &text[..len] {
            "UTC" | "GMT" => TimeZone::UTC,
            name => TimeZone::get(name).ok()?,
        });
        Some(&text[len..])
    }

    fn civil(&self) -> std::result::Result<civil::DateTime, String> {
        let hour = match self.is_afternoon {
            Some(true) => self.hour.unwrap_or(0) % 12 + 12,
            Some(false) => self.hour.unwrap_or(0) % 12,
            None => self.hour.unwrap_or(0),
        };
        let time = Time::new(
            within("hourOfDay", hour, 0, 23)?,
            within("minuteOfHour", self.minute, 0, 59)?,
            within("secondOfMinute", self.second, 0, 59)?,
            i32::try_from(self.nanos).unwrap_or(0),
        );
        let time = time.map_err(|error| error.to_string())?;
        Ok(DateTime::from_parts(self.date()?, time))
    }

    fn date(&self) -> std::result::Result<Date, String> {
        if self.week.is_some() || self.week_year.is_some() {
            return self.week_date();
        }
        let names_day = self.month.is_some() || self.day.is_some() || self.day_of_year.is_some();
        let default = if names_day { YEAR_OF_NONE } else { 1970 };
        let year = within("year", self.year.unwrap_or(default.into()), -9999, 9999)?;
        let text = |error: jiff::Error| error.to_string();
        if let Some(day) = self.day_of_year {
            let first = Date::new(year, 1, 1).map_err(text)?;
            let days: i64 = within("dayOfYear", day, 1, first.days_in_year().into())?;
            return first
                .checked_add(jiff::Span::new().days(days - 1))
                .map_err(text);
        }
        let month = within("monthOfYear", self.month.unwrap_or(1), 1, 12)?;
        let first = Date::new(year, month, 1).map_err(text)?;
        let day = within(
            "dayOfMonth",
            self.day.unwrap_or(1),
            1,
            first.days_in_month().into(),
        )?;
        Date::new(year, month, day).map_err(text)
    }

    fn week_date(&self) -> std::result::Result<Date, String> {
        let year = within("weekyear", self.week_year.unwrap_or(2000), -9999, 9999)?;
        let week = within("weekOfWeekyear", self.week.unwrap_or(1), 1, 53)?;
        let day = within("dayOfWeek", self.weekday.unwrap_or(1), 1, 7)?;
        let weekday = Weekday::from_monday_one_offset(day).map_err(|error| error.to_string())?;
        let date = ISOWeekDate::new(year, week, weekday).map_err(|error| error.to_string())?;
        Ok(date.date())
    }
}

/// A field's value, in Joda's words when it is out of range.
fn within<T: TryFrom<i64>>(
    field: &str,
    value: i64,
    least: i64,
    most: i64,
) -> std::result::Result<T, String> {
    let fits = (least..=most)
        .contains(&value)
        .then(|| T::try_from(value).ok())
        .flatten();
    fits.ok_or_else(|| format!("Value {value} for {field} must be in the range [{least},{most}]"))
}

/// A year of two digits: the one nearest to 2000, later ones below 70.
fn full_year(short: i64) -> i64 {
    if short < 70 {
        2000 + short
    } else {
        1900 + short
    }
}

fn number(text: &str, most: usize, signed: bool) -> Option<(i64, &str)> {
    let unsigned = if signed {
        text.strip_prefix('-').unwrap_or(text)
    } else {
        text
    };
    let len = unsigned
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count()
        .min(most);
    let number: i64 = unsigned.get(..len)?.parse().ok()?;
    let negative = unsigned.len() < text.len();
    Some((if negative { -number } else { number }, &unsigned[len..]))
}

/// `+02:00`, `+0200` or `+02`, in seconds.
fn offset(text: &str) -> Option<(i32, &str)> {
    let (hours, rest) = two_digits(&text[1..])?;
    let (minutes, rest) = match two_digits(rest.strip_prefix(':').unwrap_or(rest)) {
        Some((minutes, rest)) => (minutes, rest),
        None => (0, rest),
    };
    let seconds = (hours * 60 + minutes) * 60;
    Some((
        if text.starts_with('-') {
            -seconds
        } else {
            seconds
        },
        rest,
    ))
}

fn two_digits(text: &str) -> Option<(i32, &str)> {
    let digits = text
        .get(..2)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some((digits.parse().ok()?, &text[2..]))
}

/// The name that a text begins with, in full or short.
fn one_of<'t>(text: &'t str, names: &[&str]) -> Option<(usize, &'t str)> {
    let begins = |name: &str| strip_prefix_ignoring_case(text, name);
    let full = names
        .iter()
        .enumerate()
        .find_map(|(index, name)| Some((index, begins(name)?)));
    full.or_else(|| {
        names
            .iter()
            .enumerate()
            .find_map(|(index, name)| Some((index, begins(name.get(..3)?)?)))
    })
}

fn strip_prefix_ignoring_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix)
        .then(|| &text[prefix.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str, expected: &str) {
        let pattern = Pattern::parse(pattern).expect("valid");
        let read = pattern.read(text, &TimeZone::UTC);
        let read = read.map_or_else(
            |thrown| thrown.message().unwrap_or_default().to_owned(),
            |at| Pattern::iso().format(&at),
        );
        assert_eq!(read, expected);
    }

    #[test]
    fn reads_what_it_writes() {
        check(
            "yyyy-MM-dd'T'HH:mm:ss.SSSZZ",
            "2013-04-15T01:02:03.004Z",
            "2013-04-15T01:02:03.004Z",
        );
        check("yyyyMMdd", "20130415", "2013-04-15T00:00:00.000Z");
        check(
            "EEE, dd MMM yyyy HH:mm:ss Z",
            "Mon, 15 Apr 2013 01:02:03 +0200",
            "2013-04-15T01:02:03.000+02:00",
        );
        check("HH:mm", "13:45", "1970-01-01T13:45:00.000Z");
        check("dd/MM", "15/04", "2000-04-15T00:00:00.000Z");
        check("h a", "12 AM", "1970-01-01T00:00:00.000Z");
        check("xxxx-'W'ww-e", "2013-W16-1", "2013-04-15T00:00:00.000Z");
        check("yyyy-DDD", "2013-105", "2013-04-15T00:00:00.000Z");
    }

    #[test]
    fn says_where_a_text_does_not_fit() {
        check("yyyy-MM-dd", "soon", "Invalid format: \"soon\"");
        check(
            "yyyy-MM-dd",
            "2013-x",
            "Invalid format: \"2013-x\" is malformed at \"x\"",
        );
        check(
            "yyyy-MM-dd",
            "2013-04",
            "Invalid format: \"2013-04\" is too short",
        );
        check(
            "yyyy-MM-dd",
            "2013-13-01",
            "Cannot parse \"2013-13-01\": Value 13 for monthOfYear must be in the range [1,12]",
        );
        check(
            "yyyy-MM-dd",
            "2013-02-29",
            "Cannot parse \"2013-02-29\": Value 29 for dayOfMonth must be in the range [1,28]",
        );
    }
}
