//! `cauchy pipe`: messages from the network through a queue into a store.

mod metrics;
pub mod open;
pub mod running;

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::journal::Journal;
use ::pipe::spec::{QueueSpec, SourceSpec, StoreSpec};
use ::pipe::words::{Words, host_port};
use ::pipe::{Figures, Monitor, PipeError, Pipeline};
use clap::Args;
use event::{Draft, Event, Time};
use sinks::pace::MachinePace;
use sinks::riemann::tcp::{Settings, TcpClient};
use sinks::socket::Address;

use crate::log;
use crate::pipelines::figures;
use crate::signals::{self, Signal};
use open::Source;
use running::Running;

/// Journals are told the time so often, and signals and the monitor's turn are looked for.
const TICK: Duration = Duration::from_millis(200);

#[derive(Args, Clone)]
#[command(after_help = "\
Takes messages at the speed they come, keeps them in a queue, and stores them at the speed the store
likes. A full queue makes the senders wait, or drops the oldest messages and counts them as lost.
What fails is tried again. Every few seconds it prints rates, depth, age of the oldest, and losses.

Sources: tcp://HOST:PORT, udp://HOST:PORT, unix:PATH
Queues:  memory, zmq, journal:DIR, redis://HOST:PORT[/DB]?key=NAME, nats://HOST:PORT/NAME
Stores:  redis://HOST:PORT[/DB]?as=set|lpush|xadd&key=NAME, journal:DIR, file:PATH (JSON lines),
         riemann://HOST:PORT (with --framing events), count (only counts)

Examples:
  cauchy pipe --framing lines --store file:messages.jsonl
  cauchy pipe --source tcp://0.0.0.0:4242 --framing fixed:100 --queue journal:/var/lib/things \\
      --store 'redis://127.0.0.1:6379?as=lpush&key=things' --metrics 127.0.0.1:4243")]
pub struct Flags {
    /// Where messages come from
    #[arg(long, default_value = "tcp://0.0.0.0:4242", value_name = "SOURCE")]
    pub source: String,

    /// Where a message ends: fixed:BYTES, length, lines, or events (Riemann's protocol)
    /// [default: fixed:100]
    #[arg(long)]
    pub framing: Option<String>,

    /// Where messages wait
    #[arg(long, default_value = "memory")]
    pub queue: String,

    /// What the queue holds at most, in bytes: 64M, 2G; 64M in memory and 16G elsewhere if not given
    #[arg(long, value_name = "BYTES")]
    pub queue_bytes: Option<String>,

    /// When the queue is full: wait (and with it the senders), or drop-oldest [default: wait]
    #[arg(long)]
    pub overflow: Option<String>,

    /// Where messages are stored
    #[arg(long)]
    pub store: String,

    /// What a message in a journal has survived: os, always, or interval:MS [default: os]
    #[arg(long)]
    pub durability: Option<String>,

    /// The pipeline's name, in figures
    #[arg(long, default_value = "pipe")]
    pub name: String,

    /// Seconds between figures on standard output; 0 for none
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    pub monitor: f64,

    /// Serve /metrics here
    #[arg(long, value_name = "HOST:PORT")]
    pub metrics: Option<String>,

    /// Send the figures as events to this Riemann or Cauchy
    #[arg(long, value_name = "HOST:PORT")]
    pub events: Option<String>,

    #[command(flatten)]
    pub log: crate::cli::Log,
}

