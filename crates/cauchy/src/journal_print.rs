//! What `cauchy journal` prints.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::journal::{Compression, Error, Id, Journal, Mode, Repaired, Start, Verified};
use serde_json::{Value, json};

use crate::journal_command::Format;
use crate::journal_waiting;

/// How many records are fetched at once.
const BATCH: usize = 1000;

/// How long a reader that has caught up waits before it looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Prints what a journal holds.
pub fn info(journal: &Journal, json: bool) -> Result<(), String> {
    let stats = journal.stats().map_err(text)?;
    let settings = journal.settings();
    let compression = match settings.compression {
        Compression::None => "none",
        Compression::Lz4 => "lz4",
    };
    let processes = match settings.mode {
        Mode::SingleProcess => "one",
        Mode::MultiProcess => "several",
    };
    let records = (stats.last.0 + 1).saturating_sub(stats.first.0);
    if json {
        return line(&json!({
            "first": stats.first.0,
            "last": stats.last.0,
            "records": records,
            "payload_bytes": stats.payload_bytes,
            "disk_bytes": stats.disk_bytes,
            "segments": stats.segments,
            "segment_bytes": settings.segment_bytes,
            "buffered": stats.buffered,
            "oldest_us": stats.oldest_us,
            "compression": compression,
            "processes": processes,
            "subscribers": stats.subscribers.len(),
        }));
    }
    let oldest = stats.oldest_us.map_or_else(|| "-".to_owned(), age);
    let rows = [
        (
            "records",
            format!("{records}, {} to {}", stats.first, stats.last),
        ),
        ("in the buffer", stats.buffered.to_string()),
        ("oldest", oldest),
        (
            "segments",
            format!("{} of {}", stats.segments, bytes(settings.segment_bytes)),
        ),
        ("on the disk", bytes(stats.disk_bytes)),
        ("ever appended", bytes(stats.payload_bytes)),
        ("compression", compression.to_owned()),
        ("processes", processes.to_owned()),
        ("subscribers", stats.subscribers.len().to_string()),
    ];
    let mut out = io::stdout().lock();
    for (name, value) in rows {
        writeln!(out, "{name:15}{value}").map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Prints who reads a journal.
pub fn subscribers(journal: &Journal, json: bool) -> Result<(), String> {
    let stats = journal.stats().map_err(text)?;
    if json {
        let rows = stats.subscribers.iter().map(|subscriber| {
            json!({
                "name": subscriber.name,
                "checkpoint": subscriber.checkpoint.0,
                "records": subscriber.records,
                "bytes": subscriber.bytes,
                "oldest_us": subscriber.oldest_us,
                "dropped": subscriber.dropped,
            })
        });
        return line(&Value::Array(rows.collect()));
    }
    let mut out = io::stdout().lock();
    let head = ["checkpoint", "unread", "bytes", "oldest", "dropped"];
    let [checkpoint, unread, size, oldest, dropped] = head;
    writeln!(
        out,
        "{checkpoint:>12} {unread:>10} {size:>10} {oldest:>10} {dropped:>8}  subscriber"
    )
    .map_err(|error| error.to_string())?;
    for subscriber in &stats.subscribers {
        let oldest = subscriber.oldest_us.map_or_else(|| "-".to_owned(), age);
        writeln!(
            out,
            "{:>12} {:>10} {:>10} {oldest:>10} {:>8}  {}",
            subscriber.checkpoint.0,
            subscriber.records,
            bytes(subscriber.bytes),
            subscriber.dropped,
            subscriber.name
        )
        .map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Prints the records after one. With `follow` it ends only when nobody listens any more.
pub fn records(
    journal: &Journal,
    after: Id,
    count: usize,
    format: Format,
    follow: bool,
) -> Result<(), String> {
    let mut reader = journal
        .subscribe_passing("cauchy journal", Start::Begin)
        .map_err(text)?;
    reader.seek(after);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut left = count;
    while left > 0 {
        let batch = reader.next_batch(left.min(BATCH)).map_err(text)?;
        left -= batch.len();
        let is_empty = batch.is_empty();
        for (id, bytes) in batch.iter() {
            if let Err(error) = record(&mut out, id, bytes, format) {
                return ended(&error);
            }
        }
        for damage in reader.take_damages() {
            eprintln!("cauchy: {damage}");
        }
        if is_empty {
            if let Err(error) = out.flush() {
                return ended(&error);
            }
            if !follow {
                break;
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }
    out.flush().or_else(|error| ended(&error))
}

/// Whoever reads what is printed may stop at any time.
fn ended(error: &io::Error) -> Result<(), String> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error.to_string()),
    }
}

fn record(out: &mut impl Write, id: Id, bytes: &[u8], format: Format) -> io::Result<()> {
    match format {
        Format::Text if let Some(told) = journal_waiting::told(bytes) => {
            writeln!(out, "{id}\t{}", Value::Object(told))
        }
        Format::Json if let Some(mut told) = journal_waiting::told(bytes) => {
            told.insert("id".into(), id.0.into());
            writeln!(out, "{}", Value::Object(told))
        }
        Format::Text => {
            let text = String::from_utf8_lossy(bytes);
            writeln!(out, "{id}\t{}", escaped(&text))
        }
        Format::Hex => writeln!(out, "{id}\t{}", hex(bytes)),
        Format::Json => match std::str::from_utf8(bytes) {
            Ok(text) => writeln!(out, "{}", json!({"id": id.0, "text": text})),
            Err(_) => writeln!(out, "{}", json!({"id": id.0, "hex": hex(bytes)})),
        },
        Format::Raw => {
            out.write_all(bytes)?;
            out.write_all(b"\n")
        }
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() {
            escaped.extend(char.escape_default());
        } else {
            escaped.push(char);
        }
    }
    escaped
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Prints what is in the files, and what is damaged.
pub fn verified(verified: &Verified, json: bool) -> Result<(), String> {
    if json {
        let damages = verified.damages.iter().map(|damage| {
            json!({
                "segment": damage.segment.0,
                "offset": damage.offset,
                "bytes": damage.bytes,
                "first": damage.first.0,
                "records": damage.records,
            })
        });
        return line(&json!({
            "segments": verified.segments,
            "blocks": verified.blocks,
            "records": verified.records,
            "bytes": verified.bytes,
            "damages": damages.collect::<Vec<_>>(),
        }));
    }
    println!(
        "{} good records of {} in {} blocks of {} segments",
        verified.records,
        bytes(verified.bytes),
        verified.blocks,
        verified.segments
    );
    for damage in &verified.damages {
        println!("{damage}");
    }
    Ok(())
}

/// Prints what was mended.
pub fn repaired(repaired: &Repaired) -> Result<(), String> {
    if repaired.settings {
        println!("the settings were made anew: one process, compression as in the segments");
    }
    if let Some(aside) = &repaired.subscribers {
        println!("the subscribers could not be read: the file is now {aside}; add them again");
    }
    if repaired.is_healthy() {
        println!("nothing was to be mended");
    }
    verified(&repaired.verified, false)
}

fn line(value: &Value) -> Result<(), String> {
    let written = writeln!(io::stdout(), "{value}");
    written.or_else(|error| ended(&error))
}

fn text(error: Error) -> String {
    error.to_string()
}

/// Bytes as people read them.
fn bytes(count: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut size = count as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{count} B")
    } else {
        format!("{size:.1} {}", units[unit])
    }
}

/// How long ago a time was; `-` if the journal was not told the time.
fn age(time_us: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_us = now.map_or(0, |now| i64::try_from(now.as_micros()).unwrap_or(i64::MAX));
    if time_us == 0 {
        return "-".to_owned();
    }
    let age_s = now_us.saturating_sub(time_us) / 1_000_000;
    match age_s {
        ..120 => format!("{age_s} s"),
        120..7200 => format!("{} min", age_s / 60),
        7200..172_800 => format!("{} h", age_s / 3600),
        _ => format!("{} d", age_s / 86_400),
    }
}
