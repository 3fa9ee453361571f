//! Taking request targets apart.

/// Decodes `%41` and, as forms do, `+`. What is not valid stays as it is; the text becomes UTF-8.
pub(crate) fn decode(text: &str, plus_is_space: bool) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |offset: usize| {
            bytes
                .get(at + offset)
                .and_then(|b| char::from(*b).to_digit(16))
        };
        match (bytes[at], hex(1), hex(2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', ..) if plus_is_space => decoded.push(b' '),
            (byte, ..) => decoded.push(byte),
        }
        at += 1;
    }
    String::from_utf8(decoded)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The value of a parameter of the query part; of several, the last.
pub(crate) fn parameter(query: &str, name: &str) -> Option<String> {
    query.split('&').rev().find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        (decode(key, true) == name).then(|| decode(value, true))
    })
}

/// What the HTTP port takes itself: websockets of Riemann's, events, metrics.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Index,
    /// The channel's name. Of `/pubsub/index/` it is `index/`, as in Riemann.
    Channel(String),
    Events,
    /// Metrics of a host.
    Httptrap(Option<String>),
}

/// `/index`, `/pubsub/CHANNEL`, `/events`, `/httptrap`, `/httptrap/HOST`, each with or without a
/// slash behind it.
pub(crate) fn target(path: &str) -> Option<Target> {
    match path {
        "/index" | "/index/" => return Some(Target::Index),
        "/events" | "/events/" => return Some(Target::Events),
        "/httptrap" | "/httptrap/" => return Some(Target::Httptrap(None)),
        _ => {}
    }
    if let Some(host) = path.strip_prefix("/httptrap/") {
        let host = one_part(host)?;
        return Some(Target::Httptrap(Some(decode(host, false))));
    }
    let channel = path.strip_prefix("/pubsub/")?;
    one_part(channel)?;
    Some(Target::Channel(decode(channel, false)))
}

/// The last part of a path, without the slash behind it.
fn one_part(rest: &str) -> Option<&str> {
    let name = rest.strip_suffix('/').unwrap_or(rest);
    (!name.is_empty() && !name.contains('/')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let query = "subscribe=true&query=service+%3D%20%22caf%C3%A9%22&bare";
        assert_eq!(
            parameter(query, "query").as_deref(),
            Some("service = \"café\"")
        );
        assert_eq!(parameter(query, "subscribe").as_deref(), Some("true"));
        assert_eq!(parameter(query, "bare"), None);
        assert_eq!(parameter("query=a=b", "query").as_deref(), Some("a=b"));
        assert_eq!(
            parameter("query=100%&query=%zz%ff", "query").as_deref(),
            Some("%zz\u{fffd}")
        );
    }

    #[test]
    fn paths_are_riemanns() {
        let channel = |name: &str| Some(Target::Channel(name.into()));
        assert_eq!(target("/index/"), Some(Target::Index));
        assert_eq!(target("/events"), Some(Target::Events));
        assert_eq!(target("/pubsub/index"), channel("index"));
        assert_eq!(target("/pubsub/index/"), channel("index/"));
        assert_eq!(target("/pubsub/my%20own"), channel("my own"));
        let host = |name: &str| Some(Target::Httptrap(Some(name.into())));
        assert_eq!(target("/httptrap/web%201/"), host("web 1"));
        assert_eq!(target("/httptrap"), Some(Target::Httptrap(None)));
        for none in [
            "/httptrap/a/b",
            "/httptraps",
            "/",
            "/indexes",
            "/pubsub",
            "/pubsub/",
            "/pubsub//",
            "/pubsub/a/b",
        ] {
            assert_eq!(target(none), None, "{none}");
        }
    }
}
