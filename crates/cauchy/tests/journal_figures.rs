//! What a server tells of its journals: as events, and on `/metrics`.

mod server;

use server::http::get;
use server::riemann::event;
use server::{Server, USUAL, eventually};
use tempfile::TempDir;

/// Waits until a sample of `/metrics` has a value.
fn wait_for(server: &Server, sample: &str, value: &str) {
    let line = format!("{sample} {value}");
    eventually(&line, || {
        let (_, text) = get(server.address("ws"), "/metrics");
        text.lines().any(|other| other == line).then_some(())
    });
}

#[test]
fn each_journal_is_told_of_by_its_name() {
    let folder = TempDir::new().expect("a folder");
    let dir = |name: &str| folder.path().join(name);
    let server = Server::start(&format!(
        "(journal \"ingest\" {{:dir {:?}}})
         (index {{:persist true :dir {:?}}})
         (instrumentation {{:interval 0.2}})
         {USUAL}",
        dir("ingest"),
        dir("index")
    ));
    let mut client = server.connect();
    client.send(&[event("one", 1)]);
    client.send(&[event("two", 2)]);
    let ingest = |what: &str| format!("cauchy_journal_{what}{{journal=\"ingest\"}}");
    wait_for(&server, &ingest("appended_total"), "2");
    wait_for(&server, &ingest("damaged_records_total"), "0");
    wait_for(&server, &ingest("sync_failures_total"), "0");
    wait_for(&server, &ingest("disk_full"), "0");
    let streams = "{journal=\"ingest\",subscriber=\"streams\"}";
    let depth = format!("cauchy_journal_subscriber_depth_records{streams}");
    wait_for(&server, &depth, "0");
    let oldest = format!("cauchy_journal_subscriber_oldest_seconds{streams}");
    wait_for(&server, &oldest, "0");
    let (_, text) = get(server.address("ws"), "/metrics");
    assert!(
        text.contains("cauchy_journal_appended_total{journal=\"index\"} "),
        "{text}"
    );
    for query in [
        "service = \"cauchy journal ingest appended\" and metric = 2",
        "service = \"cauchy journal ingest subscriber streams depth\" and metric = 0",
    ] {
        eventually(query, || (client.query(query).len() == 1).then_some(()));
    }
}
