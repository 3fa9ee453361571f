//! Options of clients.

use std::path::PathBuf;
use std::sync::Arc;

use clj::{Map, Result, Thrown, Value};
use sinks::riemann::tcp;
use sinks::socket::Address;
use sinks::tls::{TlsSettings, client_config};

/// Options as a map, or as keys and values.
pub fn options(args: &[Value]) -> Result<Map> {
    match args {
        [] | [Value::Nil] => Ok(Map::default()),
        [Value::Map(map)] => Ok(map.clone()),
        _ if args.len().is_multiple_of(2) => Ok(args
            .chunks(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect()),
        _ => Err(Thrown::illegal_argument(
            "options are a map, or keys and values",
        )),
    }
}

pub fn address(options: &Map) -> Result<Address> {
    let host = match options.get_keyword("host") {
        None | Some(Value::Nil) => "127.0.0.1".to_owned(),
        Some(host) => host.to_text(),
    };
    let tls = options.get_keyword("tls?").is_some_and(Value::truthy);
    let port = match options.get_keyword("port") {
        None | Some(Value::Nil) => {
            if tls {
                tcp::TLS_PORT
            } else {
                tcp::PORT
            }
        }
        Some(Value::Int(port)) => u16::try_from(*port)
            .map_err(|_| Thrown::illegal_argument(format!(":port {port} is no port")))?,
        Some(other) => {
            let text = other.to_readable();
            return Err(Thrown::illegal_argument(format!(":port {text} is no port")));
        }
    };
    Ok(Address::new(host, port))
}

pub fn tls(options: &Map) -> Result<Option<Arc<rustls::ClientConfig>>> {
    if !options.get_keyword("tls?").is_some_and(Value::truthy) {
        return Ok(None);
    }
    let file = |key: &str| {
        let value = options.get_keyword(key).filter(|value| !value.is_nil());
        value.map(|value| PathBuf::from(value.to_text()))
    };
    let settings = TlsSettings {
        ca_cert: file("ca-cert"),
        identity: file("cert").zip(file("key")),
        check_name: false,
    };
    let config = client_config(&settings);
    config
        .map(Some)
        .map_err(|error| Thrown::illegal_argument(format!("tcp-client: {error}")))
}
