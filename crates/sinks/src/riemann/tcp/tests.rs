use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use codec::riemann::{encode_ack, encode_answer, encode_error};
use event::{Draft, Fields};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::*;
use crate::pace::{Bell, MachinePace};
use crate::tls::{TlsSettings, client_config};

fn event(service: &str) -> Event {
    Draft {
        service: Some(service.into()),
        time: Some(Time::from_us(1)),
        ..Draft::record()
    }
    .build()
}

/// The next message: its query, and the services of its events.
fn read_message(stream: &mut impl Read) -> Option<(Option<String>, Vec<String>)> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut message = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut message).ok()?;
    let mut views = Views::new();
    let head = decode_msg(&message, Time::from_s(0), &mut views).unwrap();
    let services = views
        .iter()
        .map(|view| view.service().unwrap().to_string())
        .collect();
    Some((head.query.map(str::to_string), services))
}

fn answer(stream: &mut impl Write, write: impl FnOnce(&mut Vec<u8>)) {
    let mut out = Vec::new();
    frame(&mut out, write);
    stream.write_all(&out).unwrap();
}

/// Acknowledges events, answers a query with an event named as the query, refuses `bad`.
fn serve(mut stream: impl Read + Write) {
    while let Some((query, services)) = read_message(&mut stream) {
        match query {
            Some(query) => answer(&mut stream, |out| encode_answer(out, [&event(&query)])),
            None if services == ["bad"] => {
                answer(&mut stream, |out| encode_error(out, Some("no such thing")));
            }
            None => answer(&mut stream, encode_ack),
        }
    }
}

fn listen() -> (TcpListener, Settings) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, Settings::new(Address::new("localhost", port)))
}

fn client(settings: Settings) -> TcpClient {
    TcpClient::new(settings, Arc::new(MachinePace::start()))
}

#[test]
fn sends_asks_and_is_refused_on_one_connection() {
    let (listener, settings) = listen();
    let server = thread::spawn(move || serve(listener.accept().unwrap().0));
    let client = client(settings);
    assert!(!client.is_connected());
    client.send_events(&[event("a"), event("b")]).unwrap();
    assert!(client.is_connected());
    let found = client.query("service = \"x\"", Time::from_s(0)).unwrap();
    assert_eq!(found, [event("service = \"x\"")]);
    let refused = client.send_events(&[event("bad")]);
    assert_eq!(refused, Err(ClientError::Server("no such thing".into())));
    drop(client);
    server.join().unwrap();
}

#[test]
fn requests_do_not_wait_for_each_other() {
    let (listener, settings) = listen();
    let server = thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let services: Vec<_> = (0..3)
            .map(|_| read_message(&mut stream).unwrap().1)
            .collect();
        assert_eq!(services, [["a"], ["bad"], ["c"]]);
        answer(&mut stream, encode_ack);
        answer(&mut stream, |out| encode_error(out, Some("second")));
        answer(&mut stream, encode_ack);
    });
    let client = client(settings);
    let promises = ["a", "bad", "c"].map(|s| client.send_events_promised(&[event(s)]).unwrap());
    let answers = promises.map(Promise::wait);
    assert_eq!(
        answers,
        [Ok(()), Err(ClientError::Server("second".into())), Ok(())]
    );
    assert_eq!(client.pending(), 0);
    server.join().unwrap();
}

#[test]
fn many_threads_share_a_connection() {
    let (listener, settings) = listen();
    let server = thread::spawn(move || serve(listener.accept().unwrap().0));
    let client = client(settings);
    thread::scope(|scope| {
        for thread in 0..4 {
            let client = &client;
            scope.spawn(move || {
                for turn in 0..50 {
                    let query = format!("{thread} {turn}");
                    let found = client.query(&query, Time::from_s(0)).unwrap();
                    assert_eq!(found[0].service(), Some(query.as_str()));
                }
            });
        }
    });
    drop(client);
    server.join().unwrap();
}

#[test]
fn connects_again_after_the_server_closed() {
    let (listener, settings) = listen();
    let server = thread::spawn(move || {
        let mut first = listener.accept().unwrap().0;
        read_message(&mut first).unwrap();
        drop(first);
        serve(listener.accept().unwrap().0);
    });
    let client = client(settings);
    let broken = client.send_events(&[event("a")]);
    assert!(
        matches!(broken, Err(ClientError::Disconnected(_))),
        "{broken:?}"
    );
    client.send_events(&[event("a")]).unwrap();
    drop(client);
    server.join().unwrap();
}

