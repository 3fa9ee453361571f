//! `cauchy replay`: gives the messages of a journal to another configuration.

mod host;
mod test_file;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clock::{Clock, VirtualClock};
use codec::iso8601;
use codec::riemann::decode_msg;
use config::{Configuration, Effect, Effects, Kept, Mode, Settings, Text};
use event::{Time, Views};
use journal::{Id, Journal, Reader, Start};
use parking_lot::Mutex;
use serde_json::json;

use crate::cli;
use crate::host::Machine;
use crate::ingest::record;
use crate::source::Source;
use crate::start;

/// The name under which a replay reads. Nothing of it stays.
const READER: &str = "cauchy-replay";

/// Messages that are taken at once.
const RECORDS_PER_BATCH: usize = 1024;

/// How often the progress is told.
const PROGRESS: Duration = Duration::from_secs(1);

/// How long queues of the configuration may work off what they have at the end.
const GRACE: Duration = Duration::from_secs(10);

/// Which messages.
struct Span {
    from_us: i64,
    /// Not with it.
    to_us: i64,
}

/// What has happened so far.
#[derive(Default)]
struct Done {
    messages: u64,
    events: u64,
    failed: u64,
}

/// Replays, and prints.
///
/// # Errors
/// One line: what is wrong with the configuration, the journal or a time.
pub fn run(replay: &cli::Replay) -> Result<(), String> {
    let span = Span {
        from_us: time(replay.from.as_deref(), i64::MIN)?,
        to_us: time(replay.to.as_deref(), i64::MAX)?,
    };
    if replay
        .speed
        .is_some_and(|speed| speed.is_nan() || speed <= 0.0)
    {
        return Err("--speed must be more than 0".to_owned());
    }
    let source = Source::find(Some(&replay.config))?;
    let dir = folder(replay, &source)?;
    let failed = |error| format!("{}: {error}", dir.display());
    let journal = Journal::view(&dir).map_err(failed)?;
    let (reader, first) = find_first(&journal, &span).map_err(failed)?;
    let Some(first) = first else {
        eprintln!("no message of that time in {}", dir.display());
        return Ok(());
    };
    let clock = Arc::new(VirtualClock::new());
    clock.set(Time::exact(first.us));
    if let Some(file) = &replay.test {
        let sent = test_file::collect(reader, &span).map_err(failed)??;
        let told = Arc::new(Mutex::new(None));
        let first_told = told.clone();
        let note = Arc::new(move |effect: Effect| {
            first_told.lock().get_or_insert(effect.sink);
        });
        let configuration = load(&source, &clock, Mode::Test, note)?;
        test_file::write(file, &source, &configuration, &sent)?;
        if let Some(sink) = told.lock().take() {
            eprintln!("{sink} is told something in tests, too: put it into (io …)");
        }
        return Ok(());
    }
    let configuration = load(&source, &clock, Mode::Run, effects(clock.clone()))?;
    configuration.install().map_err(|problem| problem.text)?;
    let pace = replay.speed.map(|speed| (Instant::now(), first.us, speed));
    let done = feed(&configuration, &clock, reader, &span, pace).map_err(failed)?;
    if span.to_us < i64::MAX {
        configuration.advance(&clock, Time::exact(span.to_us));
    }
    configuration.retire(GRACE);
    eprintln!(
        "{} messages, {} events, {} failed",
        done.messages, done.events, done.failed
    );
    Ok(())
}

/// The journal's folder.
fn folder(replay: &cli::Replay, source: &Source) -> Result<PathBuf, String> {
    if let Some(dir) = &replay.journal {
        return Ok(dir.clone());
    }
    let loaded = start::load(source, Mode::Check, &[]);
    let configuration = loaded.map_err(|problems| start::all(&problems))?;
    let spec = configuration.journal();
    spec.map(|spec| spec.dir)
        .ok_or_else(|| "the configuration has no (journal …): say --journal DIR".to_owned())
}

