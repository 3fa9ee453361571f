//! What a configuration makes of the messages of a journal, written as a test that it can be held
//! to later.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use clj::Value;
use codec::iso8601;
use codec::riemann::decode_msg;
use config::{Code, Configuration, Failure, Session};
use event::{Event, Time, Views};
use journal::Reader;

use super::{RECORDS_PER_BATCH, Span};
use crate::ingest::record;
use crate::source::Source;

/// The most events that go into a test: some megabytes of text, which a person may still look
/// through.
const EVENTS_MAX: usize = 10_000;

/// The test's name.
const NAME: &str = "replayed";

/// Turns a value into code that gives it: numbers of single precision, events, lists and symbols
/// are not what their text reads as.
const FORMS: &str = "
(set! *print-length* nil)
(defn form [value]
  (cond
    (instance? Float value) (list 'float (double value))
    (instance? riemann.codec.Event value)
    (list 'riemann.codec/map->Event
          (into {} (keep (fn [[k v]] (when (some? v) [k (form v)])) value)))
    (map? value) (into {} (map (fn [[k v]] [(form k) (form v)]) value))
    (vector? value) (mapv form value)
    (set? value) (set (map form value))
    (seq? value) (cons 'list (map form value))
    (symbol? value) (list 'quote value)
    :else value))";

/// Messages of a span.
pub struct Sent {
    /// Each with the microseconds that pass after it.
    events: Vec<(Event, i64)>,
    messages: u64,
    first_us: i64,
    last_us: i64,
}

/// Reads the messages of a span, the first of which comes next.
///
/// # Errors
/// What the disk says; in one line for the user, that they are too many.
pub fn collect(mut reader: Reader, span: &Span) -> journal::Result<Result<Sent, String>> {
    let mut sent = Sent {
        events: Vec::new(),
        messages: 0,
        first_us: 0,
        last_us: 0,
    };
    'all: loop {
        let batch = reader.next_batch(RECORDS_PER_BATCH)?;
        if batch.is_empty() {
            break;
        }
        for (id, bytes) in batch.iter() {
            let Some((received, messages)) = record::read(bytes) else {
                eprintln!("record {id} is of a kind that this program does not know");
                continue;
            };
            if received.us >= span.to_us {
                break 'all;
            }
            sent.add(received, messages);
            if sent.events.len() > EVENTS_MAX {
                return Ok(Err(format!(
                    "more than {EVENTS_MAX} events are too many for a test: narrow --from and --to"
                )));
            }
        }
        for damage in reader.take_damages() {
            eprintln!("{damage}");
        }
    }
    if span.to_us < i64::MAX {
        sent.pass(span.to_us);
    }
    if sent.events.is_empty() {
        return Ok(Err(
            "there is no event in the messages of that time".to_owned()
        ));
    }
    Ok(Ok(sent))
}

impl Sent {
    fn add<'a>(&mut self, received: Time, messages: impl Iterator<Item = &'a [u8]>) {
        let mut views = Views::new();
        for message in messages {
            self.messages += 1;
            if let Err(error) = decode_msg(message, received, &mut views) {
                eprintln!("message {} is none: {error}", self.messages);
            }
        }
        if views.is_empty() {
            return;
        }
        if self.events.is_empty() {
            (self.first_us, self.last_us) = (received.us, received.us);
        }
        self.pass(received.us);
        let events = views.iter().map(|view| (Event::from_view(&view), 0));
        self.events.extend(events);
    }

    /// Time goes on; it never goes back.
    fn pass(&mut self, to_us: i64) {
        if let Some((_, after_us)) = self.events.last_mut() {
            *after_us += to_us.saturating_sub(self.last_us).max(0);
        }
        self.last_us = self.last_us.max(to_us);
    }
}

/// Sends the events through a configuration under test, and writes that and what came of it.
///
/// # Errors
/// In one line: the file is there or cannot be written, the configuration has no tap, or a stream
/// throws.
pub fn write(
    file: &Path,
    source: &Source,
    configuration: &Configuration,
    sent: &Sent,
) -> Result<(), String> {
    let mut out = OpenOptions::new();
    let mut out = out
        .write(true)
        .create_new(true)
        .open(file)
        .map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                format!("{} is there already: remove it first", file.display())
            }
            _ => format!("{}: {error}", file.display()),
        })?;
    let written = text(file, source, configuration, sent).and_then(|text| {
        let written = out.write_all(text.as_bytes());
        written.map_err(|error| format!("{}: {error}", file.display()))
    });
    if written.is_err() {
        // Half a test is none.
        let _ = std::fs::remove_file(file);
    }
    written?;
    eprintln!(
        "{} messages, {} events, written to {}",
        sent.messages,
        sent.events.len(),
        file.display()
    );
    Ok(())
}

