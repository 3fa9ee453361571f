//! The server's own counters, by its `/metrics`.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use load::Verified;
use sinks::socket::{Address, connect};

/// How long counters may stand still before what is missing counts as lost.
const SETTLE: Duration = Duration::from_secs(2);
/// How often they are asked meanwhile.
const ASK_INTERVAL: Duration = Duration::from_millis(50);
/// An answer may not be longer.
const ANSWER_BYTES_MAX: u64 = 8 << 20;

/// Reads the counters.
pub fn counters(server: &Address) -> Result<Verified, String> {
    let place = format!("{}:{}", server.host, server.port);
    let text = get(server, &place).map_err(|error| {
        format!("--verify: no counters at http://{place}/metrics: {error}; is its ws-server on?")
    })?;
    let events = sum(&text, "cauchy_events_total");
    Ok(Verified {
        events: events
            .ok_or_else(|| format!("--verify: http://{place}/metrics has no cauchy_events_total"))?
            as u64,
        overrun: sum(&text, "cauchy_server_overrun_total").unwrap_or(0.0) as u64,
        cpu_s: sum(&text, "cauchy_cpu_seconds_total"),
    })
}

/// The sum of one counter.
pub fn total(server: &Address, name: &str) -> Result<u64, String> {
    let place = format!("{}:{}", server.host, server.port);
    let told = |why: String| format!("--verify: http://{place}/metrics: {why}");
    let text = get(server, &place).map_err(|error| told(error.to_string()))?;
    let total = sum(&text, name).ok_or_else(|| told(format!("no {name}")))?;
    Ok(total as u64)
}

/// What was counted since `before`. Waits while events that were sent may still come.
pub fn since(before: &Verified, sent: u64, server: &Address) -> Result<Verified, String> {
    let mut last = counters(server)?;
    let mut moved = Instant::now();
    while last.events - before.events < sent && moved.elapsed() < SETTLE {
        std::thread::sleep(ASK_INTERVAL);
        let now = counters(server)?;
        if now.events != last.events {
            moved = Instant::now();
        }
        last = now;
    }
    Ok(Verified {
        events: last.events.saturating_sub(before.events),
        overrun: last.overrun.saturating_sub(before.overrun),
        cpu_s: last.cpu_s.zip(before.cpu_s).map(|(now, then)| now - then),
    })
}

fn get(server: &Address, place: &str) -> std::io::Result<String> {
    let mut socket = connect(server)?;
    write!(
        socket,
        "GET /metrics HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    socket.take(ANSWER_BYTES_MAX).read_to_string(&mut answer)?;
    if answer.starts_with("HTTP/1.1 200") {
        return Ok(answer);
    }
    let status = answer.lines().next().unwrap_or("no answer");
    Err(std::io::Error::other(status.to_owned()))
}

/// The sum of a metric's samples, if there are any.
fn sum(text: &str, name: &str) -> Option<f64> {
    let values = text.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        let is_whole = rest.starts_with([' ', '{']);
        let value = rest.rsplit(' ').next().filter(|_| is_whole)?;
        value.trim().parse::<f64>().ok()
    });
    values.reduce(|sum, value| sum + value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_metric_are_added() {
        let text = "# TYPE a counter\na_b 9\na{x=\"1 2\"} 3\na{x=\"y\"} 4\n";
        assert_eq!(sum(text, "a"), Some(7.0));
        assert_eq!(sum(text, "a_b"), Some(9.0));
        assert_eq!(sum(text, "b"), None);
    }
}
