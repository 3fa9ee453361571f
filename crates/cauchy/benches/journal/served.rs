//! The server with a journal in front of its streams, against one without.

use std::net::TcpStream;
use std::process::Command;

use tempfile::TempDir;

use crate::client::Sent;
use crate::recorded::record;
use crate::server::process::cpu_time;
use crate::server::{PATIENCE, Server, program};
use crate::{Size, folder, median};

type Row = (&'static str, fn(&str, &Size));

pub const ROWS: [Row; 2] = [
    ("server, messages of 100 events", bulk),
    ("server, messages of one event", singles),
];

fn bulk(name: &str, size: &Size) {
    with_and_without(name, &Sent::bulk(), size);
}

fn singles(name: &str, size: &Size) {
    with_and_without(name, &Sent::singles(), size);
}

/// An index and nothing else: what a journal costs is seen best beside little work.
const CONFIG: &str = "
(tcp-server {:port 0})
(periodically-expire 1)
(let [index (index)] (streams (default :ttl 60 index)))";

/// A server and a connection to it.
struct Served {
    server: Server,
    stream: TcpStream,
    /// Of the journal; it goes with the server.
    _folder: TempDir,
}

impl Served {
    fn start(journal: bool) -> Served {
        let folder = folder();
        let mut config = CONFIG.to_owned();
        if journal {
            let dir = folder.path().join("ingest");
            config = format!("(journal \"ingest\" {{:dir {dir:?}}})\n{config}");
        }
        let other = std::env::var_os("CAUCHY_PROGRAM").map(Command::new);
        let server = Server::start_with(&config, other.unwrap_or_else(program));
        let stream = TcpStream::connect(server.address("tcp")).expect("it takes a connection");
        stream.set_nodelay(true).expect("a socket takes options");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a socket takes options");
        Served {
            server,
            stream,
            _folder: folder,
        }
    }

    /// Events in a microsecond of the server's processor time.
    fn run(&mut self, sent: &Sent, size: &Size) -> f64 {
        let cpu = cpu_time(self.server.pid());
        let messages = sent.send(&mut self.stream, size.length);
        let cpu = cpu_time(self.server.pid()) - cpu;
        (messages * sent.events_per_message) as f64 / cpu.as_micros().max(1) as f64
    }
}

/// Prints M events/s of processor time of both, and the ratio.
fn with_and_without(name: &str, sent: &Sent, size: &Size) {
    let (mut with, mut without) = (Served::start(true), Served::start(false));
    with.run(sent, size);
    without.run(sent, size);
    let rounds: Vec<(f64, f64)> = (0..size.rounds)
        .map(|_| (with.run(sent, size), without.run(sent, size)))
        .collect();
    let journal = median(rounds.iter().map(|round| round.0));
    let bare = median(rounds.iter().map(|round| round.1));
    let ratio = median(rounds.iter().map(|round| round.0 / round.1));
    println!(
        "{name:34} journal {journal:7.2}  none {bare:7.2}  ratio {ratio:5.2}  M events/s of cpu"
    );
    record(&format!("{name}, ratio"), ratio);
}
