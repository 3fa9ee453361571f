//! Letters arrive through SMTP, plain and encrypted, and through a `sendmail` program.

mod support;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sinks::mail::{Letter, Login, Mail, Security, Settings, Smtp};
use sinks::outlet::Outlet;
use support::{NoWait, Server, deliver, python};

/// A certificate for `localhost` and its key, as files; the certificate as PEM too.
fn certificate(folder: &Path) -> (String, String, Vec<u8>) {
    let signed = rcgen::generate_simple_self_signed(["localhost".into()]).unwrap();
    let (cert, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    std::fs::write(&cert, signed.cert.pem()).unwrap();
    std::fs::write(&key, signed.signing_key.serialize_pem()).unwrap();
    let path = |path: &Path| path.to_str().unwrap().to_string();
    (path(&cert), path(&key), signed.cert.pem().into_bytes())
}

struct Case {
    mode: &'static str,
    security: Security,
}

fn serve(mode: &str, folder: &Path) -> (Server, Smtp) {
    let (cert, key, pem) = certificate(folder);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/smtp.py");
    let server = Server::start(python(), [script, mode, &cert, &key]);
    let port = server.wait_for_port("port=", "port=");
    let login = Login {
        user: "user".into(),
        password: "pass".into(),
    };
    let smtp = Smtp {
        host: "localhost".into(),
        port: Some(port),
        login: (mode != "plain").then_some(login),
        security: Security::None,
        ca_pem: Some(pem),
    };
    (server, smtp)
}

fn letter(to: &[&str]) -> Letter {
    Letter::new(
        "riemann",
        to,
        "disk is full",
        "line one\n.\nline ü\n".into(),
    )
    .unwrap()
}

#[test]
fn letters_arrive_by_smtp() {
    let cases = [
        Case {
            mode: "plain",
            security: Security::None,
        },
        Case {
            mode: "plain",
            security: Security::Opportunistic,
        },
        Case {
            mode: "starttls",
            security: Security::Opportunistic,
        },
        Case {
            mode: "starttls",
            security: Security::StartTls,
        },
        Case {
            mode: "tls",
            security: Security::Tls,
        },
    ];
    for case in cases {
        let folder = tempfile::tempdir().unwrap();
        let (server, smtp) = serve(case.mode, folder.path());
        let smtp = Settings::Smtp(Smtp {
            security: case.security,
            ..smtp
        });
        deliver(
            Mail::new(smtp).unwrap(),
            vec![letter(&["a@localhost", "b@localhost"])],
        );
        let received: Value = serde_json::from_str(&server.wait_for("{")).unwrap();
        let encrypted = case.mode != "plain";
        assert_eq!(received["from"], "riemann@localhost");
        assert_eq!(received["to"], json!(["a@localhost", "b@localhost"]));
        assert_eq!(
            received["tls"], encrypted,
            "{} {:?}",
            case.mode, case.security
        );
        assert_eq!(received["login"], encrypted);
        let data = received["data"].as_str().unwrap();
        assert!(data.contains("Subject: disk is full\r\n"), "{data}");
        assert!(data.contains("line one\r\n.\r\nline "), "{data}");
    }
}

#[test]
fn a_letter_that_is_refused_is_lost_and_the_next_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (server, smtp) = serve("plain", folder.path());
    let mail = Mail::new(Settings::Smtp(smtp)).unwrap();
    let outlet = Outlet::new("mail", mail, Arc::new(NoWait::default()));
    outlet.offer(letter(&["nobody@localhost"]));
    outlet.offer(letter(&["a@localhost"]));
    server.wait_for("a@localhost");
    outlet.close(Duration::from_secs(60));
    let stats = outlet.stats();
    assert_eq!(
        (stats.sent, stats.failed, stats.lost),
        (1, 1, 1),
        "{stats:?}"
    );
}

#[test]
fn a_server_that_is_not_trusted_gets_nothing() {
    for (mode, security) in [("starttls", Security::StartTls), ("tls", Security::Tls)] {
        let folder = tempfile::tempdir().unwrap();
        let (_server, smtp) = serve(mode, folder.path());
        let smtp = Settings::Smtp(Smtp {
            security,
            ca_pem: None,
            ..smtp
        });
        assert_eq!(sent(smtp), 0, "{mode}");
    }
}

/// How many of one letter are sent, after all attempts.
fn sent(settings: Settings) -> u64 {
    let mail = Mail::new(settings).unwrap();
    let outlet = Outlet::new("mail", mail, Arc::new(NoWait::default()));
    outlet.offer(letter(&["a@localhost"]));
    outlet.close(Duration::from_secs(3600));
    outlet.stats().sent
}

#[test]
fn a_server_without_encryption_gets_nothing_that_must_be_encrypted() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, smtp) = serve("plain", folder.path());
    let smtp = Settings::Smtp(Smtp {
        security: Security::StartTls,
        ..smtp
    });
    assert_eq!(sent(smtp), 0);
}

#[test]
fn letters_go_to_the_sendmail_program() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let program = folder.path().join("sendmail");
    let mut file = std::fs::File::create(&program).unwrap();
    write!(
        file,
        "#!/bin/sh\necho \"$@\" > {0}\ncat >> {0}\n",
        out.display()
    )
    .unwrap();
    file.set_permissions(std::fs::Permissions::from_mode(0o755))
        .unwrap();
    drop(file);
    let command = program.to_str().unwrap().to_string();
    let mail = Mail::new(Settings::Sendmail { command }).unwrap();
    deliver(mail, vec![letter(&["a@localhost"])]);
    let sent = std::fs::read_to_string(out).unwrap();
    assert!(
        sent.lines().next().unwrap().contains("a@localhost"),
        "{sent}"
    );
    assert!(sent.contains("Subject: disk is full"), "{sent}");
}
