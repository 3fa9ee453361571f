//! The words that name a source, a queue or a store: what it is, and its options.
//!
//! `redis://127.0.0.1:6379/2?key=things` says the same as the options `host`, `port`, `db` and
//! `key` of a `redis`; a configuration says the latter in a map.

use std::path::PathBuf;
use std::str::FromStr;

use journal::Durability;
use sinks::socket::Address;

use crate::PipeError;

/// What is asked for, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    kind: String,
    /// Name and value. Invariant: no name is there twice.
    options: Vec<(String, String)>,
}

/// What stands between the kind and the options of a URL.
enum Place {
    Nothing,
    /// A path, and the option that it is.
    Path(&'static str),
    /// Host and port, and the option that follows them after a slash.
    Server(Option<&'static str>),
}

fn place_of(kind: &str) -> Option<Place> {
    Some(match kind {
        "memory" | "zmq" | "count" => Place::Nothing,
        "unix" | "file" => Place::Path("path"),
        "journal" => Place::Path("dir"),
        "tcp" | "udp" | "riemann" => Place::Server(None),
        "redis" => Place::Server(Some("db")),
        "nats" => Place::Server(Some("name")),
        _ => return None,
    })
}

impl Words {
    /// Of a kind, without options.
    #[must_use]
    pub fn new(kind: &str) -> Words {
        Words {
            kind: kind.to_owned(),
            options: Vec::new(),
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Sets an option.
    ///
    /// # Errors
    /// It is set already.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), PipeError> {
        if self.get(name).is_some() {
            return Err(asked(format!("{}: {name} is there twice", self.kind)));
        }
        self.options.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    /// Sets an option that is not set.
    pub fn set_default(&mut self, name: &str, value: &str) {
        if self.get(name).is_none() {
            self.options.push((name.to_owned(), value.to_owned()));
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Errors if there is an option of another name.
    pub(crate) fn know(&self, names: &[&str]) -> Result<(), PipeError> {
        let is_unknown = |(name, _): &&(String, String)| !names.contains(&name.as_str());
        match self.options.iter().find(is_unknown) {
            None => Ok(()),
            Some((name, _)) if names.is_empty() => Err(asked(format!(
                "{} has no options, and no {name}",
                self.kind
            ))),
            Some((name, _)) => Err(asked(format!(
                "{} has no option {name}; it has {}",
                self.kind,
                names.join(", ")
            ))),
        }
    }

    /// An option that something can be read from.
    pub(crate) fn read<T: FromStr>(&self, name: &str) -> Result<Option<T>, PipeError>
    where
        T::Err: std::fmt::Display,
    {
        let told = |error| asked(format!("{}: {name}: {error}", self.kind));
        self.get(name)
            .map(|value| value.parse().map_err(told))
            .transpose()
    }

    /// An option that is a whole number.
    pub(crate) fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>, PipeError> {
        let kind = &self.kind;
        let wanted = match name {
            "port" => "between 0 and 65535",
            _ => "a number",
        };
        let read = |value: &str| {
            let told = |_| asked(format!("{kind}: {name} must be {wanted}, not {value:?}"));
            value.parse().map_err(told)
        };
        self.get(name).map(read).transpose()
    }

    pub(crate) fn path(&self, name: &str) -> Result<PathBuf, PipeError> {
        let missing = || asked(format!("{}: {name} is missing: a path", self.kind));
        self.get(name)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
            .ok_or_else(missing)
    }

    pub(crate) fn text_or(&self, name: &str, usual: &str) -> String {
        self.get(name).unwrap_or(usual).to_owned()
    }

    /// `host`, or this machine, and `port`, or the usual one.
    pub(crate) fn address(&self, usual_port: Option<u16>) -> Result<Address, PipeError> {
        let port = self.number::<u16>("port")?.or(usual_port);
        let missing = || asked(format!("{}: port is missing", self.kind));
        let host = self.text_or("host", "127.0.0.1");
        Ok(Address::new(host, port.ok_or_else(missing)?))
    }
}

/// From a URL, such as `redis://HOST:PORT/DB?key=NAME`, `journal:DIR?bytes=1G` or `memory`.
impl FromStr for Words {
    type Err = PipeError;

    fn from_str(text: &str) -> Result<Words, PipeError> {
        let (before, query) = text.split_once('?').unwrap_or((text, ""));
        let (kind, rest) = before.split_once(':').unwrap_or((before, ""));
        let mut words = Words::new(kind);
        match place_of(kind) {
            // Whoever wants one of some kinds tells which there are.
            None => {}
            Some(Place::Nothing) if rest.is_empty() => {}
            Some(Place::Nothing) => {
                let told = format!("{kind} is followed by nothing, or by ?NAME=VALUE, not :{rest}");
                return Err(asked(told));
            }
            Some(Place::Path(name)) => words.set(name, rest)?,
            Some(Place::Server(tail)) => words.set_server(text, rest, tail)?,
        }
        for option in query.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some((name, value)) if !value.is_empty() => words.set(name, value)?,
                _ => {
                    let told = format!("{kind}: {option:?} is no option: say NAME=VALUE");
                    return Err(asked(told));
                }
            }
        }
        Ok(words)
    }
}

impl Words {
    fn set_server(&mut self, text: &str, rest: &str, tail: Option<&str>) -> Result<(), PipeError> {
        let place = rest.strip_prefix("//").ok_or_else(|| {
            let kind = &self.kind;
            asked(format!("{text:?} is unclear: say {kind}://HOST:PORT"))
        })?;
        let (place, after) = place.split_once('/').unwrap_or((place, ""));
        let (host, port) = host_port(place)?;
        self.set("host", host)?;
        self.set("port", &port.to_string())?;
        match tail {
            _ if after.is_empty() => Ok(()),
            Some(name) => self.set(name, after),
            None => Err(asked(format!(
                "{text:?}: {} has no /{after} after its port",
                self.kind
            ))),
        }
    }
}

/// Host and port of `HOST:PORT`, or `[ADDRESS]:PORT`.
///
/// # Errors
/// It is none.
pub fn host_port(text: &str) -> Result<(&str, u16), PipeError> {
    let told = || asked(format!("{text:?} is no HOST:PORT"));
    let (host, port) = text.rsplit_once(':').ok_or_else(told)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = port.parse().map_err(|_| told())?;
    if host.is_empty() {
        return Err(told());
    }
    Ok((host, port))
}

/// A number of bytes: `65536`, `64K`, `64M`, `2G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = PipeError;

    fn from_str(text: &str) -> Result<Size, PipeError> {
        let (digits, shift) = match text.as_bytes().last() {
            Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
            Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
            Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
            _ => (text, 0),
        };
        let bytes = digits.parse::<u64>().ok();
        let bytes = bytes.and_then(|count| count.checked_mul(1 << shift));
        bytes
            .filter(|&bytes| bytes > 0)
            .map(Size)
            .ok_or_else(|| asked(format!("{text:?} is no size: say 65536, 64K, 64M or 2G")))
    }
}

/// What a message in a journal has survived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Durable(pub Durability);

impl FromStr for Durable {
    type Err = PipeError;

    fn from_str(text: &str) -> Result<Durable, PipeError> {
        let durability = match text {
            "os" => Some(Durability::Os),
            "always" => Some(Durability::Always),
            _ => text
                .strip_prefix("interval:")
                .and_then(|ms| ms.parse().ok())
                .filter(|&ms: &u64| ms > 0)
                .map(|ms| Durability::Interval { ms }),
        };
        let told = || {
            asked(format!(
                "{text:?} is no durability: say os, always or interval:MS"
            ))
        };
        durability.map(Durable).ok_or_else(told)
    }
}

fn asked(text: String) -> PipeError {
    PipeError::Asked(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_and_durabilities_are_read() {
        assert_eq!("64M".parse::<Size>().unwrap(), Size(64 << 20));
        assert_eq!("7".parse::<Size>().unwrap(), Size(7));
        for bad in ["", "M", "0", "1T", "99999999999G"] {
            let error = bad.parse::<Size>().unwrap_err().to_string();
            assert!(error.contains("is no size"), "{bad}");
        }
        let interval = Durable(Durability::Interval { ms: 50 });
        assert_eq!("interval:50".parse::<Durable>().unwrap(), interval);
        let error = "never".parse::<Durable>().unwrap_err().to_string();
        assert!(error.contains("say os"));
    }

    #[test]
    fn a_url_says_what_options_say() {
        let check = |url: &str, kind: &str, options: &[(&str, &str)]| {
            let mut words = Words::new(kind);
            for (name, value) in options {
                words.set(name, value).unwrap();
            }
            assert_eq!(url.parse::<Words>().unwrap(), words, "{url}");
        };
        check("memory", "memory", &[]);
        check("memory?bytes=1M", "memory", &[("bytes", "1M")]);
        check("journal:/a/b", "journal", &[("dir", "/a/b")]);
        check("tcp://h:1", "tcp", &[("host", "h"), ("port", "1")]);
        check("tcp://[::1]:1", "tcp", &[("host", "::1"), ("port", "1")]);
        check(
            "redis://h:1/2?as=lpush&key=k",
            "redis",
            &[
                ("host", "h"),
                ("port", "1"),
                ("db", "2"),
                ("as", "lpush"),
                ("key", "k"),
            ],
        );
    }

    #[test]
    fn unclear_words_are_told_with_what_to_say() {
        let check = |url: &str, expected: &str| {
            assert_eq!(url.parse::<Words>().unwrap_err().to_string(), expected);
        };
        check("tcp:1", "\"tcp:1\" is unclear: say tcp://HOST:PORT");
        check("tcp://h", "\"h\" is no HOST:PORT");
        check(
            "udp://h:1/x",
            "\"udp://h:1/x\": udp has no /x after its port",
        );
        check(
            "memory:x",
            "memory is followed by nothing, or by ?NAME=VALUE, not :x",
        );
        check("count?x", "count: \"x\" is no option: say NAME=VALUE");
        check("redis://h:1/2?db=3", "redis: db is there twice");
    }

    proptest! {
        #[test]
        fn no_words_panic(text in "(tcp|redis|journal|memory|x)?[:/?&=a1.\\[\\]é]{0,20}") {
            let _ = text.parse::<Words>();
        }
    }
}
