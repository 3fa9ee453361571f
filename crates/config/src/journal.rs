//! `journal`: what a configuration says of the journal in front of its streams. The program opens
//! it.

use std::path::PathBuf;

use clj::{Cx, Map, Native, Result, Value};

use crate::given::{self, Durability, dir, known, seconds, unfit, value, wrong};
use crate::state::State;

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
        durability: given::durability("journal", options, Durability::Os, INTERVAL_MS)?,
        is_compressed: match value(options, "compression").to_text().as_str() {
            "" | ":none" => false,
            ":lz4" => true,
            _ => {
                return Err(unfit(
                    "journal",
                    "compression",
                    ":none or :lz4",
                    &value(options, "compression"),
                ));
            }
        },
        bytes_max: retention.0,
        age_max_us: retention.1,
        rewind_us: seconds("journal", options, "rewind")?.unwrap_or_default(),
    })
}

/// Bytes, and microseconds.
fn retention(options: &Map) -> Result<(Option<u64>, Option<i64>)> {
    let given = value(options, "retention");
    let retention = match &given {
        Value::Nil => return Ok((None, None)),
        Value::Map(retention) => retention,
        _ => {
            return Err(unfit(
                "journal",
                "retention",
                "a map of :bytes and :age",
                &given,
            ));
        }
    };
    known("journal", retention, &["bytes", "age"])?;
    let bytes = match value(retention, "bytes") {
        Value::Nil => None,
        Value::Int(bytes) if bytes > 0 => u64::try_from(bytes).ok(),
        other => return Err(unfit("journal", "bytes", "a whole number", &other)),
    };
    Ok((bytes, seconds("journal", retention, "age")?))
}
