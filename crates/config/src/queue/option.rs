//! The option `:queue`.

use std::path::PathBuf;

use clj::{Map, Result, Value};

use crate::given::{self, Durability, known, unfit, value, wrong};

/// Milliseconds between syncs, if the configuration does not say: what a crash of the machine may
/// cost.
const INTERVAL_MS: u64 = 100;

const OPTIONS: [&str; 7] = [
    "journal",
    "dir",
    "durability",
    "ms",
    "compression",
    "tries",
    "max-bytes",
];

/// A queue in a journal, its options checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSpec {
    pub name: String,
    pub dir: PathBuf,
    pub durability: Durability,
    /// LZ4, when the journal is made.
    pub is_compressed: bool,
    /// How many bytes may wait; beyond them the oldest are lost. `None` is no limit.
    pub bytes_max: Option<u64>,
    /// How often a delivery is tried before it is given up. `None` is without end.
    pub tries_max: Option<u32>,
}

impl QueueSpec {
    /// The folder of its dead letters.
    pub fn dead_dir(&self) -> PathBuf {
        let mut dir = self.dir.clone().into_os_string();
        dir.push(".dead");
        dir.into()
    }

    /// Reads what a sink's `:queue` says; `None` is a queue in memory.
    ///
    /// # Errors
    /// `IllegalArgumentException` for what is wrong with it.
    pub fn read(of: &str, queue: &Value) -> Result<Option<QueueSpec>> {
        let options = match queue {
            Value::Nil => return Ok(None),
            Value::Keyword(word) if word.name() == "memory" => return Ok(None),
            Value::Map(options) => options,
            other => {
                let wanted = ":memory, or a map such as {:journal \"name\"}";
                return Err(unfit(of, "queue", wanted, other));
            }
        };
        let whose = format!("{of}: :queue");
        known(&whose, options, &OPTIONS)?;
        let name = name(&whose, options)?;
        Ok(Some(QueueSpec {
            dir: given::dir(&whose, options, &name)?,
            name,
            durability: given::durability(&whose, options, Durability::Os, INTERVAL_MS)?,
            is_compressed: is_compressed(&whose, options)?,
            bytes_max: whole(&whose, options, "max-bytes")?,
            tries_max: whole(&whose, options, "tries")?
                .map(|tries| u32::try_from(tries).unwrap_or(u32::MAX)),
        }))
    }
}

/// The journal's name, which is also that of a folder.
fn name(whose: &str, options: &Map) -> Result<String> {
    match value(options, "journal") {
        Value::Str(name) if is_file_name(&name) => Ok(name.to_string()),
        Value::Nil => Err(wrong(format!(
            "{whose}: the option :journal is missing, the name of the journal"
        ))),
        other => Err(unfit(
            whose,
            "journal",
            "a name that a folder can have",
            &other,
        )),
    }
}

fn is_compressed(whose: &str, options: &Map) -> Result<bool> {
    let given = value(options, "compression");
    match given.to_text().as_str() {
        "" | ":none" => Ok(false),
        ":lz4" => Ok(true),
        _ => Err(unfit(whose, "compression", ":none or :lz4", &given)),
    }
}

fn is_file_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\0'])
}

fn whole(whose: &str, options: &Map, name: &str) -> Result<Option<u64>> {
    match value(options, name) {
        Value::Nil => Ok(None),
        Value::Int(number) if number > 0 => Ok(u64::try_from(number).ok()),
        other => Err(unfit(whose, name, "a whole number above 0", &other)),
    }
}
