//! Options that several words of a configuration take, checked.

use std::path::PathBuf;

use clj::{Map, Result, Thrown, Value};

/// Where what outlives the server is kept if the configuration does not say.
const FOLDER: &str = "/var/lib/cauchy";

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

/// `:dir`, or the usual place of something of that name.
pub fn dir(whose: &str, options: &Map, name: &str) -> Result<PathBuf> {
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

/// `:durability` and `:ms`.
pub fn durability(
    whose: &str,
    options: &Map,
    otherwise: Durability,
    interval_ms: u64,
) -> Result<Durability> {
    let ms = match value(options, "ms") {
        Value::Nil => None,
        Value::Int(ms) if ms > 0 => u64::try_from(ms).ok(),
        other => return Err(unfit(whose, "ms", "a whole number of milliseconds", &other)),
    };
    let durability = match value(options, "durability").to_text().as_str() {
        "" => match (otherwise, ms) {
            (Durability::Interval { .. }, Some(ms)) => Durability::Interval { ms },
            _ => otherwise,
        },
        ":os" => Durability::Os,
        ":interval" => Durability::Interval {
            ms: ms.unwrap_or(interval_ms),
        },
        ":always" => Durability::Always,
        _ => {
            let given = value(options, "durability");
            return Err(unfit(
                whose,
                "durability",
                ":os, :interval or :always",
                &given,
            ));
        }
    };
    if ms.is_some() && !matches!(durability, Durability::Interval { .. }) {
        return Err(wrong(format!(
            "{whose}: :ms goes with :durability :interval"
        )));
    }
    Ok(durability)
}

/// In microseconds.
pub fn seconds(whose: &str, options: &Map, name: &str) -> Result<Option<i64>> {
    let given = value(options, name);
    match (&given, given.as_number().map(|number| number.to_f64())) {
        (Value::Nil, _) => Ok(None),
        (_, Some(seconds)) if seconds > 0.0 => Ok(Some((seconds * 1e6) as i64)),
        _ => Err(unfit(whose, name, "a number of seconds", &given)),
    }
}

pub fn known(whose: &str, options: &Map, names: &[&str]) -> Result<()> {
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

pub fn value(options: &Map, name: &str) -> Value {
    options.get_keyword(name).cloned().unwrap_or_default()
}

pub fn unfit(whose: &str, name: &str, wanted: &str, given: &Value) -> Thrown {
    let given = given.to_readable();
    wrong(format!("{whose}: :{name} must be {wanted}, not {given}"))
}

pub fn wrong(message: String) -> Thrown {
    Thrown::illegal_argument(message)
}
