//! Plain HTTP requests, by hand.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use super::PATIENCE;

/// GETs a path; gives the status and the body.
pub fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let text = exchange(address, request.as_bytes());
    let text = String::from_utf8(text).expect("an answer in UTF-8");
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no head: {text}"));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    (
        status.unwrap_or_else(|| panic!("no status: {head}")),
        body.to_owned(),
    )
}

/// Sends bytes and reads until the server closes.
pub fn exchange(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("the server takes a connection");
    stream
        .set_read_timeout(Some(PATIENCE))
        .expect("a socket takes options");
    stream.write_all(bytes).expect("the server reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the server closes");
    answer
}
