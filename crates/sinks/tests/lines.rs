//! Targets that write to sockets: what they send arrives, over TCP, TLS and UDP.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use codec::riemann::{decode_msg, encode_ack, frame};
use event::{Fields, Time, Views};
use rustls::{ServerConnection, StreamOwned};
use sinks::pace::MachinePace;
use sinks::riemann::forward::Forward;
use sinks::riemann::tcp::{Settings, TcpClient};
use sinks::riemann::udp::{DATAGRAM_BYTES, UdpClient};
use sinks::socket::Address;
use sinks::tls::{TlsSettings, client_config};
use sinks::{kairosdb, logentries, logstash, opentsdb};
use support::{deliver, event, tls_server};

/// Hands the first connection to `serve`.
fn server<T: Send + 'static>(
    serve: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (Address, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::new("localhost", listener.local_addr().unwrap().port());
    (
        address,
        thread::spawn(move || serve(listener.accept().unwrap().0)),
    )
}

fn one_line(stream: impl Read) -> String {
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line
}

#[test]
fn opentsdb_and_kairosdb_get_lines() {
    let event = event("api rate", 2.5);
    let (address, line) = server(one_line);
    let put = opentsdb::Put::new(&event, "api.rate", &opentsdb::tags(&event)).unwrap();
    deliver(opentsdb::OpenTsdb::new(address), vec![put]);
    assert_eq!(
        line.join().unwrap(),
        "put api.rate 1500000000 2.5 host=www1.example.com\n"
    );
    let (address, line) = server(one_line);
    let point = kairosdb::Point::new(&event, "m".into(), kairosdb::tags(&event)).unwrap();
    deliver(kairosdb::Telnet::new(address), vec![point]);
    assert_eq!(
        line.join().unwrap(),
        "putm m 1500000000000 2.5 fqdn=www1.example.com\n"
    );
}

#[test]
fn logentries_gets_its_token() {
    let (address, line) = server(one_line);
    let logentries = logentries::Logentries::new(address, "TOKEN");
    deliver(
        logentries,
        vec![logentries::Line::new(&event("api rate", 2.5))],
    );
    let line = line.join().unwrap();
    assert!(
        line.starts_with("TOKEN host='www1.example.com' service='api rate'"),
        "{line}"
    );
}

#[test]
fn logstash_gets_json_by_tcp_tls_and_udp() {
    let line = || logstash::Line::new(&event("api rate", 2.5));
    let (address, received) = server(one_line);
    deliver(logstash::Logstash::tcp(address, None), vec![line()]);
    assert_eq!(received.join().unwrap(), line().0);

    let (config, pem) = tls_server();
    let trusted = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(trusted.path(), pem).unwrap();
    let (address, received) = server(move |socket| {
        one_line(StreamOwned::new(
            ServerConnection::new(config).unwrap(),
            socket,
        ))
    });
    let settings = TlsSettings {
        ca_cert: Some(trusted.path().into()),
        ..TlsSettings::default()
    };
    let tls = client_config(&settings).unwrap();
    deliver(logstash::Logstash::tcp(address, Some(tls)), vec![line()]);
    assert_eq!(received.join().unwrap(), line().0);

    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = Address::new("127.0.0.1", socket.local_addr().unwrap().port());
    deliver(logstash::Logstash::udp(address), vec![line()]);
    let mut buffer = [0; 2000];
    let size = socket.recv(&mut buffer).unwrap();
    assert_eq!(&buffer[..size], line().0.as_bytes());
}

#[test]
fn events_are_forwarded_and_acknowledged() {
    let (address, services) = server(|mut stream| {
        let mut length = [0; 4];
        stream.read_exact(&mut length).unwrap();
        let mut message = vec![0; u32::from_be_bytes(length) as usize];
        stream.read_exact(&mut message).unwrap();
        let mut answer = Vec::new();
        frame(&mut answer, encode_ack);
        stream.write_all(&answer).unwrap();
        services(&message)
    });
    let client = TcpClient::new(Settings::new(address), Arc::new(MachinePace::start()));
    deliver(Forward::Tcp(client), vec![event("api rate", 2.5)]);
    assert_eq!(services.join().unwrap(), ["api rate"]);

    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = Address::new("127.0.0.1", socket.local_addr().unwrap().port());
    let client = UdpClient::new(address, DATAGRAM_BYTES);
    deliver(Forward::Udp(client), vec![event("load", 1.0)]);
    let mut buffer = [0; DATAGRAM_BYTES];
    let size = socket.recv(&mut buffer).unwrap();
    assert_eq!(self::services(&buffer[..size]), ["load"]);
}

fn services(message: &[u8]) -> Vec<String> {
    let mut views = Views::new();
    decode_msg(message, Time::from_s(0), &mut views).unwrap();
    views
        .iter()
        .map(|view| view.service().unwrap().to_string())
        .collect()
}
