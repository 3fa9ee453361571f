//! Graphite's plaintext lines: `path value timestamp`.

use std::borrow::Cow;
use std::io::Write;

use event::{Attr, Draft, Field, Number, Time};
use thiserror::Error;

use crate::java_number::{double, long};

/// Why a line is not an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    #[error("blank line")]
    Blank,
    #[error("no metric")]
    NoMetric,
    #[error("no timestamp")]
    NoTimestamp,
    /// Also a line that starts with a blank: its first field is the empty text before.
    #[error("too many fields")]
    TooManyFields,
    #[error("NaN metric")]
    NanMetric,
    #[error("invalid metric")]
    InvalidMetric,
    #[error("invalid timestamp")]
    InvalidTimestamp,
    #[error("invalid tag")]
    InvalidTag,
}

/// Reads one line, without its end, as a record with service, metric and time. With `tags`,
/// `name;key=value;…` is the service `name` with attributes; a key that is a text field (`host`)
/// sets that field, and the keys `metric tags time ttl` are ignored.
///
/// ```
/// use codec::graphite::parse_line;
/// use event::Fields;
/// let event = parse_line("cpu.load;host=web1;core=3 0.5 1366020418", true).unwrap().build();
/// assert_eq!((event.service(), event.host()), (Some("cpu.load"), Some("web1")));
/// assert_eq!(event.attrs().collect::<Vec<_>>(), [("core", "3")]);
/// ```
///
/// # Errors
/// When the line is malformed.
pub fn parse_line(line: &str, tags: bool) -> Result<Draft<'_>, LineError> {
    let line = line.trim_end_matches(is_blank);
    let mut fields = Blanks(Some(line));
    let path = fields.next().unwrap_or("");
    let (value, timestamp) = (fields.next(), fields.next());
    if fields.next().is_some() {
        return Err(LineError::TooManyFields);
    }
    if path.is_empty() {
        return Err(LineError::Blank);
    }
    let value = value.ok_or(LineError::NoMetric)?;
    let timestamp = timestamp.ok_or(LineError::NoTimestamp)?;
    if is_nan(value) {
        return Err(LineError::NanMetric);
    }
    let metric = double(value).ok_or(LineError::InvalidMetric)?;
    let time = long(timestamp).ok_or(LineError::InvalidTimestamp)?;
    let mut draft = Draft {
        service: Some(Cow::Borrowed(path)),
        metric: Some(Number::F64(metric)),
        time: Some(Time::from_s(time)),
        ..Draft::record()
    };
    if tags {
        take_tags(path, &mut draft)?;
    }
    Ok(draft)
}

fn take_tags<'a>(path: &'a str, draft: &mut Draft<'a>) -> Result<(), LineError> {
    let mut parts = path.split(';');
    draft.service = parts.next().map(Cow::Borrowed);
    for part in parts {
        let (key, value) = part.split_once('=').ok_or(LineError::InvalidTag)?;
        match Field::named(key) {
            Some(Field::Host) => draft.host = Some(value.into()),
            Some(Field::Service) => draft.service = Some(value.into()),
            Some(Field::State) => draft.state = Some(value.into()),
            Some(Field::Description) => draft.description = Some(value.into()),
            Some(Field::Metric | Field::Tags | Field::Time | Field::Ttl) => {}
            None => draft.set_attr(key, Attr::Str(value.into())),
        }
    }
    Ok(())
}

/// The fields between runs of blanks. A run at the start leaves an empty field before it.
struct Blanks<'a>(Option<&'a str>);

impl<'a> Iterator for Blanks<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0?;
        match rest.split_once(is_blank) {
            Some((field, after)) => {
                self.0 = Some(after.trim_start_matches(is_blank));
                Some(field)
            }
            None => self.0.take(),
        }
    }
}

fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t'..='\r')
}

pub(crate) fn is_nan(value: &str) -> bool {
    value
        .as_bytes()
        .windows(3)
        .any(|three| three.eq_ignore_ascii_case(b"nan"))
}

/// Appends the line, with its end, that tells Graphite a value. Ratios become doubles, and the
/// time is in whole seconds.
///
/// ```
/// let mut out = Vec::new();
/// codec::graphite::encode_line(&mut out, "web1.cpu", &0.5.into(), event::Time::from_s(7));
/// assert_eq!(out, b"web1.cpu 0.5 7\n");
/// ```
pub fn encode_line(out: &mut Vec<u8>, path: &str, value: &Number, time: Time) {
    let value = match value {
        Number::Ratio(_) => Number::F64(value.to_f64()).to_text(),
        _ => value.to_text(),
    };
    // Writing to a vector cannot fail.
    let _ = writeln!(out, "{path} {value} {}", time.floor_s());
}

#[cfg(test)]
mod tests {
    use event::{Event, Fields};
    use proptest::prelude::*;

    use super::*;

    fn check_error(line: &str, error: LineError) {
        assert_eq!(
            parse_line(line, true).map(Draft::build),
            Err(error),
            "{line:?}"
        );
    }

    #[test]
    fn a_line_is_a_record_without_host() {
        let event: Event = parse_line("a.b\t 1.5d  -7 ", false).unwrap().build();
        assert!(event.is_record());
        assert_eq!((event.service(), event.host()), (Some("a.b"), None));
        assert_eq!(event.metric(), Some(Number::F64(1.5)));
        assert_eq!(event.time(), Some(Time::from_s(-7)));
    }

    #[test]
    fn tags_are_attributes_only_when_asked_for() {
        let service = |tags| {
            let event = parse_line("a;k=v=w;k=x;ttl=5 1 2", tags).unwrap().build();
            (event.service().map(str::to_owned), event.attrs().count())
        };
        assert_eq!(service(false), (Some("a;k=v=w;k=x;ttl=5".into()), 0));
        assert_eq!(service(true), (Some("a".into()), 1));
    }

    #[test]
    fn errors_are_riemanns() {
        check_error("", LineError::Blank);
        check_error("   ", LineError::Blank);
        check_error(" a 1", LineError::Blank);
        check_error(" a 1 2", LineError::TooManyFields);
        check_error("a 1 2 3", LineError::TooManyFields);
        check_error("a", LineError::NoMetric);
        check_error("a 1", LineError::NoTimestamp);
        check_error("a nan 2", LineError::NanMetric);
        check_error("a x 2", LineError::InvalidMetric);
        check_error("a 1 2.5", LineError::InvalidTimestamp);
        check_error("a;k 1 2", LineError::InvalidTag);
    }

    #[test]
    fn sinks_write_numbers_plainly() {
        let mut out = Vec::new();
        encode_line(
            &mut out,
            "a",
            &Number::Int(1).div(&Number::Int(2)).unwrap(),
            Time::exact(1),
        );
        encode_line(&mut out, "a", &Number::Int(3), Time::from_s(1));
        assert_eq!(out, b"a 0.5 0\na 3 1\n");
    }

    proptest! {
        #[test]
        fn any_line_has_an_answer(line: String, fields in "[a-z;= \t.0-9-]*") {
            for line in [line, fields] {
                for tags in [false, true] {
                    let _ = parse_line(&line, tags).map(Draft::build);
                }
            }
        }
    }
}
