//! From flags to what is to be done.

use std::sync::Arc;

use load::{AnswerKind, Encoding, Prepared, Shape};
use rustls::ClientConfig;
use sinks::socket::Address;
use sinks::tls::{TlsSettings, client_config};

use super::flags::{Flags, Protocol};

/// At most so many connections: each is a file handle here and there.
const CONNECTIONS_MAX: usize = 50_000;
/// A datagram cannot hold more.
const DATAGRAM_BYTES_MAX: usize = 65_507;
/// Where the server's own counters are.
const METRICS_PORT: u16 = 5556;

/// Everything that a run needs but the server.
pub struct Plan {
    pub flags: Flags,
    pub prepared: Arc<Prepared>,
    pub tls: Option<Arc<ClientConfig>>,
    pub answers: Option<AnswerKind>,
    pub workers: usize,
}

impl Plan {
    /// Makes the messages and reads the files; connects to nothing.
    pub fn new(flags: &Flags) -> Result<Plan, String> {
        check(flags)?;
        let shape = Shape {
            keys: flags.keys,
            tags: flags.tags,
            attrs: flags.attrs,
            description_bytes: flags.description,
            ttl_s: Some(flags.ttl),
        };
        let encoding = match flags.protocol {
            Protocol::Tcp | Protocol::Tls => Encoding::Riemann,
            Protocol::Udp => Encoding::Datagram,
            Protocol::Ws => Encoding::WebSocket,
            Protocol::Graphite => Encoding::Graphite,
            Protocol::Fixed => Encoding::Fixed(flags.fixed_length),
        };
        let prepared = Prepared::new(encoding, &shape, flags.events, crate::send::now())
            .map_err(|error| error.to_string())?;
        if flags.protocol == Protocol::Udp && prepared.longest_bytes() > DATAGRAM_BYTES_MAX {
            return Err(format!(
                "a message is {} bytes, a datagram at most {DATAGRAM_BYTES_MAX}: \
                 choose fewer --events",
                prepared.longest_bytes()
            ));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = flags.workers.unwrap_or(cores);
        Ok(Plan {
            flags: flags.clone(),
            prepared: Arc::new(prepared),
            tls: tls(flags)?,
            answers: match flags.protocol {
                Protocol::Tcp | Protocol::Tls => Some(AnswerKind::Riemann),
                Protocol::Ws => Some(AnswerKind::WebSocket),
                Protocol::Udp | Protocol::Graphite | Protocol::Fixed => None,
            },
            workers: workers.clamp(1, flags.connections),
        })
    }

    /// Messages a second of each connection, in an open loop.
    pub fn rate_per_connection(&self) -> Option<f64> {
        let messages = self.flags.rate? / self.flags.events as f64;
        Some(messages / self.flags.connections as f64)
    }

    /// What was asked, for the report.
    pub fn setup(&self, server: &Address) -> Vec<(String, String)> {
        let flags = &self.flags;
        let protocol = format!("{:?}", flags.protocol).to_lowercase();
        let loop_kind = flags.rate.map_or_else(
            || format!("closed, window {}", flags.window),
            |rate| format!("open, {rate} events/s, window {}", flags.window),
        );
        let coalesced = if flags.no_coalesce {
            "one by one"
        } else {
            "coalesced"
        };
        [
            ("server", format!("{}:{}", server.host, server.port)),
            ("protocol", protocol),
            ("connections", flags.connections.to_string()),
            ("workers", self.workers.to_string()),
            ("events/message", flags.events.to_string()),
            ("bytes/message", self.prepared.longest_bytes().to_string()),
            ("loop", loop_kind),
            ("writes", coalesced.to_owned()),
            ("keys", flags.keys.to_string()),
            ("measured", format!("{} s", flags.duration)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }
}

fn check(flags: &Flags) -> Result<(), String> {
    let one_event = matches!(
        flags.protocol,
        Protocol::Ws | Protocol::Graphite | Protocol::Fixed
    );
    let problem = if !(1..=CONNECTIONS_MAX).contains(&flags.connections) {
        format!("--connections: from 1 to {CONNECTIONS_MAX}")
    } else if flags.events == 0 || flags.keys == 0 || flags.window == 0 || flags.rounds == 0 {
        "--events, --keys, --window, --rounds: at least 1".to_owned()
    } else if one_event && flags.events > 1 {
        format!("--events: a message of {:?} is one event", flags.protocol).to_lowercase()
    } else if flags
        .rate
        .is_some_and(|rate| !rate.is_finite() || rate <= 0.0)
    {
        "--rate: more than 0".to_owned()
    } else if !flags.duration.is_finite() || flags.duration <= 0.0 {
        "--duration: more than 0 seconds".to_owned()
    } else if !flags.warm_up.is_finite() || flags.warm_up < 0.0 {
        "--warm-up: 0 seconds or more".to_owned()
    } else if flags.protocol == Protocol::Fixed && flags.fixed_length == 0 {
        "--fixed-length: at least 1 byte".to_owned()
    } else {
        return Ok(());
    };
    Err(problem)
}

fn tls(flags: &Flags) -> Result<Option<Arc<ClientConfig>>, String> {
    if flags.protocol != Protocol::Tls {
        return Ok(None);
    }
    let settings = TlsSettings {
        ca_cert: flags.tls.ca_cert.clone(),
        identity: flags.tls.cert.clone().zip(flags.tls.key.clone()),
        check_name: false,
    };
    client_config(&settings)
        .map(Some)
        .map_err(|error| error.to_string())
}

/// `HOST`, `HOST:PORT` or `[IPV6]:PORT`.
pub fn server(text: &str, protocol: Protocol) -> Result<Address, String> {
    address(text, default_port(protocol))
}

/// Where the counters of a server are: as given, else beside it.
pub fn metrics(given: &str, server: &Address) -> Result<Address, String> {
    if given.is_empty() {
        return Ok(Address::new(server.host.clone(), METRICS_PORT));
    }
    address(given, METRICS_PORT)
}

fn address(text: &str, default_port: u16) -> Result<Address, String> {
    let bracketed = text.starts_with('[') && text.ends_with(']');
    let is_plain_ipv6 = text.matches(':').count() > 1 && !text.starts_with('[');
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !bracketed && !is_plain_ipv6 => {
            let port = port
                .parse()
                .map_err(|_| format!("'{text}': '{port}' is no port"))?;
            (host, port)
        }
        _ => (text, default_port),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() {
        return Err(format!("'{text}' has no host: write HOST or HOST:PORT"));
    }
    Ok(Address::new(host, port))
}

fn default_port(protocol: Protocol) -> u16 {
    match protocol {
        Protocol::Tcp | Protocol::Udp => 5555,
        Protocol::Tls => 5554,
        Protocol::Ws => 5556,
        Protocol::Graphite => 2003,
        Protocol::Fixed => 4242,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_a_host_and_maybe_a_port() {
        for (text, host, port) in [
            ("web1", "web1", 5555),
            ("127.0.0.1:5565", "127.0.0.1", 5565),
            ("[::1]:7", "::1", 7),
            ("[::1]", "::1", 5555),
            ("::1", "::1", 5555),
        ] {
            assert_eq!(server(text, Protocol::Tcp), Ok(Address::new(host, port)));
        }
        assert!(server("web1:http", Protocol::Tcp).is_err());
        assert!(server(":5555", Protocol::Tcp).is_err());
    }
}
