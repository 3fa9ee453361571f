//! `clj-time.format`: points in time to texts and back.

use std::any::Any;
use std::borrow::Cow;

use jiff::Zoned;
use jiff::tz::TimeZone;

use super::instant::{DateTime, Local, civil, instant};
use super::pattern::Pattern;
use super::zone;
use crate::core::arguments::{not_a, string};
use crate::core::native;
use crate::{Cx, Map, Native, Object, Result, Thrown, Value};

/// `org.joda.time.format.DateTimeFormatter`.
#[derive(Clone)]
pub struct Formatter {
    form: Form,
    /// `None` keeps the zone of what it writes.
    zone: Option<TimeZone>,
}

#[derive(Clone)]
enum Form {
    /// One of the formatters that have a name; its patterns are made when they are wanted.
    Named(&'static str),
    /// What it writes is the first; it reads what any of them fits.
    Patterns(Vec<Pattern>),
}

pub const NATIVES: &[Native] = &[
    native(
        "formatter",
        "([fmts] [fmts dtz] [dtz fmts & more])",
        "A formatter for a pattern, or for the name of one of formatters, in a zone, UTC unless \
         told otherwise. With several it writes the first and reads any.",
        (1, None),
        |_, a| formatter(a, TimeZone::UTC),
    ),
    native(
        "formatter-local",
        "([fmt])",
        "A formatter for a pattern, for dates without a zone.",
        (1, Some(1)),
        |_, a| formatter(a, TimeZone::UTC),
    ),
    native(
        "with-zone",
        "([f dtz])",
        "The formatter in another zone.",
        (2, Some(2)),
        |_, a| {
            let zone = Some(zone::zone(&a[1])?.clone());
            Ok(Value::object(Formatter {
                zone,
                ..of(&a[0])?.clone()
            }))
        },
    ),
    native(
        "parse",
        "([fmt s] [s])",
        "The point in time that a text says. Without a formatter all of formatters are tried, and \
         nil is given when none fits.",
        (1, Some(2)),
        |_, a| match a {
            [formatter, text] => parse(of(formatter)?, string(text)?),
            _ => parse_any(string(&a[0])?),
        },
    ),
    native(
        "parse-local",
        "([fmt s] [s])",
        "The date and time that a text says.",
        (1, Some(2)),
        |_, a| parse_local(a, false),
    ),
    native(
        "parse-local-date",
        "([fmt s] [s])",
        "The date that a text says.",
        (1, Some(2)),
        |_, a| parse_local(a, true),
    ),
    native(
        "unparse",
        "([fmt dt])",
        "The text of a point in time.",
        (2, Some(2)),
        |_, a| Ok(Value::from(of(&a[0])?.text(instant(&a[1])?))),
    ),
    native(
        "unparse-local",
        UNPARSE_LOCAL,
        "The text of a date and time.",
        (2, Some(2)),
        unparse_local,
    ),
    native(
        "unparse-local-date",
        UNPARSE_LOCAL,
        "The text of a date.",
        (2, Some(2)),
        unparse_local,
    ),
];

const UNPARSE_LOCAL: &str = "([fmt dt])";

/// The formatters that have a name, those that ISO 8601 describes and a few more.
const NAMED: &[(&str, &str)] = &[
    ("basic-date", "yyyyMMdd"),
    ("basic-date-time", "yyyyMMdd'T'HHmmss.SSSXX"),
    ("basic-date-time-no-ms", "yyyyMMdd'T'HHmmssXX"),
    ("basic-ordinal-date", "yyyyDDD"),
    ("basic-ordinal-date-time", "yyyyDDD'T'HHmmss.SSSXX"),
    ("basic-ordinal-date-time-no-ms", "yyyyDDD'T'HHmmssXX"),
    ("basic-time", "HHmmss.SSSXX"),
    ("basic-time-no-ms", "HHmmssXX"),
    ("basic-t-time", "'T'HHmmss.SSSXX"),
    ("basic-t-time-no-ms", "'T'HHmmssXX"),
    ("basic-week-date", "xxxx'W'wwe"),
    ("basic-week-date-time", "xxxx'W'wwe'T'HHmmss.SSSXX"),
    ("basic-week-date-time-no-ms", "xxxx'W'wwe'T'HHmmssXX"),
    ("date", "yyyy-MM-dd"),
    ("date-hour", "yyyy-MM-dd'T'HH"),
    ("date-hour-minute", "yyyy-MM-dd'T'HH:mm"),
    ("date-hour-minute-second", "yyyy-MM-dd'T'HH:mm:ss"),
    (
        "date-hour-minute-second-fraction",
        "yyyy-MM-dd'T'HH:mm:ss.SSS",
    ),
    ("date-hour-minute-second-ms", "yyyy-MM-dd'T'HH:mm:ss.SSS"),
    ("date-time", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"),
    ("date-time-no-ms", "yyyy-MM-dd'T'HH:mm:ssXXX"),
    ("hour", "HH"),
    ("hour-minute", "HH:mm"),
    ("hour-minute-second", "HH:mm:ss"),
    ("hour-minute-second-fraction", "HH:mm:ss.SSS"),
    ("hour-minute-second-ms", "HH:mm:ss.SSS"),
    ("mysql", "yyyy-MM-dd HH:mm:ss"),
    ("ordinal-date", "yyyy-DDD"),
    ("ordinal-date-time", "yyyy-DDD'T'HH:mm:ss.SSSXXX"),
    ("ordinal-date-time-no-ms", "yyyy-DDD'T'HH:mm:ssXXX"),
    ("rfc822", "EEE, dd MMM yyyy HH:mm:ss Z"),
    ("t-time", "'T'HH:mm:ss.SSSXXX"),
    ("t-time-no-ms", "'T'HH:mm:ssXXX"),
    ("time", "HH:mm:ss.SSSXXX"),
    ("time-no-ms", "HH:mm:ssXXX"),
    ("week-date", "xxxx-'W'ww-e"),
    ("week-date-time", "xxxx-'W'ww-e'T'HH:mm:ss.SSSXXX"),
    ("week-date-time-no-ms", "xxxx-'W'ww-e'T'HH:mm:ssXXX"),
    ("weekyear", "xxxx"),
    ("weekyear-week", "xxxx-'W'ww"),
    ("weekyear-week-day", "xxxx-'W'ww-e"),
    ("year", "yyyy"),
    ("year-month", "yyyy-MM"),
    ("year-month-day", "yyyy-MM-dd"),
];

/// Formatters that read more than one form.
const PARSERS: &[&str] = &[
    "date-opt-time",
    "date-time-parser",
    "date-parser",
    "local-date",
    "local-date-opt-time",
];

/// Forms of a date that the parsers read, and of what may follow it.
const DATES: &[&str] = &["yyyy-MM-dd", "yyyy-MM", "yyyy", "xxxx-'W'ww-e", "yyyy-DDD"];
const TIMES: &[&str] = &[
    "",
    "'T'HH:mm:ss.SSSSSSSSS",
    "'T'HH:mm:ss",
    "'T'HH:mm",
    "'T'HH",
    "'T'",
];
const OFFSETS: &[&str] = &["", "XXX"];

/// `clj-time.format/formatters`: keyword to formatter.
pub fn formatters() -> Map {
    names()
        .map(|name| (Value::keyword(name), Value::object(Formatter::named(name))))
        .collect()
}

/// The formatter of that name, a keyword.
pub fn named(name: &Value) -> Option<Formatter> {
    let Value::Keyword(keyword) = name else {
        return None;
    };
    names()
        .find(|name| *name == keyword.name())
        .map(Formatter::named)
}

fn names() -> impl Iterator<Item = &'static str> {
    PARSERS
        .iter()
        .copied()
        .chain(NAMED.iter().map(|(name, _)| *name))
}

/// The patterns of a formatter that has a name.
fn patterns(name: &str) -> Vec<Pattern> {
    let texts = match NAMED.iter().find(|(known, _)| *known == name) {
        Some((_, pattern)) => vec![(*pattern).to_owned()],
        None => parser_patterns(),
    };
    texts
        .iter()
        .filter_map(|text| Pattern::parse(text).ok())
        .collect()
}

fn parser_patterns() -> Vec<String> {
    let dates = DATES
        .iter()
        .flat_map(|date| TIMES.iter().map(move |time| format!("{date}{time}")));
    dates
        .flat_map(|text| OFFSETS.iter().map(move |offset| format!("{text}{offset}")))
        .collect()
}

fn formatter(args: &[Value], default: TimeZone) -> Result {
    let (zone, texts): (TimeZone, &[Value]) = match args {
        [text] => (default, std::slice::from_ref(text)),
        [text, zone] if zone.downcast::<zone::Zone>().is_some() => {
            (zone::zone(zone)?.clone(), std::slice::from_ref(text))
        }
        [zone, texts @ ..] => (zone::zone(zone)?.clone(), texts),
        [] => return Err(Thrown::arity(0, "clj-time.format/formatter")),
    };
    let mut patterns = Vec::new();
    for text in texts {
        match text {
            Value::Keyword(_) => match named(text) {
                Some(formatter) => patterns.extend_from_slice(&formatter.patterns()),
                None => {
                    let message = format!("No formatter is called {}", text.to_readable());
                    return Err(Thrown::illegal_argument(message));
                }
            },
            Value::Object(_) => patterns.extend_from_slice(&of(text)?.patterns()),
            text => patterns.push(Pattern::parse(string(text)?)?),
        }
    }
    Ok(Value::object(Formatter {
        form: Form::Patterns(patterns),
        zone: Some(zone),
    }))
}

fn of(value: &Value) -> Result<&Formatter> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "org.joda.time.format.DateTimeFormatter"))
}

