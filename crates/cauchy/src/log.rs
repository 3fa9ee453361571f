//! The log: lines of text as Riemann writes them, or JSON, to the console and to files.

use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use config::LogRequest;
use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Registry, reload};

use crate::cli::{self, LogFormat};

/// The running log, to be changed when a configuration asks.
#[derive(Clone)]
pub struct Log {
    outputs: Arc<Mutex<Outputs>>,
    filter: reload::Handle<EnvFilter, Registry>,
    /// What the command line said.
    format: LogFormat,
    level: String,
}

struct Outputs {
    console: Option<LogFormat>,
    files: Vec<(File, LogFormat)>,
    loggers: Loggers,
}

/// Levels of the configuration's own loggers. Empty, the filter decides alone.
#[derive(Default)]
struct Loggers {
    /// By the beginning of a logger's name.
    levels: Vec<(String, LevelFilter)>,
    /// Of those that are not listed.
    root: Option<LevelFilter>,
}

impl Loggers {
    /// Whether a line is kept: the longest name that fits decides.
    fn keep(&self, logger: &str, level: Level) -> bool {
        let fits = self
            .levels
            .iter()
            .filter(|(name, _)| logger.starts_with(name.as_str()));
        let nearest = fits
            .max_by_key(|(name, _)| name.len())
            .map(|(_, level)| *level);
        nearest.or(self.root).is_none_or(|most| level <= most)
    }
}

/// Starts logging to standard error, as the command line says.
///
/// # Errors
/// One line: the filter does not parse.
pub fn start(flags: &cli::Log) -> Result<Log, String> {
    let filter = parse_filter(&flags.log_level)?;
    let (filter, handle) = reload::Layer::new(filter);
    let outputs = Outputs {
        console: Some(flags.log_format),
        files: Vec::new(),
        loggers: Loggers::default(),
    };
    let outputs = Arc::new(Mutex::new(outputs));
    let lines = Lines(outputs.clone());
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .try_init()
        .map_err(|error| format!("cannot start the log: {error}"))?;
    Ok(Log {
        outputs,
        filter: handle,
        format: flags.log_format,
        level: flags.log_level.clone(),
    })
}

fn parse_filter(text: &str) -> Result<EnvFilter, String> {
    EnvFilter::builder().parse(text).map_err(|error| {
        format!("--log-level {text}: {error}; use error, warn, info, debug, trace or TARGET=LEVEL")
    })
}

impl Log {
    /// Does what a configuration's `(logging/init …)` asks. Files are opened anew each time, so
    /// that a reload follows a rotation.
    pub fn apply(&self, request: &LogRequest) {
        let format = if request.json {
            LogFormat::Json
        } else {
            self.format
        };
        let mut files = Vec::new();
        for wanted in &request.files {
            let format = if wanted.json { LogFormat::Json } else { format };
            match open(Path::new(&wanted.path)) {
                Ok(file) => files.push((file, format)),
                Err(error) => tracing::warn!(
                    "logging/init: cannot write {}: {error}; logging to the console only",
                    wanted.path
                ),
            }
        }
        let console = request.console.unwrap_or(true) || files.is_empty();
        let mut level = request.level.clone().unwrap_or_else(|| self.level.clone());
        let loggers = loggers(&request.levels, &level);
        if !loggers.levels.is_empty() {
            level.push_str(",config=trace");
        }
        *self.outputs.lock() = Outputs {
            console: console.then_some(format),
            files,
            loggers,
        };
        if let Ok(filter) = parse_filter(&level) {
            let _ = self.filter.reload(filter);
        }
    }
}

