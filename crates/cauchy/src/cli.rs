//! Flags and commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::history_query::HistoryCommand;
use crate::journal_command::JournalCommand;
use crate::store_cli::StoreCommand;

/// Watches systems: events through streams that you write, an index of the latest, a page.
#[derive(Parser)]
#[command(
    name = "cauchy",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  cauchy                                  start with ./riemann.config, else /etc/cauchy/riemann.config,
                                          else the built-in configuration
  cauchy start my.config                  start with this one
  cauchy check my.config                  say what is wrong with it; opens nothing
  cauchy test my.config                   run the tests in it
  cauchy eval -e '(map inc [1 2 3])'      print what that is
  cauchy repl --connect 127.0.0.1:5557    a prompt in a running server
  cauchy send --service disk --metric 0.9 --state warning
  cauchy query 'state = \"critical\"'
  cauchy tail 'service =~ \"api %\"'
  cauchy history 'service = \"api latency\"' --from -1d --show quantile:0.99,count

Signals: HUP reads the configuration again (a broken one changes nothing), TERM and INT stop cleanly."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,

    #[command(flatten)]
    pub start: Start,
}

#[derive(Subcommand)]
pub enum Command {
    /// Start the server (the default)
    Start(Start),
    /// Load a configuration, open nothing, and say what it would start
    Check(Check),
    /// Run the tests of configurations, or of files of clojure.test tests
    Test(Test),
    /// Evaluate code and print the value of its last form
    Eval(Eval),
    /// Evaluate code at a prompt
    Repl(Repl),
    /// Send an event from flags, or JSON lines from standard input
    Send(Send),
    /// Send events as fast as asked, and report rates and round trips
    Load(Box<crate::load::Flags>),
    /// Take messages from the network through a queue into a store
    Pipe(Box<crate::pipe::Flags>),
    /// Give a journal's messages to another configuration, and print what it would do
    Replay(Replay),
    /// Print the events of the index that match a query
    Query(Query),
    /// Print matching events as they come
    Tail(Tail),
    /// Look into a journal, and move its subscribers
    Journal(JournalCommand),
    /// Ask history, and plot and print the answer
    History(Box<HistoryCommand>),
    /// Look into history, check it, copy it, go back
    Store(StoreCommand),
    /// Print the version
    Version,
    /// Print a shell's completions
    #[command(after_help = "Example: cauchy completions bash > /etc/bash_completion.d/cauchy")]
    Completions { shell: Shell },
}

#[derive(Args)]
pub struct Start {
    /// The configuration: a file, or a folder of .clj and .config files
    pub config: Option<PathBuf>,

    #[command(flatten)]
    pub log: Log,
}

#[derive(Args, Clone)]
pub struct Log {
    /// How the log is written
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,

    /// What is logged: error, warn, info, debug, trace, or a filter like `info,transport=debug`
    #[arg(long, env = "CAUCHY_LOG", default_value = "info")]
    pub log_level: String,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Args)]
#[command(after_help = "\
Loads the configuration and opens nothing. Tells of every error that it finds: what cannot be read,
names that are not known, calls that are certain to fail, and what throws while it loads. Each
comes with its place, the line, and what to do. Warns of what works and does nothing: names that
are bound or defined and never used, streams without children, conditions that no event can meet,
options that are misspelt, definitions that hide others.
Exit status: 0 if it loads, with warnings or without; 1 if it does not; 2 if there is no such file.

Examples:
  cauchy check /etc/riemann/riemann.config
  cauchy check --json riemann.config    for editors")]
pub struct Check {
    /// The configuration; what `start` would take if none is given
    pub config: Option<PathBuf>,

