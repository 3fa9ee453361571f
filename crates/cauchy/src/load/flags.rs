//! The flags of `cauchy load`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Args, Clone)]
#[command(after_help = "\
Sends events as fast as the window allows (closed loop), or at --rate (open loop: a round trip is
reckoned from when its message was due). Prints a line a second and a summary. Ctrl-C ends early,
with the summary. Exit status: 0 if every message was answered well, else 1.

Examples:
  cauchy load                                   one event a message, 128 messages unacknowledged
  cauchy load --events 100 --keys 1000          in bulk, a thousand keys
  cauchy load -c 200 --rate 50000 -d 60 web1    200 connections, 50 000 events/s, a minute
  cauchy load --protocol udp --rate 200000 --verify
  cauchy load --html report.html --json report.json
  cauchy load --vs 127.0.0.1:5565 --rounds 5    this server and another in turn")]
#[command(args_conflicts_with_subcommands = true)]
pub struct Flags {
    #[command(subcommand)]
    pub kind: Option<Kind>,

    /// The server, as HOST or HOST:PORT; the port is the protocol's usual one if not given
    #[arg(value_name = "HOST[:PORT]", default_value = "127.0.0.1")]
    pub server: String,

    /// What is spoken
    #[arg(long, value_enum, default_value_t = Protocol::Tcp)]
    pub protocol: Protocol,

    /// Connections
    #[arg(long, short = 'c', default_value_t = 1, value_name = "N")]
    pub connections: usize,

    /// Threads; as many as cores if not given, but not more than connections
    #[arg(long, short = 'w', value_name = "N")]
    pub workers: Option<usize>,

    /// Events in a message (tcp, tls, udp)
    #[arg(long, short = 'e', default_value_t = 1, value_name = "N")]
    pub events: usize,

    /// Messages of a connection that may be unacknowledged
    #[arg(long, default_value_t = 128, value_name = "N")]
    pub window: u64,

    /// A write for each message, instead of one for many
    #[arg(long)]
    pub no_coalesce: bool,

    /// Events a second in all; as fast as possible if not given
    #[arg(long, short = 'r', value_name = "EVENTS")]
    pub rate: Option<f64>,

    /// Seconds to measure
    #[arg(long, short = 'd', default_value_t = 10.0, value_name = "SECONDS")]
    pub duration: f64,

    /// Seconds to run before that
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS")]
    pub warm_up: f64,

    /// Different pairs of host and service
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub keys: usize,

    /// Tags of an event
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub tags: usize,

    /// Attributes of an event
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub attrs: usize,

    /// Bytes of an event's description
    #[arg(long, default_value_t = 11, value_name = "BYTES")]
    pub description: usize,

    /// An event's seconds to live
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    pub ttl: f32,

    /// Bytes of a message of fixed length
    #[arg(long, default_value_t = 100, value_name = "BYTES")]
    pub fixed_length: usize,

    #[command(flatten)]
    pub tls: Tls,

    /// Check that the server counted as many events, by its /metrics (port 5556 of its host if not
    /// given); nobody else may send meanwhile. With --vs, give it twice
    #[arg(
        long,
        value_name = "HOST:PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub verify: Vec<String>,

    /// Compare with another server: each in turn
    #[arg(long, value_name = "HOST[:PORT]", conflicts_with_all = ["csv", "html"])]
    pub vs: Option<String>,

    /// Turns of each server with --vs
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub rounds: usize,

    /// Write the seconds as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Write everything as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write a page with charts
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print only the summary
    #[arg(long, short = 'q')]
    pub quiet: bool,
}

/// Loads of other kinds.
#[derive(Subcommand, Clone)]
pub enum Kind {
    /// Send messages without answers to a `cauchy pipe`, and count what it stored
    Streamer(super::streamer::Flags),
    /// Put messages into a queue of a pipeline and take them out again
    Queue(super::queue::Flags),
}

/// Files of TLS, all PEM.
#[derive(Args, Clone)]
pub struct Tls {
    /// Whom to trust; the public authorities if not given
    #[arg(long, value_name = "FILE")]
    pub ca_cert: Option<PathBuf>,

    /// The own certificate
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,

    /// Its key, PKCS#8
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// Riemann's messages
    Tcp,
    /// The same inside TLS
    Tls,
    /// A message a datagram; nothing is acknowledged
    Udp,
    /// JSON over a websocket on /events
    Ws,
    /// Graphite's lines; nothing is acknowledged
    Graphite,
    /// Messages of a fixed length; nothing is acknowledged
    Fixed,
}
