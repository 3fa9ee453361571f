//! `cauchy tail`: matching events as they come, over the server's websocket.

use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

use tungstenite::Message;
use tungstenite::protocol::frame::coding::CloseCode;

use crate::cli;
use crate::query::line_of_json;

const PORT_DEFAULT: u16 = 5556;

/// How long to wait for the server to take the connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Prints until the server closes, the user interrupts, or standard output is gone.
pub fn run(tail: &cli::Tail) -> Result<(), String> {
    let (host, port) = (&tail.server.host, tail.server.port.unwrap_or(PORT_DEFAULT));
    let place = format!("{host}:{port}");
    let stream = connect(&place)?;
    let path = match tail.channel.as_str() {
        "index" => "/index?subscribe=true&query=".to_owned(),
        channel => format!("/pubsub/{}?query=", encode(channel)),
    };
    let url = format!("ws://{place}{path}{}", encode(&tail.query));
    let (mut socket, _) = tungstenite::client(url, stream)
        .map_err(|error| format!("{place} does not answer as a websocket: {error}"))?;
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => {
                let line = if tail.json {
                    text.to_string()
                } else {
                    line_of_json(&text)
                };
                if writeln!(io::stdout().lock(), "{line}").is_err() {
                    return Ok(());
                }
            }
            Ok(Message::Close(Some(frame))) if frame.code != CloseCode::Normal => {
                return Err(format!("{place} closed: {}", frame.reason));
            }
            Ok(Message::Close(_)) => return Ok(()),
            Ok(_) => {}
            Err(tungstenite::Error::ConnectionClosed) => return Ok(()),
            Err(error) => return Err(format!("{place}: connection lost: {error}")),
        }
    }
}

fn connect(place: &str) -> Result<TcpStream, String> {
    use std::net::ToSocketAddrs;
    let cannot = |error: io::Error| {
        format!("cannot connect to {place}: {error}; is the server up, and its ws-server on?")
    };
    let addresses = place.to_socket_addrs().map_err(cannot)?;
    let mut failure = io::Error::other("no address");
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(cannot(failure))
}

/// Percent-encodes all but letters, digits and `-_.~`.
fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_query_survives_a_url() {
        assert_eq!(super::encode("a = \"ü\""), "a%20%3D%20%22%C3%BC%22");
    }
}
