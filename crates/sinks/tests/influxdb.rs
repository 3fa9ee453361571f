//! InfluxDB keeps what the influxdb target writes.

mod support;

use sinks::http::{HttpTarget, Request, agent, send};
use sinks::influxdb::{InfluxDb, Point, Shape, V1};
use support::{Server, deliver, event};

#[test]
fn influxdb_keeps_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let conf = format!(
        "reporting-disabled = true\nbind-address = \"127.0.0.1:0\"\n[meta]\ndir = \"{at}/meta\"\n\
         [data]\ndir = \"{at}/data\"\nwal-dir = \"{at}/wal\"\n\
         [http]\nbind-address = \"127.0.0.1:0\"\n"
    );
    let file = folder.path().join("influxdb.conf");
    std::fs::write(&file, conf).unwrap();
    let server = Server::start(
        "influxd",
        ["run".as_ref(), "-config".as_ref(), file.as_os_str()],
    );
    let port = server.wait_for_port("Listening on HTTP", "addr=127.0.0.1:");
    let url = format!("http://127.0.0.1:{port}");
    let query = |query: &str| {
        let form = [("q", query), ("db", "my db"), ("epoch", "s")];
        let answer = send(&agent(), Request::post(format!("{url}/query")).form(&form)).unwrap();
        assert_eq!(answer.status, 200);
        String::from_utf8(answer.body).unwrap()
    };
    query("CREATE DATABASE \"my db\"");

    let odd = event("odd, = service", 3.0).edit(|draft| {
        draft.description = Some("back\\slash\nand \"quotes\"".into());
    });
    let points = [event("api rate", 2.5), odd]
        .map(|event| Point::from_event(&event, &Shape::default()).unwrap());
    let v1 = V1 {
        url: url.clone(),
        db: "my db".into(),
        username: None,
        password: None,
        retention: None,
        consistency: None,
    };
    deliver(HttpTarget::new(InfluxDb::V1(v1), agent()), points.into());

    let found = query("SELECT host, value, state, description FROM \"api rate\"");
    let row = r#"[1500000000,"www1.example.com",2.5,"critical","too \"slow\""]"#;
    assert!(found.contains(row), "{found}");
    let found = query("SELECT value, description FROM \"odd, = service\"");
    let row = r#"[1500000000,3,"back\\slash\nand \"quotes\""]"#;
    assert!(found.contains(row), "{found}");
}
