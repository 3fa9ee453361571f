//! Proves that garbage on any port harms nobody: bytes of no sense, messages cut short, lengths that
//! lie, and clients that go away in the middle. The server runs on, serves others, and its memory is
//! bounded.

mod server;

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, UdpSocket};

use server::authority::Authority;
use server::process::resident_bytes;
use server::riemann::{event, events_message};
use server::{PATIENCE, Server, http};

/// Memory that the whole of it may take.
const BYTES_MAX: u64 = 256 << 20;

/// Bytes without sense, the same each time.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

fn garbage() -> Vec<Vec<u8>> {
    let message = events_message(&[event("cut", 1)]);
    let mut all: Vec<Vec<u8>> = (1..40).map(|seed| noise(seed, 1 << (seed % 17))).collect();
    all.extend((0..message.len()).map(|length| message[..length].to_vec()));
    for length in [0_u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] {
        all.push([&length.to_be_bytes()[..], &noise(7, 5000)].concat());
    }
    for text in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET /index?query=%ff%fe HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /events HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n{\"serv",
        "POST /events HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "\r\n\r\n\r\n",
        "put\nput a\nput a b c d\nput a 1 NaN host=\n",
        "a b c\n a 1 2\nfoo 1e999 -5\n;;;=;= 1 1\n",
        "{\"service\": [[[[[[[[",
    ] {
        all.push(text.as_bytes().to_vec());
    }
    all.push(b"[".repeat(1 << 20));
    all.push(b"a".repeat(1 << 20));
    all
}

/// Writes, stops writing, and reads whatever comes until the server closes, or slams the door.
fn throw(address: SocketAddr, bytes: &[u8], slam: bool) {
    let mut stream = TcpStream::connect(address).expect("the server takes a connection");
    stream
        .set_read_timeout(Some(PATIENCE))
        .expect("a socket takes options");
    stream
        .set_write_timeout(Some(PATIENCE))
        .expect("a socket takes options");
    // The server may close in the middle of it.
    let _ = stream.write_all(bytes);
    if slam {
        return;
    }
    let _ = stream.shutdown(Shutdown::Write);
    let outcome = stream.read_to_end(&mut Vec::new());
    let waiting = [std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut];
    if let Err(error) = outcome {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        assert!(
            !waiting.contains(&error.kind()),
            "{address} neither answers nor closes: {start}"
        );
    }
}

#[test]
fn garbage_on_every_port_harms_nobody() {
    let authority = Authority::new();
    let mut server = Server::start(&format!(
        "(tcp-server {{:port 0}}) (udp-server {{:port 0}}) (ws-server {{:port 0}})
         (tcp-server {{:port {} :tls? true :key {:?} :cert {:?} :ca-cert {:?}}})
         (sse-server {{:port 0}}) (graphite-server {{:port 0}}) (opentsdb-server {{:port 0}})
         (streams (default :ttl 60 (index)))",
        server::free_port(),
        authority.text("server.key"),
        authority.text("server.crt"),
        authority.text("ca.crt"),
    ));
    let mut client = server.connect();
    client.send(&[event("before", 1)]);
    let sender = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    for (number, bytes) in garbage().iter().enumerate() {
        for kind in ["tcp", "tls", "ws", "sse", "graphite", "opentsdb"] {
            throw(server.address(kind), bytes, number % 3 == 0);
        }
        let datagram = &bytes[..bytes.len().min(60_000)];
        sender
            .send_to(datagram, server.address("udp"))
            .expect("a datagram leaves");
        client.send(&[event("meanwhile", number as i64)]);
        assert!(server.is_running());
    }
    assert_eq!(client.query("service = \"before\"").len(), 1);
    assert_eq!(http::get(server.address("ws"), "/healthz").0, 200);
    server.connect().send(&[event("after", 1)]);
    let bytes = resident_bytes(server.pid());
    assert!(bytes < BYTES_MAX, "{bytes}");
    assert_eq!(
        server.log.count("panicked") + server.log.count("internal error"),
        0
    );
}
