//! Patterns of dates and times, `yyyy-MM-dd'T'HH:mm:ss.SSSZZ`, with the letters of Joda's
//! `DateTimeFormat` and Java's `SimpleDateFormat`.

use std::fmt::Write;

use jiff::Zoned;

use crate::{Result, Thrown};

pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// Letters of a short name.
const SHORT_LEN: usize = 3;

/// A pattern taken apart.
#[derive(Clone, Debug)]
pub struct Pattern(pub(super) Vec<Item>);

#[derive(Clone, Debug)]
pub(super) enum Item {
    Literal(String),
    /// A letter and how often it stood there.
    Field(char, usize),
}

/// Every letter with a meaning.
const LETTERS: &str = "GCYyxwueEDMLdaKhHkmsSzZX";

impl Pattern {
    /// # Errors
    /// `IllegalArgumentException` for letters that mean nothing, or a quote that is not closed.
    pub fn parse(text: &str) -> Result<Pattern> {
        let mut items: Vec<Item> = Vec::new();
        let mut rest = text;
        while let Some(char) = rest.chars().next() {
            if char == '\'' {
                let (literal, after) = quoted(&rest[1..])?;
                items.push(Item::Literal(literal));
                rest = after;
            } else if char.is_ascii_alphabetic() {
                if !LETTERS.contains(char) {
                    let message = format!("Illegal pattern component: {char}");
                    return Err(Thrown::illegal_argument(message));
                }
                let count = rest.len() - rest.trim_start_matches(char).len();
                items.push(Item::Field(char, count));
                rest = &rest[count..];
            } else {
                items.push(Item::Literal(char.to_string()));
                rest = &rest[char.len_utf8()..];
            }
        }
        Ok(Pattern(items))
    }

    /// ISO 8601 to the millisecond, `2013-04-15T01:02:03.004Z`.
    pub fn iso() -> Pattern {
        let field = Item::Field;
        let literal = |text: &str| Item::Literal(text.to_owned());
        Pattern(vec![
            field('y', 4),
            literal("-"),
            field('M', 2),
            literal("-"),
            field('d', 2),
            literal("T"),
            field('H', 2),
            literal(":"),
            field('m', 2),
            literal(":"),
            field('s', 2),
            literal("."),
            field('S', 3),
            field('X', 3),
        ])
    }

    /// A point in time as the pattern has it.
    pub fn format(&self, at: &Zoned) -> String {
        let mut out = String::new();
        for item in &self.0 {
            match item {
                Item::Literal(text) => out.push_str(text),
                Item::Field(letter, width) => format_field(*letter, *width, at, &mut out),
            }
        }
        out
    }
}

/// The text up to the closing quote, `''` being a quote itself, and what comes after.
fn quoted(text: &str) -> Result<(String, &str)> {
    if let Some(rest) = text.strip_prefix('\'') {
        return Ok(("'".to_owned(), rest));
    }
    let mut literal = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\'') {
        literal.push_str(before);
        match after.strip_prefix('\'') {
            Some(more) => {
                literal.push('\'');
                rest = more;
            }
            None => return Ok((literal, after)),
        }
    }
    Err(Thrown::illegal_argument(
        "Unterminated quote in a date pattern",
    ))
}

fn format_field(letter: char, width: usize, at: &Zoned, out: &mut String) {
    let week = at.date().iso_week_date();
    let number = match letter {
        'G' => return out.push_str(if at.year() > 0 { "AD" } else { "BC" }),
        'y' | 'Y' | 'x' if width == 2 => i64::from(
            if letter == 'x' {
                week.year()
            } else {
                at.year()
            }
            .rem_euclid(100),
        ),
        'y' | 'Y' => at.year().into(),
        'x' => week.year().into(),
        'C' => (at.year() / 100).into(),
        'w' => week.week().into(),
        'e' | 'u' => at.weekday().to_monday_one_offset().into(),
        'E' => {
            let day = DAYS[usize::from(at.weekday().to_monday_zero_offset().unsigned_abs())];
            return out.push_str(name(day, width));
        }
        'M' | 'L' if width > 2 => {
            let month = MONTHS[usize::from(at.month().unsigned_abs()) - 1];
            return out.push_str(name(month, width));
        }
        'M' | 'L' => at.month().into(),
        'D' => at.day_of_year().into(),
        'd' => at.day().into(),
        'a' => return out.push_str(if at.hour() < 12 { "AM" } else { "PM" }),
        'K' => (at.hour() % 12).into(),
        'h' => ((at.hour() + 11) % 12 + 1).into(),
        'H' => at.hour().into(),
        'k' => ((at.hour() + 23) % 24 + 1).into(),
        'm' => at.minute().into(),
        's' => at.second().into(),
        'S' => {
            let digits = format!("{:09}", at.subsec_nanosecond());
            return out.extend(digits.chars().chain(std::iter::repeat('0')).take(width));
        }
        'z' => return out.push_str(&zone_name(at)),
        'Z' if width > 2 => return out.push_str(&zone_id(at)),
        'Z' => return out.push_str(&offset_text(at.offset().seconds(), width == 2)),
        _ => return out.push_str(&iso_offset(at.offset().seconds(), width)),
    };
    let _ = write!(out, "{number:0width$}");
}

fn name(full: &str, width: usize) -> &str {
    if width > SHORT_LEN {
        full
    } else {
        &full[..SHORT_LEN]
    }
}

fn zone_name(at: &Zoned) -> String {
    let info = at.time_zone().to_offset_info(at.timestamp());
    let name = info.abbreviation();
    if name.starts_with(['+', '-']) {
        offset_text(at.offset().seconds(), true)
    } else {
        name.into()
    }
}

fn zone_id(at: &Zoned) -> String {
    match at.time_zone().iana_name() {
        Some(name) => name.to_owned(),
        None => offset_text(at.offset().seconds(), true),
    }
}

/// `+02:00`, or `+0200`.
pub fn offset_text(seconds: i32, colon: bool) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!(
        "{sign}{:02}{}{:02}",
        minutes / 60,
        if colon { ":" } else { "" },
        minutes % 60
    )
}

/// `Z` in UTC, else the hours, with minutes if `width` is more than one.
fn iso_offset(seconds: i32, width: usize) -> String {
    let text = offset_text(seconds, width > 2);
    match (seconds, width) {
        (0, _) => "Z".to_owned(),
        (_, 1) => text[..3].to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_each_letter() {
        let at: Zoned = "2013-04-05T16:07:08.009+02:00[Europe/Paris]"
            .parse()
            .expect("valid");
        let check = |pattern: &str, text: &str| {
            let pattern = Pattern::parse(pattern).expect("valid");
            assert_eq!(pattern.format(&at), text);
        };
        check(
            "yyyy-MM-dd'T'HH:mm:ss.SSSZZ",
            "2013-04-05T16:07:08.009+02:00",
        );
        check("EEE, d MMM yy h:mm a", "Fri, 5 Apr 13 4:07 PM");
        check("EEEE MMMM D xxxx-'W'ww-e", "Friday April 95 2013-W14-5");
        check(
            "K k Z ZZZ X 'o''clock' ''",
            "4 16 +0200 Europe/Paris +02 o'clock '",
        );
        assert_eq!(Pattern::iso().format(&at), "2013-04-05T16:07:08.009+02:00");
    }

    #[test]
    fn refuses_letters_without_meaning() {
        assert!(Pattern::parse("yyyy-b").is_err());
        assert!(Pattern::parse("'open").is_err());
    }
}