/// A clock that the test moves.
#[derive(Default)]
struct Hand(Mutex<Duration>);

impl Pace for Hand {
    fn now(&self) -> Duration {
        *self.0.lock()
    }
    fn pause(&self, _: Duration, _: &Bell) {}
}

#[test]
fn does_not_connect_again_within_the_delay() {
    let (listener, settings) = listen();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let hand = Arc::new(Hand::default());
    let client = TcpClient::new(settings, hand.clone());
    assert!(matches!(
        client.connect(),
        Err(ClientError::Disconnected(_))
    ));
    let listener = TcpListener::bind(address).unwrap();
    *hand.0.lock() = Duration::from_millis(4999);
    assert!(client.connect().is_err());
    *hand.0.lock() = RECONNECT_DELAY;
    client.connect().unwrap();
    drop(listener);
}

#[test]
fn a_server_that_does_not_answer_is_given_up() {
    let (listener, settings) = listen();
    let client = client(Settings {
        timeout: Duration::from_millis(1),
        ..settings
    });
    let promise = client.send_events_promised(&[event("a")]).unwrap();
    let later = client.send_events_promised(&[event("b")]).unwrap();
    assert_eq!(promise.wait(), Err(ClientError::Timeout));
    assert!(matches!(later.wait(), Err(ClientError::Disconnected(_))));
    assert!(!client.is_connected());
    drop(listener);
}

#[test]
fn too_many_requests_are_refused() {
    let (listener, settings) = listen();
    let client = client(Settings {
        pending_max: 2,
        ..settings
    });
    let _first = client.send_events_promised(&[event("a")]).unwrap();
    let _second = client.send_events_promised(&[event("a")]).unwrap();
    let third = client.send_events_promised(&[event("a")]);
    assert_eq!(third.err(), Some(ClientError::Overloaded));
    drop(listener);
}

#[test]
fn garbage_ends_the_connection() {
    let (listener, settings) = listen();
    let server = thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        read_message(&mut stream).unwrap();
        stream.write_all(&[0xff; 8]).unwrap();
        assert!(read_message(&mut stream).is_none());
    });
    let client = client(settings);
    let answer = client.send_events(&[event("a")]);
    assert!(
        matches!(answer, Err(ClientError::Protocol(_))),
        "{answer:?}"
    );
    server.join().unwrap();
}

/// A certificate for `localhost`, as the server's configuration and as a file to trust.
fn certificate(name: &str) -> (Arc<ServerConfig>, tempfile::NamedTempFile) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed([name.into()]).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), cert.pem()).unwrap();
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    (Arc::new(config), file)
}

fn serve_tls(listener: TcpListener, config: Arc<ServerConfig>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let stream: TcpStream = listener.accept().unwrap().0;
        serve(StreamOwned::new(
            ServerConnection::new(config).unwrap(),
            stream,
        ));
    })
}

#[test]
fn speaks_tls_with_a_server_it_trusts() {
    let (listener, settings) = listen();
    let (config, file) = certificate("localhost");
    let server = serve_tls(listener, config);
    let trust = TlsSettings {
        ca_cert: Some(file.path().into()),
        ..TlsSettings::default()
    };
    let client = client(Settings {
        tls: Some(client_config(&trust).unwrap()),
        ..settings
    });
    let long = "x".repeat(300_000);
    assert_eq!(
        client.query(&long, Time::from_s(0)).unwrap(),
        [event(&long)]
    );
    client.send_events(&[event("a")]).unwrap();
    drop(client);
    server.join().unwrap();
}

#[test]
fn trusts_nobody_else_and_looks_at_the_name_unless_told() {
    let check = |settings: &TlsSettings, works: bool| {
        let (listener, to) = listen();
        let (config, file) = certificate("elsewhere");
        let server = serve_tls(listener, config);
        let ca_cert = settings.ca_cert.is_some().then(|| file.path().into());
        let tls = client_config(&TlsSettings {
            ca_cert,
            ..settings.clone()
        })
        .unwrap();
        let client = client(Settings {
            tls: Some(tls),
            ..to
        });
        assert_eq!(client.connect().is_ok(), works, "{settings:?}");
        drop(client);
        server.join().unwrap();
    };
    let own = TlsSettings {
        ca_cert: Some("".into()),
        ..TlsSettings::default()
    };
    check(&own, false);
    check(
        &TlsSettings {
            check_name: false,
            ..own
        },
        true,
    );
    check(
        &TlsSettings {
            check_name: false,
            ..TlsSettings::default()
        },
        false,
    );
}
