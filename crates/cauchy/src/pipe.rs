//! `cauchy pipe`: messages from the network through a queue into a store.

mod metrics;
mod open;
mod words;

use open::Opened;
pub use open::{Journals, open_queue};
pub use words::{Durable, Size};

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::pipe::{Figures, Framing, Monitor, Overflow, Pipeline};
use clap::Args;
use event::{Draft, Number, Time};
use sinks::riemann::tcp::{Settings, TcpClient};
use sinks::socket::Address;

use crate::log;
use crate::signals::{self, Signal};

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
    #[arg(long, default_value = "fixed:100")]
    pub framing: Framing,

    /// Where messages wait
    #[arg(long, default_value = "memory")]
    pub queue: String,

    /// What the queue holds at most, in bytes: 64M, 2G; 64M in memory and 16G elsewhere if not given
    #[arg(long, value_name = "BYTES")]
    pub queue_bytes: Option<Size>,

    /// When the queue is full: wait (and with it the senders), or drop-oldest
    #[arg(long, default_value = "wait")]
    pub overflow: Overflow,

    /// Where messages are stored
    #[arg(long)]
    pub store: String,

    /// What a message in a journal has survived: os, always, or interval:MS
    #[arg(long, default_value = "os")]
    pub durability: Durable,

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
    let opened = open::open(flags)?;
    let pipeline = opened.pipeline.clone();
    let metrics = match &flags.metrics {
        Some(place) => Some(metrics::serve(place, pipeline.clone())?),
        None => None,
    };
    let teller = flags.events.as_deref().map(Teller::new).transpose()?;
    let journals = opened.journals.clone();
    let place = opened.source.place();
    let running = Running::start(opened, flags.framing)?;
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
        journals.tick();
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

/// A `HOST:PORT`.
pub fn address(text: &str) -> Result<Address, String> {
    let (host, port) = words::host_port(text)?;
    Ok(Address::new(host, port))
}

/// The time since 1970.
pub fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let us = since.unwrap_or_default().as_micros();
    Time::from_us(i64::try_from(us).unwrap_or(i64::MAX))
}

/// A pipeline's threads.
pub struct Running {
    pipeline: Arc<Pipeline>,
    source: JoinHandle<Result<(), ::pipe::PipeError>>,
    store: JoinHandle<()>,
}

impl Running {
    /// Starts the thread of the store, and that of the source.
    pub fn start(opened: Opened, framing: Framing) -> Result<Running, String> {
        let Opened {
            pipeline,
            mut store,
            source,
            ..
        } = opened;
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        let failed = |error| format!("cannot start a thread: {error}");
        let drained = pipeline.clone();
        let store = thread("pipe store").spawn(move || drained.drain(&mut *store));
        let store = store.map_err(failed)?;
        let fed = pipeline.clone();
        let source = thread("pipe source").spawn(move || source.run(framing, &fed));
        let source = source.map_err(failed)?;
        Ok(Running {
            pipeline,
            source,
            store,
        })
    }

    /// Whether a thread ended of its own: the source failed, or something panicked.
    fn has_ended(&self) -> bool {
        self.source.is_finished() || self.store.is_finished()
    }

    /// Ends the threads: first what comes, then what is stored.
    pub fn stop(self) -> Result<(), String> {
        self.pipeline.stop();
        let source = self.source.join();
        self.store
            .join()
            .map_err(|_| "the store's thread panicked")?;
        let source = source.map_err(|_| "the source's thread panicked")?;
        source.map_err(|error| format!("the source: {error}"))
    }
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

    fn tell(&self, name: &str, figures: &Figures) {
        let events: Vec<_> = events(name, figures, &self.host, now());
        match self.client.send_events_promised(&events) {
            Ok(promise) => promise.give_up(),
            Err(error) => tracing::warn!("{name}: the figures are not told: {error}"),
        }
    }
}

/// The figures of a pipeline as events, `pipe NAME …`.
pub fn events(name: &str, figures: &Figures, host: &str, time: Time) -> Vec<event::Event> {
    let integer = |count: u64| Number::Int(i64::try_from(count).unwrap_or(i64::MAX));
    let rows = [
        ("messages", integer(figures.came)),
        ("stored", integer(figures.stored)),
        ("lost", integer(figures.lost)),
        ("depth", integer(figures.depth)),
        ("depth bytes", integer(figures.depth_bytes)),
        ("oldest", Number::F64(figures.oldest.as_secs_f64())),
        ("failures", integer(figures.failures)),
    ];
    let event = |(what, metric)| {
        Draft {
            host: Some(host.into()),
            service: Some(format!("pipe {name} {what}").into()),
            state: Some("ok".into()),
            metric: Some(metric),
            time: Some(time),
            ..Draft::default()
        }
        .build()
    };
    rows.into_iter().map(event).collect()
}
