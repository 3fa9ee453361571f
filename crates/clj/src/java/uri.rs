//! `java.net.URI` and `java.net.URL`: an address taken apart. Nothing is opened.

use std::any::Any;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::{JavaClass, Static, constructor, member};
use crate::core::arguments::string;
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.net.URI",
        construct: NEW_URI,
        statics: &[member("create", 1, 1, |_, a| uri(string(&a[0])?))],
        fields: &[],
    },
    JavaClass {
        name: "java.net.URL",
        construct: constructor(1, 1, |_, a| url(string(&a[0])?)),
        statics: &[],
        fields: &[],
    },
];

const NEW_URI: Option<Static> = constructor(1, 1, |_, a| uri(string(&a[0])?));

fn uri(text: &str) -> Result {
    if let Some(at) = text.find(|char: char| char.is_whitespace() || "\"<>\\^`{|}".contains(char)) {
        let message = format!("Illegal character at index {at}: {text}");
        return Err(Thrown::new("java.net.URISyntaxException", message));
    }
    Ok(Value::object(Address::parse(text, false)))
}

/// A URL of a text.
///
/// # Errors
/// `MalformedURLException` if it has no protocol, or one that Java knows nothing of.
pub fn url(text: &str) -> Result {
    let address = Address::parse(text, true);
    let message = match address.scheme.as_deref() {
        Some("http" | "https" | "file" | "ftp" | "jar") => return Ok(Value::object(address)),
        Some(other) => format!("unknown protocol: {other}"),
        None => format!("no protocol: {text}"),
    };
    Err(Thrown::new("java.net.MalformedURLException", message))
}

struct Address {
    text: String,
    is_url: bool,
    scheme: Option<String>,
    user: Option<String>,
    host: Option<String>,
    port: Option<u16>,
    path: String,
    query: Option<String>,
    fragment: Option<String>,
}

impl Address {
    fn parse(text: &str, is_url: bool) -> Address {
        let split = |text: &str, at: char| match text.split_once(at) {
            Some((before, after)) => (before.to_owned(), Some(after.to_owned())),
            None => (text.to_owned(), None),
        };
        let (rest, fragment) = split(text, '#');
        let (rest, query) = split(&rest, '?');
        let is_scheme = |word: &str| {
            word.starts_with(|first: char| first.is_ascii_alphabetic())
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        };
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme.to_owned()), rest.to_owned()),
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                (Some(rest[..end].to_owned()), rest[end..].to_owned())
            }
            None => (None, rest),
        };
        let authority = authority.filter(|authority| !authority.is_empty());
        let (user, place) = match authority.as_deref().map(|it| it.rsplit_once('@')) {
            Some(Some((user, place))) => (Some(user.to_owned()), Some(place.to_owned())),
            _ => (None, authority),
        };
        let (host, port) = match place.as_deref().and_then(|it| it.rsplit_once(':')) {
            Some((host, port)) if port.parse::<u16>().is_ok() => {
                (Some(host.to_owned()), port.parse().ok())
            }
            _ => (place, None),
        };
        Address {
            text: text.to_owned(),
            is_url,
            scheme,
            user,
            host,
            port,
            path,
            query,
            fragment,
        }
    }

    fn authority(&self) -> Option<String> {
        let mut text = self.host.clone()?;
        if let Some(port) = self.port {
            text = format!("{text}:{port}");
        }
        Some(match &self.user {
            Some(user) => format!("{user}@{text}"),
            None => text,
        })
    }

    fn default_port(&self) -> i64 {
        match self.scheme.as_deref() {
            Some("http") => 80,
            Some("https") => 443,
            Some("ftp") => 21,
            _ => -1,
        }
    }
}

impl Object for Address {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        if self.is_url {
            "java.net.URL"
        } else {
            "java.net.URI"
        }
    }

    fn text(&self) -> Option<String> {
        Some(self.text.clone())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<Address>();
        other.is_some_and(|other| self.is_url == other.is_url && self.text == other.text)
    }

    fn hash_code(&self) -> Option<u64> {
        Some(FixedState::default().hash_one(&self.text))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let text = |part: &Option<String>| part.as_deref().map(Value::str).into();
        let port = self.port.map_or(-1, i64::from);
        Some(Ok(match (name, args) {
            ("getScheme" | "getProtocol", []) => text(&self.scheme),
            ("getHost", []) => text(&self.host),
            ("getPort", []) => Value::Int(port),
            ("getDefaultPort", []) => Value::Int(self.default_port()),
            ("getPath" | "getRawPath", []) => Value::str(&self.path),
            ("getQuery" | "getRawQuery", []) => text(&self.query),
            ("getFragment" | "getRef", []) => text(&self.fragment),
            ("getUserInfo", []) => text(&self.user),
            ("getAuthority", []) => text(&self.authority()),
            ("getFile", []) => Value::from(match &self.query {
                Some(query) => format!("{}?{query}", self.path),
                None => self.path.clone(),
            }),
            ("isAbsolute", []) => self.scheme.is_some().into(),
            ("toString" | "toASCIIString" | "toExternalForm", []) => Value::str(&self.text),
            ("toURL", []) => return Some(url(&self.text)),
            ("toURI", []) => return Some(uri(&self.text)),
            ("openStream" | "openConnection", []) => {
                let message = format!("{} cannot be opened", self.text);
                return Some(Err(
                    Thrown::new("java.io.IOException", message).with_hint("use clj-http.client")
                ));
            }
            _ => return None,
        }))
    }
}