fn text(
    file: &Path,
    source: &Source,
    configuration: &Configuration,
    sent: &Sent,
) -> Result<String, String> {
    let mut evaluation = Evaluation {
        configuration,
        session: Session::default(),
    };
    evaluation.all(FORMS)?;
    let start = seconds(sent.first_us);
    let literals = sent.events.iter().map(|(event, after_us)| {
        let event = Value::Event(event.clone()).to_readable();
        format!("{event} {}\n", seconds(*after_us))
    });
    let literals: String = literals.collect();
    evaluation.all(&format!("(def sent [{literals}])"))?;
    evaluation.all(&format!(
        "(def reached (sort-by (comp str key) (riemann.test/with-fresh-results* (fn []
           (riemann.time.controlled/advance! {start})
           (riemann.test/inject-intervals! sent)))))"
    ))?;
    let taps = evaluation.all("(count reached)")?;
    if taps == ["0"] {
        let hint = "put (tap :name …) in front of what the test is to look at";
        return Err(format!("{} has no tap: {hint}", source.name()));
    }
    if evaluation.all("(= reached (eval (form reached)))")? != ["true"] {
        return Err(
            "what reached a tap holds something that no text stands for, such as NaN or a \
                    function: the test would fail"
                .to_owned(),
        );
    }
    let mut text = head(file, source, sent);
    let _ = writeln!(text, "    (riemann.time.controlled/advance! {start})");
    let forms = (0..sent.events.len()).map(|at| format!("(form (nth sent {}))\n", 2 * at));
    let events = evaluation.all(&forms.collect::<String>())?;
    let afters = sent.events.iter().map(|(_, after_us)| seconds(*after_us));
    let steps = events.iter().zip(afters);
    let steps: Vec<String> = steps.map(|(event, s)| format!("{event} {s}")).collect();
    text += "    (is (= (inject-intervals!\n             [";
    text += &steps.join("\n              ");
    text += "])\n           {";
    text += &evaluation.taps()?.join("\n            ");
    text += "}))))\n";
    Ok(text)
}

/// What the file begins with.
fn head(file: &Path, source: &Source, sent: &Sent) -> String {
    let name = source.name();
    let from = iso8601::Utc(Time::exact(sent.first_us));
    let to = iso8601::Utc(Time::exact(sent.last_us));
    let own = file.file_name().unwrap_or_default().to_string_lossy();
    let included = Value::str(included(file, &name)).to_readable();
    format!(
        ";; What {name} made of the {} events of {from} to {to}.\n\
         ;; Written by `cauchy replay --test`; `cauchy test --only {NAME} {own}` runs it.\n\
         ;; Each event is followed by the seconds that passed after it.\n\
         (include {included})\n\n\
         (tests\n  (deftest {NAME}\n",
        sent.events.len()
    )
}

/// How a file names the configuration: by its name alone if they stand together.
fn included(file: &Path, configuration: &str) -> String {
    let configuration = Path::new(configuration);
    let folder = |path: &Path| {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        parent.unwrap_or(Path::new(".")).canonicalize().ok()
    };
    let whole = configuration.canonicalize();
    let whole = whole.unwrap_or_else(|_| configuration.to_path_buf());
    let chosen = match whole.file_name() {
        Some(name) if folder(file) == folder(&whole) => Path::new(name),
        _ => &whole,
    };
    chosen.display().to_string()
}

/// Seconds as a number of the language.
fn seconds(us: i64) -> String {
    let (sign, us) = (if us < 0 { "-" } else { "" }, us.unsigned_abs());
    let (whole, rest) = (us / 1_000_000, us % 1_000_000);
    match rest {
        0 => format!("{sign}{whole}"),
        _ => format!(
            "{sign}{whole}.{}",
            format!("{rest:06}").trim_end_matches('0')
        ),
    }
}

/// Code evaluated in a configuration.
struct Evaluation<'c> {
    configuration: &'c Configuration,
    session: Session,
}

impl Evaluation<'_> {
    /// The values of all forms of a text, as text.
    fn all(&mut self, text: &str) -> Result<Vec<String>, String> {
        let code = Code {
            file: "replay --test",
            text,
            namespace: None,
            is_file: false,
        };
        let mut values = Vec::new();
        let mut note = |value: &str, _: &str| values.push(value.to_owned());
        let evaluated = self
            .configuration
            .evaluate(&mut self.session, &code, None, &mut note);
        match evaluated {
            Ok(()) => Ok(values),
            Err(Failure::Thrown { text, .. }) => Err(text),
            Err(Failure::NoNamespace(name)) => Err(format!("there is no namespace {name}")),
        }
    }

    /// For each tap its name and what reached it, a line each.
    fn taps(&mut self) -> Result<Vec<String>, String> {
        let counts = self.all("(clojure.string/join \" \" (map (comp count val) reached))")?;
        let counts = counts.concat();
        let counts = counts.trim_matches('"').split(' ');
        let counts: Vec<usize> = counts.filter_map(|count| count.parse().ok()).collect();
        let mut taps = Vec::new();
        for (tap, count) in counts.into_iter().enumerate() {
            let items =
                (0..count).map(|at| format!("(form (nth (val (nth reached {tap})) {at}))\n"));
            let name = self.all(&format!("(form (key (nth reached {tap})))"))?;
            let items = self.all(&items.collect::<String>())?;
            taps.push(format!(
                "{}\n            [{}]",
                name.concat(),
                items.join("\n             ")
            ));
        }
        Ok(taps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_as_exact_as_they_came() {
        let all = [0, 1, -250_000, 1_795_216_445_250_001].map(seconds);
        assert_eq!(all, ["0", "0.000001", "-0.25", "1795216445.250001"]);
    }

    #[test]
    fn a_configuration_in_the_same_folder_goes_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("rules.config"), "").unwrap();
        let rules = path("rules.config").display().to_string();
        assert_eq!(included(&path("test.config"), &rules), "rules.config");
        let whole = path("rules.config").canonicalize().unwrap();
        let other = included(Path::new("/test.config"), &rules);
        assert_eq!(Path::new(&other), whole);
    }
}