fn loggers(levels: &[(String, String)], root: &str) -> Loggers {
    let levels: Vec<(String, LevelFilter)> = levels
        .iter()
        .filter_map(|(name, level)| Some((name.clone(), level.parse().ok()?)))
        .collect();
    let root = root.split(',').find_map(|part| part.parse().ok());
    Loggers {
        root: root.filter(|_| !levels.is_empty()),
        levels,
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

struct Lines(Arc<Mutex<Outputs>>);

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let level = event.metadata().level().as_str();
        let is_configured = fields.logger.is_some();
        let logger = fields
            .logger
            .take()
            .unwrap_or_else(|| event.metadata().target().to_owned());
        let mut outputs = self.0.lock();
        if is_configured && !outputs.loggers.keep(&logger, *event.metadata().level()) {
            return;
        }
        let (mut text, mut json) = (None, None);
        let mut line = |format: LogFormat| -> String {
            let slot = if format == LogFormat::Json {
                &mut json
            } else {
                &mut text
            };
            slot.get_or_insert_with(|| format_line(format, level, &logger, &fields))
                .clone()
        };
        if let Some(format) = outputs.console {
            let _ = io::stderr().lock().write_all(line(format).as_bytes());
        }
        for (file, format) in &mut outputs.files {
            let _ = file.write_all(line(*format).as_bytes());
        }
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    /// The namespace of the configuration that logs.
    logger: Option<String>,
    others: Vec<(&'static str, String)>,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.message),
            "logger" => self.logger = Some(value.to_owned()),
            name => self.others.push((name, value.to_owned())),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "logger" => self.logger = Some(format!("{value:?}")),
            name => self.others.push((name, format!("{value:?}"))),
        }
    }
}

/// `INFO [2026-11-21 01:02:03,004] thread - logger - message field=value`, or a JSON object.
fn format_line(format: LogFormat, level: &str, logger: &str, fields: &Fields) -> String {
    let thread = thread::current();
    let thread = thread.name().unwrap_or("-");
    if format == LogFormat::Json {
        let mut object = serde_json::Map::new();
        object.insert("@timestamp".into(), timestamp('T', '.', "Z").into());
        object.insert("level".into(), level.into());
        object.insert("logger".into(), logger.into());
        object.insert("thread".into(), thread.into());
        object.insert("message".into(), fields.message.as_str().into());
        for (name, value) in &fields.others {
            object.insert((*name).into(), value.as_str().into());
        }
        return format!("{}\n", serde_json::Value::Object(object));
    }
    let time = timestamp(' ', ',', "");
    let mut line = format!("{level} [{time}] {thread} - {logger} - {}", fields.message);
    for (name, value) in &fields.others {
        let _ = write!(line, " {name}={value}");
    }
    line.push('\n');
    line
}

/// The time now, in UTC, to the millisecond.
fn timestamp(separator: char, point: char, zone: &str) -> String {
    let age = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let seconds = libc::time_t::try_from(age.as_secs()).unwrap_or(0);
    // SAFETY: gmtime_r reads one integer and fills the struct that it is given, nothing else.
    let time = unsafe {
        let mut time: libc::tm = std::mem::zeroed();
        libc::gmtime_r(&raw const seconds, &raw mut time);
        time
    };
    format!(
        "{:04}-{:02}-{:02}{separator}{:02}:{:02}:{:02}{point}{:03}{zone}",
        time.tm_year + 1900,
        time.tm_mon + 1,
        time.tm_mday,
        time.tm_hour,
        time.tm_min,
        time.tm_sec,
        age.subsec_millis()
    )
}

/// Makes panics lines of the log too, once.
pub fn log_panics() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            tracing::error!("internal error: {panic}");
            before(panic);
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_that_fits_decides() {
        let levels = [
            ("riemann".into(), "warn".into()),
            ("riemann.graphite".into(), "debug".into()),
        ];
        let loggers = loggers(&levels, "info");
        assert!(!loggers.keep("riemann.config", Level::INFO));
        assert!(loggers.keep("riemann.graphite", Level::DEBUG));
        assert!(loggers.keep("mycorp", Level::INFO));
        assert!(!loggers.keep("mycorp", Level::DEBUG));
    }
}
