//! Graphite: a line an event, `path value seconds`, over TCP or UDP.

use std::sync::Arc;

use event::{Event, Fields};

use crate::socket::{Address, TcpSender, UdpSender};
use crate::target::{DeliveryError, Item, Target};
use crate::words;

/// Where Carbon listens, unless told otherwise.
pub const PORT: u16 = 2003;
/// Lines in one write.
const BATCH_LINES: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Tcp,
    Udp,
}

/// Default: 127.0.0.1:2003 over TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub address: Address,
    pub protocol: Protocol,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            address: Address::new("127.0.0.1", PORT),
            protocol: Protocol::Tcp,
        }
    }
}

/// A line with its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line(pub Arc<str>);

impl Item for Line {
    fn size_bytes(&self) -> usize {
        self.0.len()
    }

    fn told(&self) -> String {
        self.0.to_string()
    }
}

impl Line {
    /// The line of an event under `path`; `None` if it has no metric or no time. A path cannot
    /// hold white space: each run of it becomes one dot. Ratios are sent as doubles.
    ///
    /// ```
    /// use event::{Draft, Number, Time};
    /// use sinks::graphite::{Line, path_basic};
    /// let event = Draft {
    ///     host: Some("www1.example.com".into()),
    ///     service: Some("api req rate".into()),
    ///     metric: Some(Number::F64(2.5)),
    ///     time: Some(Time::from_s(1_500_000_000)),
    ///     ..Draft::record()
    /// }
    /// .build();
    /// let line = Line::new(&event, &path_basic(&event)).unwrap();
    /// assert_eq!(&*line.0, "com.example.www1.api.req.rate 2.5 1500000000\n");
    /// ```
    pub fn new(event: &Event, path: &str) -> Option<Line> {
        let (metric, time) = (event.metric()?, event.time()?);
        let path = path.split_whitespace().collect::<Vec<_>>().join(".");
        let value = words::number(&metric);
        Some(Line(format!("{path} {value} {}\n", time.floor_s()).into()))
    }
}

/// `host service`: the host's parts in reverse order, then the words of the service, all with dots
/// between. What the event does not have is left out.
pub fn path_basic(event: &Event) -> String {
    path(event.host(), event.service())
}

/// As [`path_basic`], and of a number with a point at the end of the service only the digits behind
/// the point stay: `api 0.95` is `api.95`, `api 0.999` is `api.999`.
pub fn path_percentiles(event: &Event) -> String {
    path(event.host(), event.service().map(with_fraction).as_deref())
}

/// The service with dots for spaces, and the host and all attributes as Graphite's tags:
/// `api.rate;host=www1.example.com;zone=b`. Characters that tags cannot hold become `_`.
pub fn path_tags(event: &Event) -> String {
    let mut path = event.service().unwrap_or_default().replace(' ', ".");
    let host = event
        .host()
        .map(|host| ("host".to_string(), host.to_string()));
    for (name, value) in host.into_iter().chain(words::attributes(event)) {
        if name.is_empty() || value.is_empty() {
            continue;
        }
        let name = name.replace([';', '!', '^', '=', ' '], "_");
        let value = value.replace([';', ' '], "_");
        let value = value
            .strip_prefix('~')
            .map_or(value.clone(), |rest| format!("_{rest}"));
        path.push_str(&format!(";{name}={value}"));
    }
    path
}

fn path(host: Option<&str>, service: Option<&str>) -> String {
    let host = host
        .into_iter()
        .flat_map(|host| host.trim_end_matches('.').rsplit('.'));
    let service = service
        .into_iter()
        .flat_map(|service| service.trim_end().split(' '));
    host.chain(service).collect::<Vec<_>>().join(".")
}

fn with_fraction(service: &str) -> String {
    let digits =
        |text: &str| text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let fraction_at = service.len() - digits(service);
    let whole = service[..fraction_at].strip_suffix('.');
    match whole.map(|whole| (whole, digits(whole))) {
        Some((whole, length)) if length > 0 && fraction_at < service.len() => {
            format!(
                "{}{}",
                &whole[..whole.len() - length],
                &service[fraction_at..]
            )
        }
        _ => service.into(),
    }
}

/// Delivers lines to Carbon.
pub enum Graphite {
    Tcp(TcpSender),
    Udp(UdpSender),
}

impl Graphite {
    pub fn new(settings: Settings) -> Graphite {
        match settings.protocol {
            Protocol::Tcp => Graphite::Tcp(TcpSender::new(settings.address, None)),
            Protocol::Udp => Graphite::Udp(UdpSender::new(settings.address)),
        }
    }
}

impl Target for Graphite {
    type Item = Line;

    fn batch_max(&self) -> usize {
        match self {
            Graphite::Tcp(_) => BATCH_LINES,
            Graphite::Udp(_) => 1,
        }
    }

    fn deliver(&mut self, batch: &[Line]) -> Result<(), DeliveryError> {
        let lines: String = batch.iter().map(|line| &*line.0).collect();
        match self {
            Graphite::Tcp(tcp) => tcp.send(lines.as_bytes())?,
            Graphite::Udp(udp) => udp.send(lines.as_bytes())?,
        }
        Ok(())
    }

    fn confirm(&mut self) -> Result<(), DeliveryError> {
        match self {
            Graphite::Tcp(tcp) => Ok(tcp.confirm()?),
            Graphite::Udp(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use event::{Draft, Number, Time};

    use super::*;

    fn event<'a>(host: Option<&'a str>, service: &'a str) -> Event {
        let attrs = vec![("zone".into(), "a;b c".into()), ("~".into(), "~x".into())];
        Draft {
            host: host.map(Into::into),
            service: Some(service.into()),
            metric: Number::Int(1).div(&Number::Int(4)).ok(),
            time: Some(Time::from_us(1_500_000_000_900_000)),
            attrs,
            ..Draft::record()
        }
        .build()
    }

    #[test]
    fn basic_paths() {
        assert_eq!(
            path_basic(&event(Some("a.b.c"), "disk / used")),
            "c.b.a.disk./.used"
        );
        assert_eq!(path_basic(&event(None, "foo")), "foo");
        assert_eq!(path_basic(&event(Some("a.b."), "foo ")), "b.a.foo");
        assert_eq!(path_basic(&event(Some("h"), "fast 0.95")), "h.fast.0.95");
    }

    #[test]
    fn percentile_paths() {
        let check = |service, expected| {
            assert_eq!(path_percentiles(&event(Some("h"), service)), expected);
        };
        check("api req 0.99", "h.api.req.99");
        check("api req 0.999", "h.api.req.999");
        check("api 0.0", "h.api.0");
        check("api 1.0", "h.api.0");
        check("api 0.5 rate", "h.api.0.5.rate");
        check("load 15", "h.load.15");
        check("v.5", "h.v.5");
        check("odd 1.", "h.odd.1.");
    }

    #[test]
    fn tag_paths() {
        let path = path_tags(&event(Some("a.b"), "api rate"));
        assert_eq!(path, "api.rate;host=a.b;zone=a_b_c;~=_x");
    }

    #[test]
    fn lines() {
        let event = event(Some("h"), "s");
        let line = Line::new(&event, "any path\nof mine").unwrap();
        assert_eq!(&*line.0, "any.path.of.mine 0.25 1500000000\n");
        assert_eq!(
            Line::new(&event.edit(|draft| draft.metric = None), "p"),
            None
        );
        assert_eq!(Line::new(&event.edit(|draft| draft.time = None), "p"), None);
    }
}
