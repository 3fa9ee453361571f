//! ClickHouse holds what the clickhouse target inserts.

mod support;

use sinks::clickhouse::{ClickHouse, Row, Settings};
use sinks::http::{Request, agent, send};
use support::{Server, deliver, event, free_port};

fn configure(folder: &std::path::Path, port: u16) -> std::path::PathBuf {
    let at = folder.display();
    std::fs::create_dir(folder.join("data")).unwrap();
    std::fs::create_dir(folder.join("tmp")).unwrap();
    let config = format!(
        "<yandex><logger><level>information</level><console>1</console></logger>\
         <http_port>{port}</http_port><listen_host>127.0.0.1</listen_host>\
         <path>{at}/data/</path><tmp_path>{at}/tmp/</tmp_path>\
         <users_config>{at}/users.xml</users_config><default_profile>default</default_profile>\
         <default_database>default</default_database>\
         <mark_cache_size>5242880</mark_cache_size></yandex>"
    );
    let users = "<yandex><profiles><default/></profiles><quotas><default/></quotas>\
                 <users><default><password>secret</password><profile>default</profile>\
                 <quota>default</quota><networks><ip>127.0.0.1</ip></networks></default></users>\
                 </yandex>";
    std::fs::write(folder.join("users.xml"), users).unwrap();
    let file = folder.join("config.xml");
    std::fs::write(&file, config).unwrap();
    file
}

#[test]
fn clickhouse_makes_the_table_and_holds_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let config = configure(folder.path(), port);
    let option = format!("--config-file={}", config.display());
    let server = Server::start("clickhouse-server", [option]);
    server.wait_for("Ready for connections");
    let settings = Settings {
        table: "of `events`".into(),
        user: Some("default".into()),
        password: Some("secret".into()),
        ..Settings::new(format!("http://127.0.0.1:{port}"))
    };
    let tagged = event("it's, \"odd\"\\", f64::INFINITY).edit(|draft| {
        draft.tags = Some(vec!["a'b".into(), "c\"d\\".into()]);
        draft.host = None;
    });
    let rows = [event("api rate", 2.5), tagged].map(|event| Row::new(&event).unwrap());
    deliver(ClickHouse::new(settings.clone(), agent()), rows.into());
    let query = "SELECT toUInt32(time), host, service, state, description, metric, tags \
                 FROM default.`of \\`events\\`` ORDER BY host FORMAT JSONCompact";
    let request = Request::post(&settings.url)
        .header("X-ClickHouse-User", "default")
        .header("X-ClickHouse-Key", "secret")
        .body("text/plain", query);
    let answer = send(&agent(), request).unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    let expected = serde_json::json!([
        [
            1_500_000_000,
            "",
            "it's, \"odd\"\\",
            "critical",
            "too \"slow\"",
            null,
            ["a'b", "c\"d\\"]
        ],
        [
            1_500_000_000,
            "www1.example.com",
            "api rate",
            "critical",
            "too \"slow\"",
            2.5,
            ["a"]
        ],
    ]);
    assert_eq!(answer["data"], expected);
}
