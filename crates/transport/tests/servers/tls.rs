use std::fs;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;
use transport::{Server, TcpOptions, TcpServer, TlsFiles, Workers};

use crate::recorder::{Recorder, event};
use crate::wire::{Answer, connect, events, exchange, query};

/// An authority and the files of a server that it vouches for.
struct Authority {
    folder: TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let issuer = CertifiedIssuer::self_signed(params, key).unwrap();
        let authority = Authority {
            folder: TempDir::new().unwrap(),
            issuer,
        };
        let (certificate, key) = authority.issue("localhost");
        fs::write(authority.path("server.crt"), certificate.pem()).unwrap();
        fs::write(authority.path("server.key"), key.serialize_pem()).unwrap();
        fs::write(authority.path("ca.crt"), authority.issuer.pem()).unwrap();
        authority
    }

    fn issue(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    fn identity(&self) -> Identity {
        let (certificate, key) = self.issue("client");
        let key = PrivatePkcs8KeyDer::from(key.serialize_der());
        (vec![certificate.der().clone()], key.into())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn files(&self, ca_cert: bool) -> TlsFiles {
        TlsFiles {
            key: self.path("server.key"),
            cert: self.path("server.crt"),
            ca_cert: ca_cert.then(|| self.path("ca.crt")),
        }
    }

    fn client(&self, server: &Server, identity: Option<Identity>) -> impl Read + Write + use<> {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match identity {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => builder.with_client_auth_cert(chain, key).unwrap(),
        };
        let name = "localhost".try_into().unwrap();
        let session = ClientConnection::new(Arc::new(config), name).unwrap();
        StreamOwned::new(session, connect(server.addr()))
    }
}

fn options(tls: TlsFiles) -> TcpOptions {
    TcpOptions {
        port: Some(0),
        tls: Some(tls),
        ..TcpOptions::default()
    }
}

fn start(tls: TlsFiles) -> (Workers, Server, Arc<Recorder>) {
    let workers = Workers::start(Some(1)).unwrap();
    let recorder = Recorder::new();
    let server = TcpServer::bind(&options(tls))
        .unwrap()
        .serve(&workers, recorder.clone());
    (workers, server, recorder)
}

#[test]
fn without_an_authority_any_client_may_come() {
    let authority = Authority::new();
    let (_workers, server, recorder) = start(authority.files(false));
    let mut client = authority.client(&server, None);
    let bytes = [events(&["a"]), query("bad")].concat();
    assert_eq!(exchange(&mut client, &bytes, 2)[0], Answer::Ok);
    assert_eq!(recorder.calls(), [["a"]]);
    assert_eq!(server.kind(), "tls");
}

#[test]
fn large_messages_and_answers_go_through() {
    let authority = Authority::new();
    let (_workers, server, recorder) = start(authority.files(false));
    let large = "s".repeat(2 << 20);
    recorder.publish("index", &event(&large));
    let mut client = authority.client(&server, None);
    assert_eq!(exchange(&mut client, &events(&[&large]), 1), [Answer::Ok]);
    assert_eq!(
        exchange(&mut client, &query("all"), 1),
        [Answer::Events(vec![large])]
    );
}

#[test]
fn with_an_authority_a_client_needs_its_certificate() {
    let authority = Authority::new();
    let (_workers, server, recorder) = start(authority.files(true));
    let mut known = authority.client(&server, Some(authority.identity()));
    assert_eq!(exchange(&mut known, &events(&["a"]), 1), [Answer::Ok]);
    let stranger = Authority::new().identity();
    for identity in [None, Some(stranger)] {
        let mut unknown = authority.client(&server, identity);
        let written = unknown.write_all(&events(&["b"]));
        let refused = written.and_then(|()| unknown.read_exact(&mut [0]));
        assert!(refused.is_err());
    }
    assert_eq!(recorder.calls(), [["a"]]);
}

#[test]
fn a_client_that_does_not_speak_tls_is_closed() {
    let authority = Authority::new();
    let (_workers, server, recorder) = start(authority.files(false));
    let mut plain = connect(server.addr());
    plain.write_all(&events(&["a"])).unwrap();
    let mut answer = Vec::new();
    // An alert may come first.
    let _ = plain.read_to_end(&mut answer);
    assert!(answer.len() < 10 && recorder.calls().is_empty());
}

#[test]
fn errors_name_the_option_and_the_file() {
    let authority = Authority::new();
    let other = Authority::new();
    fs::write(authority.path("empty"), "").unwrap();
    fs::write(
        authority.path("broken"),
        "-----BEGIN CERTIFICATE-----\n!!\n",
    )
    .unwrap();
    let files = authority.files(true);
    let check = |files: TlsFiles, expected: [&str; 2]| {
        let error = TcpServer::bind(&options(files)).err().unwrap().to_string();
        assert!(expected.iter().all(|part| error.contains(part)), "{error}");
    };
    let key = |key| TlsFiles {
        key,
        ..files.clone()
    };
    let cert = |cert| TlsFiles {
        cert,
        ..files.clone()
    };
    check(
        key(authority.path("none")),
        ["cannot read :key", "/none: No such file"],
    );
    check(
        key(authority.path("ca.crt")),
        [":key", "/ca.crt holds no private key"],
    );
    check(
        key(other.path("server.key")),
        ["cannot use :key", "with :cert"],
    );
    check(
        cert(authority.path("empty")),
        [":cert", "/empty holds no certificate"],
    );
    check(
        cert(authority.path("broken")),
        [":cert", "/broken is not PEM"],
    );
    let ca_cert = Some(authority.path("server.key"));
    check(
        TlsFiles {
            ca_cert,
            ..files.clone()
        },
        [":ca-cert", "holds no certificate"],
    );
}