impl Formatter {
    fn named(name: &'static str) -> Formatter {
        Formatter {
            form: Form::Named(name),
            zone: Some(TimeZone::UTC),
        }
    }

    fn patterns(&self) -> Cow<'_, [Pattern]> {
        match &self.form {
            Form::Named(name) => Cow::Owned(patterns(name)),
            Form::Patterns(patterns) => Cow::Borrowed(patterns),
        }
    }

    /// The text of a point in time, in the formatter's zone.
    pub fn text(&self, at: &Zoned) -> String {
        let at = match &self.zone {
            Some(zone) => zone::moved(at, zone),
            None => at.clone(),
        };
        self.patterns()
            .first()
            .map(|pattern| pattern.format(&at))
            .unwrap_or_default()
    }

    fn read(&self, text: &str) -> Result<Zoned> {
        let zone = self.zone.clone().unwrap_or(TimeZone::UTC);
        let mut misfit = None;
        for pattern in self.patterns().iter() {
            match pattern.read(text, &zone) {
                Ok(at) => return Ok(zone::moved(&at, &zone)),
                Err(thrown) => misfit = misfit.or(Some(thrown)),
            }
        }
        Err(misfit.unwrap_or_else(|| Thrown::illegal_argument("Parsing is not supported")))
    }
}

