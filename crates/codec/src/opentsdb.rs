//! OpenTSDB's telnet lines: `put metric timestamp value key=value…` and `version`.

use std::borrow::Cow;

use event::{Attr, Draft, Field, Number, Time};
use thiserror::Error;

use crate::graphite::is_nan;
use crate::java_number::{double, long};

/// The answer to `version`.
pub const VERSION_ANSWER: &str = "net.opentsdb\nBuilt on ... (riemann-opentsdb)\n";

/// Timestamps from here on are milliseconds: 13 digits.
const FIRST_MS: i64 = 1_000_000_000_000;

/// What a line asks for.
#[expect(clippy::large_enum_variant, reason = "taken apart at once, never kept")]
#[derive(Clone, Debug)]
pub enum Command<'a> {
    Put(Draft<'a>),
    Version,
}

/// Why a line is not a command; its text is the answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    #[error("unknown command: {0}")]
    UnknownCommand(String),
    #[error("put: illegal argument: {0}")]
    Put(&'static str),
}

/// Reads one line, without its end. The event's service is the metric's name and its tags but
/// `host`, its description the name alone; the `host` tag is its host, the others are attributes,
/// of which one that is named as a field has `tag` after its name (`servicetag`).
///
/// ```
/// use codec::opentsdb::{Command, parse_line};
/// use event::Fields;
/// let Ok(Command::Put(draft)) = parse_line("put sys.cpu 1366020418 42.5 host=web1 core=0") else {
///     panic!("not a put");
/// };
/// let event = draft.build();
/// assert_eq!((event.service(), event.host()), (Some("sys.cpu core=0"), Some("web1")));
/// ```
///
/// # Errors
/// When the line is malformed; the connection can go on.
pub fn parse_line(line: &str) -> Result<Command<'_>, LineError> {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("put") => put(words).map(Command::Put).map_err(LineError::Put),
        Some("version") => Ok(Command::Version),
        other => Err(LineError::UnknownCommand(other.unwrap_or("").into())),
    }
}

fn put<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Draft<'a>, &'static str> {
    let name = words.next().ok_or("no metric name")?;
    let timestamp = words.next().ok_or("no timestamp")?;
    let value = words.next().ok_or("no metric")?;
    if is_nan(value) {
        return Err("NaN metric");
    }
    let metric = double(value).ok_or("invalid metric")?;
    let timestamp = long(timestamp).ok_or("invalid timestamp")?;
    let mut draft = Draft {
        description: Some(name.into()),
        metric: Some(Number::F64(metric)),
        time: Some(time(timestamp)),
        ..Draft::record()
    };
    let mut service = Cow::Borrowed(name);
    for word in words {
        let (key, value) = word.split_once('=').ok_or("invalid tag")?;
        if key == "host" {
            draft.host = Some(value.into());
            continue;
        }
        let service = service.to_mut();
        service.push(' ');
        service.push_str(word);
        match Field::named(key) {
            Some(_) => draft.set_attr(&format!("{key}tag"), Attr::Str(value.into())),
            None => draft.set_attr(key, Attr::Str(value.into())),
        }
    }
    draft.service = Some(service);
    Ok(draft)
}

fn time(timestamp: i64) -> Time {
    if timestamp < FIRST_MS {
        Time::from_s(timestamp)
    } else if timestamp % 1000 == 0 {
        Time::from_s(timestamp / 1000)
    } else {
        Time::exact(timestamp.saturating_mul(1000))
    }
}

#[cfg(test)]
mod tests {
    use event::{Event, Fields};
    use proptest::prelude::*;

    use super::*;

    fn event(line: &str) -> Event {
        match parse_line(line) {
            Ok(Command::Put(draft)) => draft.build(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn tags_are_in_the_service_but_for_the_host() {
        let event = event("put sys.cpu 1366020418 42 host=a service=b  core=0\r");
        assert_eq!(event.service(), Some("sys.cpu service=b core=0"));
        assert_eq!(event.description(), Some("sys.cpu"));
        assert_eq!(event.host(), Some("a"));
        assert_eq!(event.metric(), Some(Number::F64(42.0)));
        assert_eq!(
            event.attrs().collect::<Vec<_>>(),
            [("servicetag", "b"), ("core", "0")]
        );
    }

    #[test]
    fn thirteen_digits_are_milliseconds() {
        assert_eq!(
            event("put a 1366020418 1").time(),
            Some(Time::from_s(1_366_020_418))
        );
        let ms = event("put a 1366020418250 1").time();
        assert_eq!(ms, Some(Time::exact(1_366_020_418_250_000)));
        assert_eq!(
            event("put a 1366020418000 1").time(),
            Some(Time::from_s(1_366_020_418))
        );
    }

    #[test]
    fn errors_are_answers() {
        let check = |line: &str, answer: &str| {
            assert_eq!(
                parse_line(line).map(|_| ()).unwrap_err().to_string(),
                answer
            );
        };
        check("put", "put: illegal argument: no metric name");
        check("put a", "put: illegal argument: no timestamp");
        check("put a 1", "put: illegal argument: no metric");
        check("put a 1 x", "put: illegal argument: invalid metric");
        check("put a 1.5 1", "put: illegal argument: invalid timestamp");
        check("put a 1 1 b", "put: illegal argument: invalid tag");
        check("drop a", "unknown command: drop");
        check("", "unknown command: ");
        assert!(matches!(parse_line("version"), Ok(Command::Version)));
    }

    proptest! {
        #[test]
        fn any_line_has_an_answer(line: String, words in "put [a-z= .0-9-]*") {
            let _ = (parse_line(&line), parse_line(&words));
        }
    }
}
