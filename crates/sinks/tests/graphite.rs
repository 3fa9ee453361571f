//! Carbon stores what the graphite target sends.

mod support;

use std::path::Path;
use std::process::Command;

use sinks::graphite::{
    Graphite, Line, Protocol, Settings, path_basic, path_percentiles, path_tags,
};
use sinks::socket::Address;
use support::{Server, deliver, event, free_port};

fn carbon(folder: &Path, port: u16) -> Server {
    let at = folder.display();
    let conf = format!(
        "[cache]\nSTORAGE_DIR={at}\nCONF_DIR={at}\nLOG_DIR={at}\nPID_DIR={at}\n\
         LOCAL_DATA_DIR={at}/whisper\nLINE_RECEIVER_INTERFACE=127.0.0.1\n\
         LINE_RECEIVER_PORT={port}\nENABLE_UDP_LISTENER=True\nUDP_RECEIVER_INTERFACE=127.0.0.1\n\
         UDP_RECEIVER_PORT={port}\nPICKLE_RECEIVER_PORT=0\nCACHE_QUERY_INTERFACE=127.0.0.1\n\
         CACHE_QUERY_PORT=0\nLOG_UPDATES=True\nENABLE_LOGROTATION=False\nENABLE_TAGS=False\nUSER=\n"
    );
    std::fs::write(folder.join("carbon.conf"), conf).unwrap();
    let schemas = "[all]\npattern=.*\nretentions=1d:40y\n";
    std::fs::write(folder.join("storage-schemas.conf"), schemas).unwrap();
    let conf = format!("--config={at}/carbon.conf");
    let server = Server::start("carbon-cache", [&conf, "--nodaemon", "--debug", "start"]);
    server.wait_for(&format!("MetricDatagramReceiver starting on {port}"));
    server
}

fn stored(folder: &Path, path: &str) -> String {
    let file = folder.join("whisper").join(path.replace('.', "/") + ".wsp");
    let output = Command::new("whisper-fetch")
        .args(["--json", "--from=1499990000", "--until=1500010000"])
        .arg(file)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn carbon_stores_what_comes_by_tcp_and_udp() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let server = carbon(folder.path(), port);
    let address = Address::new("127.0.0.1", port);
    let (fast, api) = (event("fast 0.95", 2.5), event("api rate", 7.25));

    let tcp = Settings {
        address: address.clone(),
        ..Settings::default()
    };
    let lines = vec![
        Line::new(&fast, &path_percentiles(&fast)).unwrap(),
        Line::new(&api, &path_tags(&api)).unwrap(),
    ];
    deliver(Graphite::new(tcp), lines);
    server.wait_for("datapoints for api.rate;host=www1.example.com");

    let udp = Settings {
        address,
        protocol: Protocol::Udp,
    };
    deliver(
        Graphite::new(udp),
        vec![Line::new(&api, &path_basic(&api)).unwrap()],
    );
    server.wait_for("datapoints for com.example.www1.api.rate");

    let found = stored(folder.path(), "com.example.www1.fast.95");
    assert!(found.contains("\"values\" : [2.5]"), "{found}");
    let found = stored(folder.path(), "com.example.www1.api.rate");
    assert!(found.contains("\"values\" : [7.25]"), "{found}");
}
