//! `journal`: what a configuration says of the journal in front of its streams. The program opens
//! it.

use std::path::PathBuf;

use clj::{Cx, Map, Native, Result, Thrown, Value};

use crate::state::State;

/// Where journals are kept if the configuration does not say.
const FOLDER: &str = "/var/lib/cauchy";

/// Milliseconds between syncs, if the configuration does not say: what a crash of the machine may
/// cost.
const INTERVAL_MS: u64 = 100;

const OPTIONS: [&str; 6] = [
    "dir",
    "durability",
    "ms",
    "compression",
    "retention",
    "rewind",
];

/// A journal of the configuration, its options checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalSpec {
    pub name: String,
    pub dir: PathBuf,
    pub durability: Durability,
    /// LZ4, when the journal is made.
    pub is_compressed: bool,
    /// How many bytes are kept that the streams have seen. `None` is no limit.
    pub bytes_max: Option<u64>,
    /// How long what the streams have seen is kept, in microseconds. `None` is no limit.
    pub age_max_us: Option<i64>,
    /// How much of what the streams have seen they are given again at the next start, in
    /// microseconds.
    pub rewind_us: i64,
}

impl JournalSpec {
    /// True if what the streams have seen is kept at all.
    pub fn keeps_seen(&self) -> bool {
        self.bytes_max.is_some() || self.age_max_us.is_some()
    }
}

/// What an acknowledged message survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process.
    Os,
    /// The end of the machine, but for the last milliseconds.
    Interval { ms: u64 },
    /// The end of the machine.
    Always,
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "-journal!",
        arglists: "([name options])",
        doc: "Puts a journal in front of the streams.",
        arity: (2, Some(2)),
        code: journal,
    },
    Native {
        name: "-index-options!",
        arglists: "([options])",
        doc: "Notes whether the index is to outlive the process.",
        arity: (1, Some(1)),
        code: index_options,
    },
];

fn index_options(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = match &args[0] {
        Value::Nil => return Ok(Value::Nil),
        Value::Map(options) => options,
        other => {
            let other = other.to_readable();
            return Err(wrong(format!(
                "index: its options must be a map, not {other}"
            )));
        }
    };
    known("index", options, &["persist", "dir"])?;
    if value(options, "persist").truthy() {
        let dir = dir("index", options, "index")?;
        *cx.get::<State>()?.index_dir.lock() = Some(dir);
    }
    Ok(Value::Nil)
}

/// `:dir`, or the usual place of something of that name.
fn dir(whose: &str, options: &Map, name: &str) -> Result<PathBuf> {
    match value(options, "dir") {
        Value::Nil => Ok(PathBuf::from(FOLDER).join(name)),
        Value::Str(dir) if !dir.is_empty() => Ok(PathBuf::from(dir.to_string())),
        other => {
            let other = other.to_readable();
            Err(wrong(format!(
                "{whose}: :dir must be a folder's path, not {other}"
            )))
        }
    }
}

fn journal(cx: &Cx<'_>, args: &[Value]) -> Result {
    let spec = parse(&args[0], &args[1])?;
    let mut journal = cx.get::<State>()?.journal.lock();
    if let Some(other) = &*journal {
        return Err(wrong(format!(
            "there is a journal {:?} in front of the streams already; one takes every message",
            other.name
        )));
    }
    *journal = Some(spec);
    Ok(Value::Nil)
}

/// Reads a journal's name and options.
///
/// # Errors
/// `IllegalArgumentException` for what is wrong with them.
pub fn parse(name: &Value, options: &Value) -> Result<JournalSpec> {
    let name = match name {
        Value::Str(name) if !name.is_empty() => name.to_string(),
        other => {
            return Err(wrong(format!(
                "journal: its name must be a string, not {}",
                other.to_readable()
            )));
        }
    };
    let empty = Map::default();
    let options = match options {
        Value::Nil => &empty,
        Value::Map(options) => options,
        other => {
            return Err(wrong(format!(
                "journal: its options must be a map, not {}",
                other.to_readable()
            )));
        }
    };
    known("journal", options, &OPTIONS)?;
    let retention = retention(options)?;
    Ok(JournalSpec {
        dir: dir("journal", options, &name)?,
        name,
        durability: durability(options)?,
        is_compressed: match value(options, "compression").to_text().as_str() {
            "" | ":none" => false,
            ":lz4" => true,
            _ => {
                return Err(unfit(
                    "compression",
                    ":none or :lz4",
                    &value(options, "compression"),
                ));
            }
        },
        bytes_max: retention.0,
        age_max_us: retention.1,
        rewind_us: seconds(options, "rewind")?.unwrap_or_default(),
    })
}

fn durability(options: &Map) -> Result<Durability> {
    let ms = match value(options, "ms") {
        Value::Nil => None,
        Value::Int(ms) if ms > 0 => u64::try_from(ms).ok(),
        other => return Err(unfit("ms", "a whole number of milliseconds", &other)),
    };
    let durability = match value(options, "durability").to_text().as_str() {
        "" | ":os" => Durability::Os,
        ":interval" => Durability::Interval {
            ms: ms.unwrap_or(INTERVAL_MS),
        },
        ":always" => Durability::Always,
        _ => {
            let given = value(options, "durability");
            return Err(unfit("durability", ":os, :interval or :always", &given));
        }
    };
    if ms.is_some() && !matches!(durability, Durability::Interval { .. }) {
        return Err(wrong(
            "journal: :ms goes with :durability :interval".to_owned(),
        ));
    }
    Ok(durability)
}

/// Bytes, and microseconds.
fn retention(options: &Map) -> Result<(Option<u64>, Option<i64>)> {
    let given = value(options, "retention");
    let retention = match &given {
        Value::Nil => return Ok((None, None)),
        Value::Map(retention) => retention,
        _ => return Err(unfit("retention", "a map of :bytes and :age", &given)),
    };
    known("journal", retention, &["bytes", "age"])?;
    let bytes = match value(retention, "bytes") {
        Value::Nil => None,
        Value::Int(bytes) if bytes > 0 => u64::try_from(bytes).ok(),
        other => return Err(unfit("bytes", "a whole number", &other)),
    };
    Ok((bytes, seconds(retention, "age")?))
}

/// In microseconds.
fn seconds(options: &Map, name: &str) -> Result<Option<i64>> {
    let given = value(options, name);
    match (&given, given.as_number().map(|number| number.to_f64())) {
        (Value::Nil, _) => Ok(None),
        (_, Some(seconds)) if seconds > 0.0 => Ok(Some((seconds * 1e6) as i64)),
        _ => Err(unfit(name, "a number of seconds", &given)),
    }
}

fn known(whose: &str, options: &Map, names: &[&str]) -> Result<()> {
    for (key, _) in options.iter() {
        let text = key.to_text();
        if !names.contains(&text.trim_start_matches(':')) {
            let names: Vec<String> = names.iter().map(|name| format!(":{name}")).collect();
            return Err(wrong(format!(
                "{whose}: there is no option {}; there are {}",
                key.to_readable(),
                names.join(", ")
            )));
        }
    }
    Ok(())
}

fn value(options: &Map, name: &str) -> Value {
    options.get_keyword(name).cloned().unwrap_or_default()
}

fn unfit(name: &str, wanted: &str, given: &Value) -> Thrown {
    let given = given.to_readable();
    wrong(format!("journal: :{name} must be {wanted}, not {given}"))
}

fn wrong(message: String) -> Thrown {
    Thrown::illegal_argument(message)
}