/// A reader at the first message of the span, and when that was received.
fn find_first(journal: &Journal, span: &Span) -> journal::Result<(Reader, Option<Time>)> {
    let before = match span.from_us {
        i64::MIN => Id(journal.first()?.0.saturating_sub(1)),
        from_us => journal.last_before(from_us)?,
    };
    let mut reader = journal.subscribe_passing(READER, Start::After(before))?;
    loop {
        let batch = reader.next_batch(RECORDS_PER_BATCH)?;
        if batch.is_empty() {
            return Ok((reader, None));
        }
        let received = batch.iter().find_map(|(id, bytes)| {
            let (received, _) = record::read(bytes)?;
            (received.us >= span.from_us).then_some((id, received))
        });
        if let Some((id, received)) = received {
            reader.seek(id.previous());
            return Ok((reader, (received.us < span.to_us).then_some(received)));
        }
    }
}

fn load(
    source: &Source,
    clock: &Arc<VirtualClock>,
    mode: Mode,
    effects: Effects,
) -> Result<Arc<Configuration>, String> {
    let stage = host::Stage {
        machine: Machine::new(source.search()),
        clock: clock.clone(),
        effects: effects.clone(),
    };
    let settings = Settings {
        mode,
        host: Arc::new(stage),
        clock: clock.clone(),
        kept: Kept {
            effects: Some(effects),
            ..Kept::default()
        },
        wire: None,
        telemetry: None,
    };
    let name = source.name();
    let loaded = config::load(&Text::Path(&name), settings);
    loaded
        .map(Arc::new)
        .map_err(|problems| start::all(&problems))
}

/// Prints effects, each with its time.
fn effects(clock: Arc<VirtualClock>) -> Effects {
    Arc::new(move |effect: Effect| {
        let Effect {
            sink,
            action,
            to,
            body,
        } = effect;
        let time = iso8601::Utc(clock.now()).to_string();
        let line = json!({"time": time, "sink": sink, "action": action, "to": to, "body": body});
        // Who reads may have seen enough.
        let _ = writeln!(io::stdout().lock(), "{line}");
    })
}

fn feed(
    configuration: &Configuration,
    clock: &VirtualClock,
    reader: Reader,
    span: &Span,
    pace: Option<(Instant, i64, f64)>,
) -> journal::Result<Done> {
    let mut reader = reader;
    let (mut done, mut told) = (Done::default(), Instant::now());
    let mut spare = Views::new();
    loop {
        let batch = reader.next_batch(RECORDS_PER_BATCH)?;
        if batch.is_empty() {
            return Ok(done);
        }
        let mut views = spare.recycle();
        for (id, bytes) in batch.iter() {
            let Some((received, messages)) = record::read(bytes) else {
                eprintln!("record {id} is of a kind that this program does not know");
                continue;
            };
            if received.us >= span.to_us {
                return Ok(done);
            }
            wait(pace, received.us);
            configuration.advance(clock, Time::exact(received.us));
            for message in messages {
                done.messages += 1;
                if let Err(error) = decode_msg(message, received, &mut views) {
                    eprintln!("a message of record {id} is none: {error}");
                }
            }
            configuration.stream_views(&views, |_, _| done.failed += 1);
            done.events += views.len() as u64;
            views = views.recycle();
        }
        spare = views.recycle();
        for damage in reader.take_damages() {
            eprintln!("{damage}");
        }
        if told.elapsed() >= PROGRESS && io::stderr().is_terminal() {
            told = Instant::now();
            let at = iso8601::Utc(clock.now());
            eprintln!("{at}: {} messages, {} events", done.messages, done.events);
        }
    }
}

/// Waits until a message is due.
fn wait(pace: Option<(Instant, i64, f64)>, received_us: i64) {
    let Some((started, first_us, speed)) = pace else {
        return;
    };
    let after_us = received_us.saturating_sub(first_us).max(0);
    let due = Duration::from_secs_f64(after_us as f64 / 1e6 / speed);
    thread::sleep(due.saturating_sub(started.elapsed()));
}

/// Microseconds since 1970.
fn time(text: Option<&str>, otherwise: i64) -> Result<i64, String> {
    let Some(text) = text else {
        return Ok(otherwise);
    };
    if let Ok(seconds) = text.parse::<f64>() {
        return Ok((seconds * 1e6) as i64);
    }
    let time = iso8601::parse(text);
    time.map(|time| time.us).ok_or_else(|| {
        format!("{text:?} is no time: write it as 2026-11-21T06:00:00Z, or in seconds since 1970")
    })
}
