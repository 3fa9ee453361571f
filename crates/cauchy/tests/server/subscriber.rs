//! A websocket that follows events.

use std::net::{SocketAddr, TcpStream};

use tungstenite::{Message, WebSocket};

use super::PATIENCE;

pub struct Subscriber {
    pub socket: WebSocket<TcpStream>,
}

impl Subscriber {
    /// Opens a path such as `/index?subscribe=true&query=true`.
    pub fn open(address: SocketAddr, path: &str) -> Subscriber {
        let stream = TcpStream::connect(address).expect("the server takes a connection");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a socket takes options");
        let url = format!("ws://{address}{path}");
        let (socket, _) = tungstenite::client(url, stream).expect("the server speaks websocket");
        Subscriber { socket }
    }

    /// The next event.
    pub fn next(&mut self) -> serde_json::Value {
        loop {
            match self.socket.read().expect("the server goes on") {
                Message::Text(text) => return serde_json::from_str(&text).expect("JSON"),
                Message::Close(frame) => panic!("closed: {frame:?}"),
                _ => {}
            }
        }
    }

    /// The next event of a service; others are passed over.
    pub fn next_of(&mut self, service: &str) -> serde_json::Value {
        loop {
            let event = self.next();
            if event["service"] == service {
                return event;
            }
        }
    }
}