fn parse(formatter: &Formatter, text: &str) -> Result {
    Ok(Value::object(DateTime(formatter.read(text)?)))
}

/// What a text says in any of the named forms; nil if it fits none.
///
/// # Errors
/// None; it is as all parsing is.
pub fn parse_any(text: &str) -> Result {
    let read = names().find_map(|name| Formatter::named(name).read(text).ok());
    Ok(read
        .map(|at| Value::object(DateTime(at)))
        .unwrap_or_default())
}

fn parse_local(args: &[Value], date_only: bool) -> Result {
    let read = match args {
        [formatter, text] => parse(of(formatter)?, string(text)?)?,
        _ => parse_any(string(&args[0])?)?,
    };
    if read.is_nil() {
        return Ok(read);
    }
    let at = civil(&read)?;
    let civil = if date_only { at.date().into() } else { at };
    Ok(Value::object(Local { civil, date_only }))
}

fn unparse_local(_: &Cx<'_>, args: &[Value]) -> Result {
    let at = civil(&args[1])?
        .to_zoned(TimeZone::UTC)
        .map_err(super::out_of_range)?;
    Ok(Value::from(
        Formatter {
            zone: None,
            ..of(&args[0])?.clone()
        }
        .text(&at),
    ))
}

impl Object for Formatter {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "org.joda.time.format.DateTimeFormatter"
    }
}