    /// Answer as one JSON object: streams, services, index, errors, warnings
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "\
A configuration is loaded with a clock of its own, at 0, and every server closed; then each
`deftest` in a `(tests …)` runs. Any other .clj file is loaded as it is, and its tests run.
Exit status: 0 if all pass, 1 if any fails or something does not load.

Examples:
  cauchy test --path src --path test test/mycorp/*_test.clj
  cauchy test --exclude integration --only mycorp.disk-test/fills-up test/mycorp/*_test.clj")]
pub struct Test {
    /// Configurations or files of tests; what `start` would take if none is given
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Also look here for namespaces; may be given many times
    #[arg(long = "path", value_name = "DIR")]
    pub search: Vec<PathBuf>,

    /// Run only the tests of this name
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,

    /// Run only tests with this keyword in their metadata or their namespace's, as in
    /// `(deftest ^:slow …)`; may be given many times
    #[arg(long, value_name = "KEYWORD")]
    pub include: Vec<String>,

    /// Run no tests with this keyword; may be given many times
    #[arg(long, value_name = "KEYWORD")]
    pub exclude: Vec<String>,

    /// Also write the results to a file, as JUnit does
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "\
Code is evaluated in the namespace `user`, which sees all that a configuration sees; nothing is opened.
Exit status: 0, or 1 if something is thrown.

Examples:
  cauchy eval -e '(map inc [1 2 3])'
  cauchy eval -e '(riemann.query/ast \"state = \\\"ok\\\"\")'
  cauchy eval --path src script.clj")]
pub struct Eval {
    /// Also look here for namespaces; may be given many times
    #[arg(long = "path", value_name = "DIR")]
    pub search: Vec<PathBuf>,

    /// Code to evaluate
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "EXPR",
        allow_hyphen_values = true,
        required_unless_present = "file",
        conflicts_with = "file"
    )]
    pub code: Option<String>,

    /// A file to evaluate
    pub file: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "\
Tab completes names, (doc NAME) tells what one means, Ctrl-D ends. Lines are kept in ~/.cauchy_history.

Examples:
  cauchy repl
  cauchy repl --connect 127.0.0.1:5557")]
pub struct Repl {
    /// Also look here for namespaces; may be given many times
    #[arg(long = "path", value_name = "DIR", conflicts_with = "connect")]
    pub search: Vec<PathBuf>,

    /// Evaluate in a running server, over nREPL
    #[arg(long, value_name = "HOST:PORT")]
    pub connect: Option<String>,
}

#[derive(Args)]
#[command(after_help = "\
Reads a journal that lies in front of streams, beside the server that writes it or without one.
Time is that at which each message was received; it goes as fast as the machine, or at --speed.
No port is opened and nothing leaves: what sinks, clients, HTTP requests and files would be told is
printed, a JSON object a line: time, sink, action, to, body. What the configuration prints or logs,
and the progress, go to standard error.
A time is ISO 8601 in UTC, or seconds since 1970. How long messages are kept says :retention.

Examples:
  cauchy replay new.config                      what these rules make of all that is kept
  cauchy replay --from 2026-11-20T22:00:00Z --to 2026-11-21T06:00:00Z new.config | jq -r .sink
  cauchy replay --journal /var/lib/cauchy/ingest --speed 60 new.config
  cauchy replay --from 2026-11-20T23:10:00Z --test outage_test.config new.config")]
pub struct Replay {
    /// The configuration that is tried
    pub config: PathBuf,

    /// The journal's folder; that of the configuration's `(journal …)` if not given
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,

    /// From this time on
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,

    /// Before this time
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,

    /// So many times as fast as it was
    #[arg(long, value_name = "FACTOR")]
    pub speed: Option<f64>,

    /// Write a test for `cauchy test` instead: the events, and what reached the taps
    #[arg(long, value_name = "FILE", conflicts_with = "speed")]
    pub test: Option<PathBuf>,
}

/// Where a server is.
#[derive(Args)]
pub struct Server {
    /// The server's host
    #[arg(
        id = "server",
        long = "server",
        short = 's',
        value_name = "HOST",
        env = "CAUCHY_SERVER",
        default_value = "127.0.0.1"
    )]
    pub host: String,

    /// Its port
    #[arg(long, short = 'p')]
    pub port: Option<u16>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  cauchy send --service 'api latency' --metric 0.25 --tag api --ttl 30
  cauchy send --service deploy --attr version=1.4.2 --udp
  tail -f events.jsonl | cauchy send
A JSON line is an event: {\"service\": \"disk /\", \"metric\": 0.9, \"tags\": [\"db\"], \"rack\": \"a1\"}")]
pub struct Send {
    #[command(flatten)]
    pub server: Server,

    /// The event's host; this machine's name if none is given
    #[arg(long)]
    pub host: Option<String>,
    #[arg(long)]
    pub service: Option<String>,
    #[arg(long)]
    pub state: Option<String>,
    #[arg(long)]
    pub description: Option<String>,
    /// A number: 3 stays an integer, 3.0 a float
    #[arg(long, allow_hyphen_values = true)]
    pub metric: Option<String>,
    /// A tag; may be given many times
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// Seconds to live
    #[arg(long)]
    pub ttl: Option<f32>,
    /// Seconds since 1970, or ISO 8601; now if none is given
    #[arg(long)]
    pub time: Option<String>,
    /// NAME=VALUE; may be given many times
    #[arg(long = "attr", value_name = "NAME=VALUE")]
    pub attrs: Vec<String>,
    /// Send over UDP, without an answer
    #[arg(long)]
    pub udp: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  cauchy query true
  cauchy query 'host = \"db1\" and metric > 0.9'
  cauchy query --json 'tagged \"api\"' | jq .service")]
pub struct Query {
    #[command(flatten)]
    pub server: Server,

    /// A query in Riemann's language
    pub query: String,

    /// One JSON object a line instead of a table
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Example: cauchy tail 'state != \"ok\"'")]
pub struct Tail {
    #[command(flatten)]
    pub server: Server,

    /// A query in Riemann's language
    #[arg(default_value = "true")]
    pub query: String,

    /// The channel to follow; `index` also prints what the index holds now
    #[arg(long, default_value = "index")]
    pub channel: String,

    /// One JSON object a line
    #[arg(long)]
    pub json: bool,
}