/// Runs until a signal ends it. An error if messages were lost.
pub fn run(flags: &Flags) -> Result<(), String> {
    log::start(&flags.log)?;
    log::log_panics();
    let signals = signals::listen().map_err(|error| format!("signals: {error}"))?;
    let specs = Specs::read(flags)?;
    let framing = specs.source.framing;
    let mut journals = Vec::new();
    let told = |error| format!("--store: {error}");
    let (store, journal) = open::store(&specs.store, framing).map_err(told)?;
    journals.extend(journal);
    let pipeline = Arc::new(open_pipeline(&flags.name, &specs.queue, &mut journals)?);
    let source = Source::bind(&specs.source.place).map_err(|error| format!("--source: {error}"))?;
    let metrics = match &flags.metrics {
        Some(place) => Some(metrics::serve(place, pipeline.clone())?),
        None => None,
    };
    let teller = flags.events.as_deref().map(Teller::new).transpose()?;
    let place = source.place();
    let running = Running::start(pipeline.clone(), Arc::new(source), framing, store)?;
    tracing::info!("{}: listening on {place}", flags.name);
    if let Some(address) = metrics {
        tracing::info!("{}: metrics on http://{address}/metrics", flags.name);
    }
    let mut screen = Screen::new(flags.monitor, &pipeline);
    loop {
        match signals.recv_timeout(TICK) {
            Ok(Signal::Stop(name)) => {
                tracing::info!("{name}: stopping");
                break;
            }
            Ok(Signal::Reload) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if running.has_ended() {
            break;
        }
        tick(&journals);
        if let Some(figures) = screen.turn(&pipeline)
            && let Some(teller) = &teller
        {
            teller.tell(&flags.name, &figures);
        }
    }
    running.stop()?;
    screen.print(&pipeline);
    match pipeline.figures().lost {
        0 => Ok(()),
        lost => Err(format!("{lost} messages were lost")),
    }
}

/// What the flags ask for.
struct Specs {
    source: SourceSpec,
    queue: QueueSpec,
    store: StoreSpec,
}

impl Specs {
    fn read(flags: &Flags) -> Result<Specs, String> {
        let source = source_spec(flags).map_err(|error| format!("--source: {error}"))?;
        let durability = flags.durability.as_deref();
        let bounds = [
            ("bytes", flags.queue_bytes.as_deref()),
            ("overflow", flags.overflow.as_deref()),
        ];
        let store = journal_words(&flags.store, durability);
        let store = store.and_then(|words| StoreSpec::read(&words, source.framing));
        Ok(Specs {
            queue: queue_spec(&flags.queue, durability, &bounds)?,
            store: store.map_err(|error| format!("--store: {error}"))?,
            source,
        })
    }
}

fn source_spec(flags: &Flags) -> Result<SourceSpec, PipeError> {
    let mut words: Words = flags.source.parse()?;
    if let Some(framing) = &flags.framing {
        words.set("framing", framing)?;
    }
    SourceSpec::read(&words)
}

/// The queue that a flag names, with options that have flags of their own.
pub fn queue_spec(
    queue: &str,
    durability: Option<&str>,
    bounds: &[(&str, Option<&str>)],
) -> Result<QueueSpec, String> {
    let read = || -> Result<QueueSpec, PipeError> {
        let mut words = journal_words(queue, durability)?;
        for (name, value) in bounds {
            if let Some(value) = value {
                words.set(name, value)?;
            }
        }
        QueueSpec::read(&words)
    };
    read().map_err(|error| format!("--queue: {error}"))
}

/// Words that have the durability if they are a journal's.
fn journal_words(text: &str, durability: Option<&str>) -> Result<Words, PipeError> {
    let mut words: Words = text.parse()?;
    match durability {
        Some(durability) if words.kind() == "journal" => words.set("durability", durability)?,
        _ => {}
    }
    Ok(words)
}

/// A pipeline around the queue of a flag.
pub fn open_pipeline(
    name: &str,
    spec: &QueueSpec,
    journals: &mut Vec<Journal>,
) -> Result<Pipeline, String> {
    let (queue, journal) = open::queue(&spec.place).map_err(|error| format!("--queue: {error}"))?;
    journals.extend(journal);
    let pace = Arc::new(MachinePace::start());
    Pipeline::new(name, queue, spec.bytes_max, spec.overflow, pace)
        .map_err(|error| format!("--queue: {error}"))
}

/// Tells journals the time.
pub fn tick(journals: &[Journal]) {
    for journal in journals {
        if let Err(error) = journal.tick(open::now_us()) {
            tracing::warn!("the journal: {error}");
        }
    }
}

/// A `HOST:PORT`.
pub fn address(text: &str) -> Result<Address, String> {
    let (host, port) = host_port(text).map_err(|error| error.to_string())?;
    Ok(Address::new(host, port))
}

/// The time since 1970.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let us = since.unwrap_or_default().as_micros();
    Time::from_us(i64::try_from(us).unwrap_or(i64::MAX))
}

/// Prints the figures in turn.
struct Screen {
    monitor: Monitor,
    interval: Option<Duration>,
    due: Duration,
}

impl Screen {
    fn new(interval_s: f64, pipeline: &Pipeline) -> Screen {
        let interval = Duration::try_from_secs_f64(interval_s).ok();
        let interval = interval.filter(|interval| !interval.is_zero());
        Screen {
            monitor: Monitor::default(),
            due: pipeline.pace().now() + interval.unwrap_or_default(),
            interval,
        }
    }

    /// Prints if it is time; the figures then.
    fn turn(&mut self, pipeline: &Pipeline) -> Option<Figures> {
        let interval = self.interval?;
        let now = pipeline.pace().now();
        if now < self.due {
            return None;
        }
        self.due = now + interval;
        Some(self.print(pipeline))
    }

    fn print(&mut self, pipeline: &Pipeline) -> Figures {
        let figures = pipeline.figures();
        if self.interval.is_some() {
            let all = [(pipeline.name().to_owned(), figures)];
            let text = self.monitor.text(pipeline.pace().now(), &all);
            // Nobody reads: the pipeline goes on.
            let _ = std::io::stdout().write_all(text.as_bytes());
        }
        figures
    }
}

/// Tells the figures to a server, as events.
struct Teller {
    client: TcpClient,
    host: String,
}

impl Teller {
    fn new(place: &str) -> Result<Teller, String> {
        let settings = Settings::new(address(place)?);
        let pace = Arc::new(sinks::pace::MachinePace::start());
        Ok(Teller {
            client: TcpClient::new(settings, pace),
            host: crate::host::hostname(),
        })
    }

    /// The figures of a pipeline as events, `pipe NAME …`.
    fn events(&self, name: &str, figures: &Figures) -> Vec<Event> {
        let time = now();
        let event = |(what, metric)| {
            let draft = Draft {
                host: Some(self.host.clone().into()),
                service: Some(format!("pipe {name} {what}").into()),
                state: Some("ok".into()),
                metric: Some(metric),
                time: Some(time),
                ..Draft::default()
            };
            draft.build()
        };
        figures::rows(figures).into_iter().map(event).collect()
    }

    fn tell(&self, name: &str, figures: &Figures) {
        let events = self.events(name, figures);
        match self.client.send_events_promised(&events) {
            Ok(promise) => promise.give_up(),
            Err(error) => tracing::warn!("{name}: the figures are not told: {error}"),
        }
    }
}
