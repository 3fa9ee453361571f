//! What the server tells of itself at `/api/status`.

use event::Time;
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde_json::{Value, json};

/// The state of the server at one moment.
#[derive(Clone, Debug)]
pub struct Status {
    pub version: String,
    pub hostname: String,
    pub pid: u32,
    /// The wall clock; the page reckons ages by it, not by the browser's.
    pub now: Time,
    pub started_at: Time,
    /// Seconds since `started_at`, by a clock that is never set.
    pub uptime_s: f64,
    /// Every port that listens, in the order to show them.
    pub ports: Vec<Port>,
    /// Events taken in since the start, by all ports.
    pub events_total: u64,
    pub events_per_s: f64,
    /// Events in the index.
    pub index_size: u64,
    /// Whether history is kept that can be asked.
    pub has_history: bool,
    /// Where the configuration was read from; `None` for the built-in one.
    pub config: Option<String>,
    /// `None` until the first reload.
    pub last_reload: Option<Reload>,
}

/// A port that listens.
#[derive(Clone, Debug)]
pub struct Port {
    /// What is spoken there: `tcp`, `ws`, `graphite`.
    pub name: String,
    /// `127.0.0.1:5555`.
    pub address: String,
}

/// An attempt to load the configuration again.
#[derive(Clone, Debug)]
pub struct Reload {
    pub at: Time,
    /// Why the old configuration stays, if it does.
    pub error: Option<String>,
}

impl Status {
    /// The JSON text of `/api/status`, ending in a line feed.
    pub(crate) fn to_json(&self) -> String {
        let ports: Vec<Value> = self
            .ports
            .iter()
            .map(|port| json!({ "name": port.name, "address": port.address }))
            .collect();
        let last_reload = self
            .last_reload
            .as_ref()
            .map(|reload| json!({ "at": iso_8601(reload.at), "error": reload.error }));
        let status = json!({
            "version": self.version,
            "hostname": self.hostname,
            "pid": self.pid,
            "time": iso_8601(self.now),
            "started_at": iso_8601(self.started_at),
            "uptime_s": self.uptime_s,
            "ports": ports,
            "events_total": self.events_total,
            "events_per_s": self.events_per_s,
            "index_size": self.index_size,
            "history": self.has_history,
            "config": self.config,
            "last_reload": last_reload,
        });
        format!("{status}\n")
    }
}

/// UTC with milliseconds, as events write their time; `None` beyond the year 9999.
fn iso_8601(time: Time) -> Option<String> {
    let timestamp = Timestamp::from_microsecond(time.us).ok()?;
    Some(
        DateTimePrinter::new()
            .precision(Some(3))
            .timestamp_to_string(&timestamp),
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn example() -> Status {
        Status {
            version: "0.1.0".into(),
            hostname: "mon \"1\"".into(),
            pid: 42,
            now: Time::from_us(1_700_000_003_623_456),
            started_at: Time::from_us(1_700_000_000_123_456),
            uptime_s: 3.5,
            ports: vec![Port {
                name: "tcp".into(),
                address: "127.0.0.1:5555".into(),
            }],
            events_total: 9,
            events_per_s: 1.5,
            index_size: 2,
            has_history: true,
            config: None,
            last_reload: Some(Reload {
                at: Time::from_s(0),
                error: Some("no ')'".into()),
            }),
        }
    }

    #[test]
    fn is_json_with_iso_times() {
        let json: Value = serde_json::from_str(&example().to_json()).unwrap();
        assert_eq!(json["hostname"], "mon \"1\"");
        assert_eq!(json["started_at"], "2023-11-14T22:13:20.123Z");
        assert_eq!(
            json["ports"],
            json!([{ "name": "tcp", "address": "127.0.0.1:5555" }])
        );
        assert_eq!(json["config"], Value::Null);
        assert_eq!(
            json["last_reload"],
            json!({ "at": "1970-01-01T00:00:00.000Z", "error": "no ')'" })
        );
    }

    #[test]
    fn a_rate_that_is_no_number_is_null() {
        let status = Status {
            events_per_s: f64::NAN,
            ..example()
        };
        let json: Value = serde_json::from_str(&status.to_json()).unwrap();
        assert_eq!(json["events_per_s"], Value::Null);
    }
}
