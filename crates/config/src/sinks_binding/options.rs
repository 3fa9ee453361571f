//! Options of sinks, read with errors that name them.

use clj::{Result, Thrown, Value, seq};
use sinks::socket::Address;

/// A map of options of one sink. An option that is nil is as good as none.
#[derive(Clone)]
pub struct Options {
    of: &'static str,
    map: Value,
}

impl Options {
    /// # Errors
    /// When it is neither a map nor nil.
    pub fn read(of: &'static str, map: &Value) -> Result<Options> {
        match map {
            Value::Nil | Value::Map(_) | Value::Object(_) => Ok(Options {
                of,
                map: map.clone(),
            }),
            other => {
                let message = format!("{of} takes a map of options, not {}", other.class_name());
                Err(Thrown::illegal_argument(message))
            }
        }
    }

    pub fn get(&self, key: &str) -> Option<Value> {
        seq::get(&self.map, &Value::keyword(key)).filter(|value| !value.is_nil())
    }

    /// True if the option is there, be it nil.
    pub fn has(&self, key: &str) -> bool {
        seq::get(&self.map, &Value::keyword(key)).is_some()
    }

    /// The option's text, or a keyword's name.
    pub fn text(&self, key: &str) -> Option<String> {
        self.get(key).map(|value| text(&value))
    }

    pub fn text_or(&self, key: &str, default: &str) -> String {
        self.text(key).unwrap_or_else(|| default.to_owned())
    }

    /// An option without which the sink cannot work. One that is there but nil, as an unset
    /// variable of the environment makes it, lets the configuration load, with a warning.
    ///
    /// # Errors
    /// When it is missing.
    pub fn required(&self, key: &str) -> Result<String> {
        match seq::get(&self.map, &Value::keyword(key)) {
            Some(Value::Nil) => {
                tracing::warn!("{}: the option :{key} is nil", self.of);
                Ok(String::new())
            }
            Some(value) => Ok(text(&value)),
            None => Err(Thrown::illegal_argument(format!(
                "{}: the option :{key} is missing",
                self.of
            ))),
        }
    }

    pub fn flag(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|value| value.truthy() && value != Value::Int(0))
    }

    /// # Errors
    /// When `:port` is no number of a port.
    pub fn port(&self, default: u16) -> Result<u16> {
        let Some(value) = self.get("port") else {
            return Ok(default);
        };
        text(&value).parse().map_err(|_| {
            let text = value.to_readable();
            Thrown::illegal_argument(format!("{}: :port {text} is not a port", self.of))
        })
    }

    /// `:host` and `:port`.
    ///
    /// # Errors
    /// As [`Options::port`].
    pub fn address(&self, host: &str, port: u16) -> Result<Address> {
        Ok(Address::new(self.text_or("host", host), self.port(port)?))
    }

    /// `:scheme`, `:host` and `:port` as the beginning of a URL.
    ///
    /// # Errors
    /// As [`Options::port`].
    pub fn url(&self, host: &str, port: u16) -> Result<String> {
        let scheme = self.text_or("scheme", "http");
        let scheme = scheme.trim_end_matches("://");
        let Address { host, port } = self.address(host, port)?;
        Ok(format!("{scheme}://{host}:{port}"))
    }

    /// The names in a set or sequence of keywords or strings.
    ///
    /// # Errors
    /// When it is neither.
    pub fn names(&self, key: &str) -> Result<Option<Vec<String>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let names: Result<Vec<Value>> = seq::iter(&value).collect();
        Ok(Some(names?.iter().map(text).collect()))
    }

    /// One text, or the texts of a sequence; none if there is no such option.
    ///
    /// # Errors
    /// What the sequence throws.
    pub fn names_or_text(&self, key: &str) -> Result<Vec<String>> {
        match self.get(key) {
            Some(Value::Str(one)) => Ok(vec![one.to_string()]),
            _ => Ok(self.names(key)?.unwrap_or_default()),
        }
    }

    /// The names and texts in a map.
    ///
    /// # Errors
    /// When it is something else.
    pub fn pairs(&self, key: &str) -> Result<Vec<(String, String)>> {
        match self.get(key) {
            Some(value) => pairs(&value),
            None => Ok(Vec::new()),
        }
    }
}

/// The names and texts of a map's entries.
///
/// # Errors
/// When it is no map.
pub fn pairs(map: &Value) -> Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    for entry in seq::iter(map) {
        let entry = seq::to_vec(&entry?)?;
        let [name, value] = entry.as_slice() else {
            let message = format!("{} is not a map", map.class_name());
            return Err(Thrown::illegal_argument(message));
        };
        pairs.push((text(name), text(value)));
    }
    Ok(pairs)
}

/// A value's text, or a keyword's name; nothing for nil.
pub fn text(value: &Value) -> String {
    match value {
        Value::Nil => String::new(),
        Value::Keyword(keyword) => keyword.name().to_owned(),
        other => other.to_text(),
    }
}
