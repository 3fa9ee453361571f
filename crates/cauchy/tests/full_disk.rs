//! Proves that a log that cannot be written stops nothing: `/dev/full` refuses each byte as a full
//! disk does, as the file that the configuration names and as standard error.

mod server;

use std::fs::OpenOptions;
use std::process::{Child, Stdio};

use server::riemann::{Riemann, event};
use server::{Server, USUAL, eventually, free_port, http, program};
use tempfile::TempDir;

#[test]
fn a_log_file_on_a_full_disk() {
    let config = format!(
        "(logging/init {{:file \"/dev/full\"}}) {USUAL}
         (streams (fn [event] (info \"seen\" (:service event))))"
    );
    let server = Server::start(&config);
    let mut client = server.connect();
    for number in 0..1_000 {
        client.send(&[event("logged", number)]);
    }
    server.log.wait("seen logged");
    assert_eq!(client.query("service = \"logged\"").len(), 1);
    let seen = server.log.len();
    server.reload(&config);
    server.log.wait_after(seen, ": reloaded");
    client.send(&[event("after", 1)]);
}

/// A child that is ended with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn standard_error_on_a_full_disk() {
    let (tcp, ws) = (free_port(), free_port());
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("riemann.config");
    let config = format!(
        "(tcp-server {{:port {tcp}}}) (ws-server {{:port {ws}}})
         (streams (index) (fn [event] (info \"seen\" (:service event)) (println event)))"
    );
    std::fs::write(&path, config).expect("the folder takes a file");
    let full = OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it");
    let child = program()
        .arg("start")
        .arg(&path)
        .stdin(Stdio::null())
        .stdout(full.try_clone().expect("a handle"))
        .stderr(full)
        .spawn();
    let mut server = Ended(child.expect("the program starts"));
    let mut client = eventually("the server", || {
        Riemann::try_connect(([127, 0, 0, 1], tcp).into()).ok()
    });
    for number in 0..1_000 {
        client.send(&[event("logged", number)]);
    }
    assert_eq!(client.query("service = \"logged\"").len(), 1);
    let page = eventually("the page", || {
        std::net::TcpStream::connect(("127.0.0.1", ws)).ok()?;
        Some(http::get(([127, 0, 0, 1], ws).into(), "/healthz"))
    });
    assert_eq!(page.0, 200);
    assert!(server.0.try_wait().expect("our child").is_none());
}
