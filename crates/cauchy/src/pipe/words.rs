//! The words that name sources, queues and stores.

use std::str::FromStr;

use ::journal::Durability;

/// A number of bytes: `65536`, `64K`, `64M`, `2G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
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
            .ok_or_else(|| format!("{text:?} is no size: say 65536, 64K, 64M or 2G"))
    }
}

/// What a message in a journal has survived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Durable(pub Durability);

impl FromStr for Durable {
    type Err = String;

    fn from_str(text: &str) -> Result<Durable, String> {
        let durability = match text {
            "os" => Some(Durability::Os),
            "always" => Some(Durability::Always),
            _ => text
                .strip_prefix("interval:")
                .and_then(|ms| ms.parse().ok())
                .map(|ms| Durability::Interval { ms }),
        };
        let told = || format!("{text:?} is no durability: say os, always or interval:MS");
        durability.map(Durable).ok_or_else(told)
    }
}

/// Host and port of `HOST:PORT`, or `[ADDRESS]:PORT`.
pub fn host_port(text: &str) -> Result<(&str, u16), String> {
    let told = || format!("{text:?} is no HOST:PORT");
    let (host, port) = text.rsplit_once(':').ok_or_else(told)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = port.parse().map_err(|_| told())?;
    if host.is_empty() {
        return Err(told());
    }
    Ok((host, port))
}

/// `redis://HOST:PORT[/DB]?NAME=VALUE&…`, its parts.
#[derive(Debug, PartialEq, Eq)]
pub struct Redis<'a> {
    pub host: &'a str,
    pub port: u16,
    pub database: u32,
    pub options: Vec<(&'a str, &'a str)>,
}

impl<'a> Redis<'a> {
    /// Parses what follows `redis://`; the options may have these names only.
    pub fn parse(rest: &'a str, names: &[&str]) -> Result<Redis<'a>, String> {
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (place, database) = place.split_once('/').unwrap_or((place, "0"));
        let database = if database.is_empty() { "0" } else { database };
        let told = |_| format!("redis: {database:?} is no number of a database");
        let (host, port) = host_port(place)?;
        let mut options = Vec::new();
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            if !names.contains(&name) || value.is_empty() {
                let names = names.join("=… and ");
                return Err(format!(
                    "redis: {option:?} is not known here; say {names}=…"
                ));
            }
            options.push((name, value));
        }
        Ok(Redis {
            host,
            port,
            database: database.parse().map_err(told)?,
            options,
        })
    }

    /// The value of an option.
    pub fn option(&self, name: &str) -> Option<&'a str> {
        let found = self.options.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_durabilities_are_read() {
        assert_eq!("64M".parse(), Ok(Size(64 << 20)));
        assert_eq!("7".parse(), Ok(Size(7)));
        for bad in ["", "M", "0", "1T", "99999999999G"] {
            assert!(
                bad.parse::<Size>().unwrap_err().contains("is no size"),
                "{bad}"
            );
        }
        let interval = Durable(Durability::Interval { ms: 50 });
        assert_eq!("interval:50".parse(), Ok(interval));
        assert!("never".parse::<Durable>().unwrap_err().contains("say os"));
    }

    #[test]
    fn places_in_redis_are_read() {
        let redis = Redis::parse("h:1/2?as=lpush&key=k", &["as", "key"]).unwrap();
        assert_eq!((redis.host, redis.port, redis.database), ("h", 1, 2));
        assert_eq!(
            (redis.option("as"), redis.option("key")),
            (Some("lpush"), Some("k"))
        );
        let told = |rest| Redis::parse(rest, &["key"]).unwrap_err();
        assert_eq!(
            told("h:1?as=set"),
            "redis: \"as=set\" is not known here; say key=…"
        );
        assert_eq!(told("h"), "\"h\" is no HOST:PORT");
        assert_eq!(told("h:1/x"), "redis: \"x\" is no number of a database");
    }
}
