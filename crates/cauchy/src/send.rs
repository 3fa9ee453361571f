//! `cauchy send`: one event from flags, or JSON lines from standard input.

use std::io::{self, BufRead};

use event::{Attr, Draft, Event, Number, Time};
use sinks::riemann::tcp::TcpClient;
use sinks::riemann::udp::UdpClient;

use crate::{answer, cli, host};

/// Events of standard input that travel in one message.
const EVENTS_PER_MESSAGE: usize = 100;

/// Sends, and waits until the server has acknowledged (not over UDP).
pub fn run(send: &cli::Send) -> Result<(), String> {
    let out = Out::open(send)?;
    if has_fields(send) {
        return out.send(&[event(send)?]);
    }
    let mut waiting = Vec::new();
    for (index, line) in io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|error| format!("standard input: {error}"))?;
        if line.trim().is_empty() {
            continue;
        }
        let event = codec::json::event_from_json(&line, now())
            .map_err(|error| format!("standard input, line {}: {error}", index + 1))?;
        waiting.push(event);
        if waiting.len() == EVENTS_PER_MESSAGE {
            out.send(&waiting)?;
            waiting.clear();
        }
    }
    if waiting.is_empty() {
        Ok(())
    } else {
        out.send(&waiting)
    }
}

fn has_fields(send: &cli::Send) -> bool {
    send.service.is_some()
        || send.state.is_some()
        || send.metric.is_some()
        || send.description.is_some()
        || send.host.is_some()
        || !send.tags.is_empty()
        || !send.attrs.is_empty()
}

enum Out {
    Tcp(TcpClient),
    Udp(UdpClient),
}

impl Out {
    fn open(send: &cli::Send) -> Result<Out, String> {
        if !send.udp {
            return Ok(Out::Tcp(answer::connect(&send.server)?));
        }
        Ok(Out::Udp(answer::udp(&send.server)))
    }

    fn send(&self, events: &[Event]) -> Result<(), String> {
        match self {
            Out::Tcp(client) => client
                .send_events(events)
                .map_err(|error| error.to_string()),
            Out::Udp(client) => client
                .send_events(events)
                .map_err(|error| error.to_string()),
        }
    }
}

/// The present.
pub fn now() -> Time {
    clock::Clock::now(&clock::SystemClock::new())
}

fn event(send: &cli::Send) -> Result<Event, String> {
    let text = |text: &Option<String>| text.clone().map(std::borrow::Cow::Owned);
    let mut draft = Draft {
        host: Some(send.host.clone().unwrap_or_else(host::hostname).into()),
        service: text(&send.service),
        state: text(&send.state),
        description: text(&send.description),
        metric: send.metric.as_deref().map(parse_metric).transpose()?,
        ttl: send.ttl.map(Number::F32),
        time: Some(send.time.as_deref().map_or_else(|| Ok(now()), parse_time)?),
        ..Draft::record()
    };
    if !send.tags.is_empty() {
        draft.tags = Some(send.tags.iter().map(|tag| tag.as_str().into()).collect());
    }
    for attr in &send.attrs {
        let (name, value) = attr
            .split_once('=')
            .ok_or_else(|| format!("--attr {attr}: give it as NAME=VALUE"))?;
        draft.set_attr(name, Attr::Str(value.into()));
    }
    Ok(draft.build())
}

fn parse_metric(text: &str) -> Result<Number, String> {
    if let Ok(int) = text.parse::<i64>() {
        return Ok(Number::Int(int));
    }
    text.parse()
        .map(Number::F64)
        .map_err(|_| format!("--metric {text}: not a number"))
}

fn parse_time(text: &str) -> Result<Time, String> {
    let seconds = text.parse::<f64>().ok().map(Number::F64);
    let number = text.parse::<i64>().ok().map(Number::Int).or(seconds);
    if let Some(time) = number.as_ref().and_then(Time::nearest) {
        return Ok(time);
    }
    codec::iso8601::parse(text)
        .ok_or_else(|| format!("--time {text}: give seconds since 1970 or ISO 8601"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_keeps_its_kind() {
        assert_eq!(parse_metric("3"), Ok(Number::Int(3)));
        assert_eq!(parse_metric("-3.0"), Ok(Number::F64(-3.0)));
        assert!(parse_metric("three").is_err());
    }
}
