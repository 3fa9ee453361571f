//! Zabbix's proxy takes what the zabbix target sends, for items that it knows.

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use sinks::outlet::Outlet;
use sinks::socket::Address;
use sinks::zabbix::{Sample, Zabbix};
use support::{NoWait, Server, deliver, event, free_low_port, python};

/// Starts a proxy on `port`; the first start makes its database.
fn proxy(folder: &Path, port: u16) -> Server {
    let at = folder.display();
    let config = format!(
        "Server=127.0.0.1:1\nHostname=proxy\nDBName={at}/proxy.db\nListenIP=127.0.0.1\n\
         ListenPort={port}\nLogType=console\nAllowRoot=1\nSocketDir={at}\nPidFile={at}/pid\n\
         StartPollers=0\nStartPollersUnreachable=0\nStartPingers=0\nStartDiscoverers=0\n\
         StartHTTPPollers=0\nStartODBCPollers=0\nStartDBSyncers=1\nStartTrappers=1\n\
         FpingLocation=/bin/true\n"
    );
    let file = folder.join("proxy.conf");
    std::fs::write(&file, config).unwrap();
    let server = Server::start(
        "zabbix_proxy",
        ["-f".as_ref(), "-c".as_ref(), file.as_os_str()],
    );
    server.wait_for("started [trapper #1]");
    server
}

/// Tells a stopped proxy of a host with a trapper item, as its server would.
fn add_item(folder: &Path) {
    let script = "import sqlite3, sys\n\
        db = sqlite3.connect(sys.argv[1])\n\
        db.execute(\"insert into hosts (hostid, host, name) \
                    values (1, 'www1.example.com', 'www1')\")\n\
        db.execute(\"insert into items (itemid, hostid, type, key_, name, value_type) \
                    values (1, 1, 2, 'api.rate', 'api rate', 0)\")\n\
        db.execute('insert into item_rtdata (itemid) values (1)')\n\
        db.commit()\n";
    let database = folder.join("proxy.db");
    let done = Command::new(python())
        .args(["-c", script])
        .arg(database)
        .status()
        .unwrap();
    assert!(done.success());
}

#[test]
fn the_proxy_takes_values_of_items_that_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_low_port();
    drop(proxy(folder.path(), port));
    add_item(folder.path());
    let _proxy = proxy(folder.path(), port);
    let zabbix = || Zabbix {
        address: Address::new("127.0.0.1", port),
    };
    deliver(
        zabbix(),
        vec![Sample::new(&event("api rate", 2.5)).unwrap()],
    );

    let outlet = Outlet::new("zabbix", zabbix(), Arc::new(NoWait::default()));
    outlet.offer(Sample::new(&event("unknown", 1.0)).unwrap());
    outlet.close(Duration::from_secs(3600));
    let stats = outlet.stats();
    assert_eq!((stats.sent, stats.lost), (0, 1));
    let trouble = stats.trouble.unwrap();
    assert!(
        trouble.starts_with("processed: 0; failed: 1; total: 1"),
        "{trouble}"
    );
}
