//! NSCA's daemon takes what the nagios target sends, and nothing with another password.

mod support;

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::thread;

use sinks::nagios::{Check, Encryption, Nagios};
use sinks::socket::Address;
use support::{deliver, event};

/// What the daemon writes for Nagios when it is sent one check.
fn received(method: u8, encryption: Encryption, password: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let conf = format!(
        "command_file={at}/commands\nalternate_dump_file={at}/dump\nappend_to_file=1\n\
         aggregate_writes=0\nmax_packet_age=30\ndebug=0\npassword=secret\n\
         decryption_method={method}\n"
    );
    let conf_file = folder.path().join("nsca.cfg");
    std::fs::write(&conf_file, conf).unwrap();
    std::fs::write(folder.path().join("commands"), "").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::new("127.0.0.1", listener.local_addr().unwrap().port());
    let daemon = thread::spawn(move || {
        let socket = OwnedFd::from(listener.accept().unwrap().0);
        let status = Command::new("nsca")
            .arg("-c")
            .arg(conf_file)
            .arg("--inetd")
            .stdin(Stdio::from(socket.try_clone().unwrap()))
            .stdout(Stdio::from(socket))
            .status();
        status.unwrap();
    });
    let nagios = Nagios {
        address,
        encryption,
        password: password.into(),
    };
    deliver(nagios, vec![Check::new(&event("api rate", 2.5))]);
    daemon.join().unwrap();
    std::fs::read_to_string(folder.path().join("commands")).unwrap()
}

#[test]
fn the_daemon_takes_a_check() {
    let line = "PROCESS_SERVICE_CHECK_RESULT;www1.example.com;api rate;2;too \"slow\"";
    let plain = received(0, Encryption::None, "");
    assert!(plain.contains(line), "{plain:?}");
    let hidden = received(1, Encryption::Xor, "secret");
    assert!(hidden.contains(line), "{hidden:?}");
}

#[test]
fn the_daemon_refuses_another_password() {
    assert_eq!(received(1, Encryption::Xor, "other"), "");
}
