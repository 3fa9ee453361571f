//! Xymon's daemon shows what the xymon target reports.

mod support;

use sinks::socket::{Address, exchange};
use sinks::xymon::{Status, Xymon};
use support::{Server, deliver, event, free_port};

/// Where Debian's package puts it.
const XYMOND: &str = "/usr/lib/xymon/server/bin/xymond";

#[test]
fn the_daemon_shows_each_status() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let port = free_port();
    std::fs::write(
        folder.path().join("hosts.cfg"),
        "127.0.0.1 www1.example.com # noconn\n",
    )
    .unwrap();
    let places = [
        "XYMONHOME",
        "XYMONTMP",
        "XYMONSERVERROOT",
        "XYMONRUNDIR",
        "XYMONVAR",
    ];
    let mut args: Vec<String> = places.iter().map(|name| format!("{name}={at}")).collect();
    args.extend([
        XYMOND.into(),
        "--no-daemon".into(),
        format!("--listen=127.0.0.1:{port}"),
        format!("--hosts={at}/hosts.cfg"),
    ]);
    let server = Server::start("env", args);
    server.wait_for("Setup complete");

    let address = Address::new("127.0.0.1", port);
    let calm = event("disk.used", 1.0).edit(|draft| draft.state = Some("ok".into()));
    let statuses = [event("api rate", 2.5), calm].map(|event| Status::new(&event));
    deliver(
        Xymon {
            address: address.clone(),
        },
        statuses.into(),
    );

    let query = b"xymondboard fields=hostname,testname,color,line1";
    let board = String::from_utf8(exchange(&address, query, 1 << 20).unwrap()).unwrap();
    for line in [
        "www1.example.com|api_rate|red|red too \"slow\"\n",
        "www1.example.com|disk_used|green|green too \"slow\"\n",
    ] {
        assert!(board.contains(line), "no {line:?} in {board}");
    }
}
