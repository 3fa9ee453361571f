//! `cauchy load streamer`: messages without answers, and whether they were stored.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use clap::Args;
use load::Streamed;
use sinks::socket::{Address, connect};

use super::verify;
use crate::telemetry::cpu_s;

/// The port of `cauchy pipe`, and of Highlander before it.
const PORT: u16 = 4242;
/// Bytes of a write that is for many messages.
const WRITE_BYTES: usize = 64 << 10;
/// How long the stored total may stand still before what is missing counts as lost.
const SETTLE: Duration = Duration::from_secs(5);
/// How often it is asked meanwhile.
const ASK_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Args, Clone)]
#[command(after_help = "\
Sends messages to a `cauchy pipe`, or anything else that takes a stream. With --verify it asks the
pipe's /metrics until all are stored; the exit status is 1 if they are not.

Examples:
  cauchy load streamer -c 5 -n 1000000 --verify=127.0.0.1:4243
  cauchy load streamer --no-coalesce web1:4242       a write for each message")]
pub struct Flags {
    /// The pipe, as HOST or HOST:PORT
    #[arg(value_name = "HOST[:PORT]", default_value = "127.0.0.1")]
    pub server: String,

    /// Senders, each with a connection and a thread
    #[arg(long, short = 'c', default_value_t = 5, value_name = "N")]
    pub clients: usize,

    /// Messages of each sender
    #[arg(long, short = 'n', default_value_t = 1_000_000, value_name = "N")]
    pub number: u64,

    /// The message; 100 bytes if not given
    #[arg(long, short = 't', value_name = "TEXT")]
    pub thing: Option<String>,

    /// End each message with a line feed, for --framing lines
    #[arg(long)]
    pub lines: bool,

    /// A write for each message, instead of one for many
    #[arg(long)]
    pub no_coalesce: bool,

    /// Check that as many were stored, by the pipe's /metrics
    #[arg(long, value_name = "HOST:PORT")]
    pub verify: Option<String>,
}

/// Sends, waits until all is stored, and prints the summary.
pub fn run(flags: &Flags) -> Result<(), String> {
    let (host, port) = flags.server.rsplit_once(':').map_or(
        Ok((flags.server.as_str(), PORT)),
        |(host, port)| {
            let told = |_| format!("{port:?} is no port");
            port.parse().map(|port| (host, port)).map_err(told)
        },
    )?;
    let server = Address::new(host, port);
    let counters = flags.verify.as_deref().map(crate::pipe::address);
    let counters = counters.transpose()?;
    let before = counters.as_ref().map(stored).transpose()?;
    let message = message(flags);
    let streams: Vec<TcpStream> = (0..flags.clients)
        .map(|_| connect(&server).map_err(|error| format!("{host}:{port}: {error}")))
        .collect::<Result<_, _>>()?;
    let (begun, cpu_before_s) = (Instant::now(), cpu_s());
    let senders: Vec<_> = streams
        .into_iter()
        .map(|stream| {
            let (message, number, coalesce) = (message.clone(), flags.number, !flags.no_coalesce);
            std::thread::spawn(move || send(stream, &message, number, coalesce))
        })
        .collect();
    for sender in senders {
        let sent = sender.join().map_err(|_| "a sender panicked")?;
        sent.map_err(|error| format!("{host}:{port}: {error}"))?;
    }
    let sent = flags.number * flags.clients as u64;
    let mut streamed = Streamed {
        sent,
        sent_bytes: sent * message.len() as u64,
        send_s: begun.elapsed().as_secs_f64(),
        cpu_s: cpu_s() - cpu_before_s,
        ..Streamed::default()
    };
    if let (Some(counters), Some(before)) = (&counters, before) {
        streamed.stored = Some(settle(counters, before, sent)?);
        streamed.store_s = begun.elapsed().as_secs_f64();
    }
    print!("{}", streamed.text());
    streamed.problem().map_or(Ok(()), Err)
}

fn message(flags: &Flags) -> Vec<u8> {
    let usual = "One message of a hundred bytes, sent again and again, so that \
                 what is counted here is only how many.";
    let mut message = flags.thing.clone().map_or_else(
        || format!("{usual:.<100.100}").into_bytes(),
        String::into_bytes,
    );
    if flags.lines {
        message.push(b'\n');
    }
    message
}

/// Sends the message so often, and closes the connection.
fn send(mut stream: TcpStream, message: &[u8], number: u64, coalesce: bool) -> std::io::Result<()> {
    // A pipe that is full makes its senders wait, however long.
    stream.set_write_timeout(None)?;
    if !coalesce {
        for _ in 0..number {
            stream.write_all(message)?;
        }
        return Ok(());
    }
    let at_once = (WRITE_BYTES / message.len().max(1)).max(1);
    let bytes = message.repeat(at_once);
    let mut left = number;
    while left > 0 {
        let count = left.min(at_once as u64);
        stream.write_all(&bytes[..message.len() * count as usize])?;
        left -= count;
    }
    Ok(())
}

/// How many messages the pipe has stored.
fn stored(server: &Address) -> Result<u64, String> {
    verify::total(server, "cauchy_pipe_stored_total")
}

/// How many were stored since `before`. Waits while more come.
fn settle(server: &Address, before: u64, sent: u64) -> Result<u64, String> {
    let (mut last, mut moved) = (stored(server)?, Instant::now());
    while last - before < sent && moved.elapsed() < SETTLE {
        std::thread::sleep(ASK_INTERVAL);
        let now = stored(server)?;
        if now != last {
            moved = Instant::now();
        }
        last = now;
    }
    Ok(last - before)
}
