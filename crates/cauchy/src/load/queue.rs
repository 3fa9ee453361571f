//! `cauchy load queue`: a queue alone, without network and store.

use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use load::Streamed;
use pipe::limits::BATCH_BYTES;
use pipe::store::CountStore;
use pipe::{Batch, Pipeline};

use crate::pipe::{open_pipeline, queue_spec, tick};
use crate::telemetry::cpu_s;

#[derive(Args, Clone)]
#[command(after_help = "\
Puts messages into a queue, one after the other, takes them out on another thread, and counts them.
The exit status is 1 if they are not all there.

Examples:
  cauchy load queue
  cauchy load queue --queue journal:queue --durability always
  cauchy load queue --queue 'redis://127.0.0.1:6379?key=test' -n 1000000")]
pub struct Flags {
    /// The queue, as for `cauchy pipe`; it should be empty
    #[arg(long, short = 'q', default_value = "memory")]
    pub queue: String,

    /// Messages
    #[arg(long, short = 'n', default_value_t = 10_000_000, value_name = "N")]
    pub number: u64,

    /// Bytes of a message
    #[arg(long, short = 's', default_value_t = 100, value_name = "BYTES")]
    pub size: usize,

    /// What the queue holds at most; as for `cauchy pipe`
    #[arg(long, value_name = "BYTES")]
    pub queue_bytes: Option<String>,

    /// What a message in a journal has survived: os, always, or interval:MS [default: os]
    #[arg(long)]
    pub durability: Option<String>,
}

/// Pushes, drains, and prints the summary.
pub fn run(flags: &Flags) -> Result<(), String> {
    let bounds = [("bytes", flags.queue_bytes.as_deref())];
    let spec = queue_spec(&flags.queue, flags.durability.as_deref(), &bounds)?;
    let mut journals = Vec::new();
    let pipeline = Arc::new(open_pipeline("queue", &spec, &mut journals)?);
    let held = pipeline.figures().depth;
    if held > 0 {
        return Err(format!(
            "{} is not empty: it holds {held} messages",
            flags.queue
        ));
    }
    let (begun, cpu_before_s) = (Instant::now(), cpu_s());
    let drained = pipeline.clone();
    let store = std::thread::spawn(move || drained.drain(&mut CountStore::default()));
    push(&pipeline, flags.number, flags.size);
    let send_s = begun.elapsed().as_secs_f64();
    while pipeline.figures().depth > 0 && !store.is_finished() {
        std::thread::sleep(std::time::Duration::from_millis(1));
        tick(&journals);
    }
    let store_s = begun.elapsed().as_secs_f64();
    pipeline.stop();
    store.join().map_err(|_| "the store panicked")?;
    let streamed = Streamed {
        sent: flags.number,
        sent_bytes: flags.number * flags.size as u64,
        send_s,
        stored: Some(pipeline.figures().stored),
        store_s,
        cpu_s: cpu_s() - cpu_before_s,
    };
    print!("{}", streamed.text());
    streamed.problem().map_or(Ok(()), Err)
}

fn push(pipeline: &Pipeline, number: u64, size: usize) {
    let message = vec![b'm'; size];
    let mut batch = Batch::new();
    for _ in 0..number {
        batch.push(&message);
        if batch.bytes().len() + size > BATCH_BYTES {
            pipeline.put(&mut batch);
        }
    }
    pipeline.put(&mut batch);
}
