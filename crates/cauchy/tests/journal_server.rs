//! Proves that a message that was acknowledged reaches the streams though the server is killed:
//! servers are killed at random moments in every durability, and one that starts on the same
//! journal gives its streams everything, in the order in which each connection sent it, at the
//! time at which it was received.

mod server;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::Duration;

use event::{Draft, Event, Number};
use server::riemann::{Answer, Riemann, event, events_message};
use server::{Server, eventually, program};
use tempfile::TempDir;

/// Kills of a server in each durability; `SLOW=1` asks for more.
fn rounds() -> u64 {
    if std::env::var_os("SLOW").is_some() {
        40
    } else {
        4
    }
}

/// Connections that send at the same time.
const CLIENTS: i64 = 3;

/// Messages that a client sends before it reads their answers.
const WINDOW: i64 = 20;

/// A server behind a journal, whose streams write what they see to a file.
fn config(journal: &Path, options: &str, seen: &Path) -> String {
    format!(
        "(journal \"ingest\" {{:dir {journal:?} {options}}})
         (tcp-server {{:port 0}})
         (let [seen {seen:?}]
           (streams (fn [event]
             (when (= \"test\" (:host event))
               (spit seen (str (:service event) \" \" (:metric event) \"\\n\") :append true)))))"
    )
}

/// What a file of the streams tells: for each service, its metrics in the order they came in.
fn seen(path: &Path) -> BTreeMap<String, Vec<i64>> {
    let mut seen = BTreeMap::<String, Vec<i64>>::new();
    for line in fs::read_to_string(path).unwrap_or_default().lines() {
        let (service, metric) = line.split_once(' ').expect("a service and a metric");
        let metric = metric.parse().expect("a whole number");
        seen.entry(service.to_owned()).or_default().push(metric);
    }
    seen
}

/// Sends numbered events until the server is gone, and gives the last that was acknowledged.
fn send_until_killed(address: std::net::SocketAddr, service: &str) -> i64 {
    let Ok(mut client) = Riemann::try_connect(address) else {
        return 0;
    };
    let (mut sent, mut acknowledged) = (0, 0);
    loop {
        let mut messages = Vec::new();
        for _ in 0..WINDOW {
            sent += 1;
            messages.extend(events_message(&[event(service, sent)]));
        }
        if client.stream.write_all(&messages).is_err() {
            return acknowledged;
        }
        for _ in 0..WINDOW {
            match client.answer() {
                Ok(Answer { ok: true, .. }) => acknowledged += 1,
                Ok(refused) => panic!("{refused:?}"),
                Err(_) => return acknowledged,
            }
        }
    }
}

/// Some milliseconds that differ from round to round.
fn moment(round: u64) -> Duration {
    let mixed = (round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    Duration::from_millis(5 + mixed % 150)
}

fn killed_again_and_again(options: &str) {
    let folder = TempDir::new().expect("a folder");
    let journal = folder.path().join("ingest");
    let mut acknowledged = BTreeMap::new();
    for round in 0..rounds() {
        let seen = folder.path().join(format!("seen-{round}"));
        let options = format!("{options} :rewind 3600");
        let mut server = Server::start(&config(&journal, &options, &seen));
        let address = server.address("tcp");
        let clients = (0..CLIENTS).map(|client| {
            let service = format!("r{round}-c{client}");
            thread::spawn(move || (send_until_killed(address, &service), service))
        });
        let clients: Vec<_> = clients.collect();
        thread::park_timeout(moment(round));
        server.signal(libc::SIGKILL);
        server.wait();
        for client in clients {
            let (last, service) = client.join().expect("a client");
            acknowledged.insert(service, last);
        }
    }
    let last = folder.path().join("seen-last");
    let options = format!("{options} :rewind 3600");
    let mut server = Server::start(&config(&journal, &options, &last));
    server.signal(libc::SIGTERM);
    server.wait();
    let seen = seen(&last);
    let mut total = 0;
    for (service, acknowledged) in acknowledged {
        let metrics = seen.get(&service).cloned().unwrap_or_default();
        let length = i64::try_from(metrics.len()).expect("few");
        assert!(
            length >= acknowledged,
            "{service}: {length} of {acknowledged}"
        );
        assert_eq!(metrics, (1..=length).collect::<Vec<_>>(), "{service}");
        total += acknowledged;
    }
    assert!(total > 0, "nothing was acknowledged in {} rounds", rounds());
}

#[test]
fn killed_with_durability_os() {
    killed_again_and_again("");
}

#[test]
fn killed_with_durability_interval() {
    killed_again_and_again(":durability :interval :ms 20 :compression :lz4");
}

#[test]
fn killed_with_durability_always() {
    killed_again_and_again(":durability :always");
}

/// What the streams had in hand and did not finish, they get again; what they had finished and was
/// noted, they do not. The time is that at which the message was received.
#[test]
fn what_was_in_the_streams_comes_again_at_its_time() {
    let folder = TempDir::new().expect("a folder");
    let (journal, seen) = (folder.path().join("ingest"), folder.path().join("seen"));
    let stuck = format!(
        "(journal \"ingest\" {{:dir {journal:?}}}) (tcp-server {{:port 0}})
         (streams (fn [event] (when (= \"stuck\" (:service event))
                                (info \"stuck at\" (:metric event))
                                (Thread/sleep 600000))))"
    );
    let mut server = Server::start(&stuck);
    server.connect().send(&[event("done", 1)]);
    let noted = || {
        let mut command = program();
        command
            .args(["journal", "subscribers", "--json"])
            .arg(&journal);
        let output = command.output().expect("it runs").stdout;
        let text = String::from_utf8_lossy(&output).replace(' ', "");
        text.contains("\"checkpoint\":1").then_some(())
    };
    eventually("the note of what was seen", noted);
    let untimed = Draft {
        host: Some("test".into()),
        service: Some("stuck".into()),
        metric: Some(Number::Int(7)),
        ..Draft::record()
    };
    let untimed: Event = untimed.build();
    let mut client = server.connect();
    let message = events_message(&[untimed]);
    client.stream.write_all(&message).expect("the server reads");
    server.log.wait("stuck at 7");
    server.signal(libc::SIGKILL);
    server.wait();
    let again = format!(
        "(journal \"ingest\" {{:dir {journal:?}}}) (tcp-server {{:port 0}})
         (streams (fn [event]
           (when (= \"test\" (:host event))
             (spit {seen:?} (str (:service event) \" \" (:metric event) \" late \"
                                 (long (* 1000 (- (unix-time) (:time event)))) \"\\n\")
                   :append true))))"
    );
    let mut server = Server::start(&again);
    server.connect().send(&[event("new", 9)]);
    server.signal(libc::SIGTERM);
    server.wait();
    let text = fs::read_to_string(&seen).expect("the streams saw something");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "stuck 7 late 0");
    assert!(lines[1].starts_with("new 9"), "{text}");
    assert_eq!(lines.len(), 2, "{text}");
    let mut server = Server::start(&again);
    server.signal(libc::SIGTERM);
    server.wait();
    let text = fs::read_to_string(&seen).expect("the file is still there");
    assert_eq!(text.lines().count(), 2, "{text}");
}

/// While the disk is full, nothing is acknowledged, and the client is told why; then it goes on.
#[test]
fn a_full_disk_refuses_and_resumes() {
    let folder = TempDir::new().expect("a folder");
    let (journal, seen_by) = (folder.path().join("ingest"), folder.path().join("seen"));
    let config_of = |streams: &str| {
        format!("(journal \"ingest\" {{:dir {journal:?}}}) (tcp-server {{:port 0}}) {streams}")
    };
    let mut command = program();
    server::process::limit_file_bytes(&mut command, 512 << 10);
    let mut server = Server::start_with(&config_of(""), command);
    let mut client = server.connect();
    let (mut acknowledged, mut sent) = (Vec::new(), 0);
    let refusal = loop {
        sent += 1;
        let padded = format!("s{sent:0>4000}");
        let answer = client.try_send(&[event(&padded, sent)]).expect("an answer");
        match answer.error {
            None => acknowledged.push(sent),
            Some(error) => break error,
        }
        assert!(sent < 10_000, "it never was full");
    };
    assert!(refusal.contains("journal"), "{refusal}");
    server
        .log
        .wait("messages are not acknowledged until that is mended");
    server::process::unlimit_file_bytes(server.pid());
    sent += 1;
    client.send(&[event("after", sent)]);
    acknowledged.push(sent);
    server.signal(libc::SIGKILL);
    server.wait();
    let output = program().args(["journal", "verify"]).arg(&journal).output();
    assert!(output.expect("it runs").status.success());
    // Set back, the streams see all of it.
    let set = program()
        .args(["journal", "set"])
        .arg(&journal)
        .args(["streams", "0"])
        .output();
    let set = set.expect("it runs");
    assert!(
        set.status.success(),
        "{}",
        String::from_utf8_lossy(&set.stderr)
    );
    let streams = format!(
        "(streams (fn [event] (when (= \"test\" (:host event))
           (spit {seen_by:?} (str \"s \" (:metric event) \"\\n\") :append true))))"
    );
    let mut server = Server::start(&config_of(&streams));
    server.signal(libc::SIGTERM);
    server.wait();
    let seen = seen(&seen_by).remove("s").unwrap_or_default();
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|one| !seen.contains(one))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
}

/// A reload keeps the journal; one that would take it away is refused, and nothing changes.
#[test]
fn a_reload_keeps_the_journal() {
    let folder = TempDir::new().expect("a folder");
    let (journal, seen_by) = (folder.path().join("ingest"), folder.path().join("seen"));
    let config = config(&journal, ":durability :always", &seen_by);
    let mut server = Server::start(&config);
    let mut client = server.connect();
    client.send(&[event("s", 1)]);
    let length = server.log.len();
    server.reload(&format!("{config} (streams (fn [event] nil))"));
    server.log.wait_after(length, ": reloaded");
    client.send(&[event("s", 2)]);
    let length = server.log.len();
    server.reload("(tcp-server {:port 0})");
    server
        .log
        .wait_after(length, "that takes a restart of the server");
    client.send(&[event("s", 3)]);
    server.signal(libc::SIGTERM);
    server.wait();
    assert_eq!(seen(&seen_by)["s"], [1, 2, 3]);
}

#[test]
fn what_is_wrong_with_a_journal_is_said() {
    for (options, said) in [
        ("{:durabilty :os}", "there is no option :durabilty"),
        ("{:durability :never}", ":os, :interval or :always"),
        ("{:ms 5}", ":ms goes with :durability :interval"),
        ("{:retention {:age -1}}", ":age must be a number of seconds"),
    ] {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("wrong.config");
        let text = format!("(journal \"ingest\" {options})");
        fs::write(&path, text).expect("the folder takes a file");
        let output = program().arg("check").arg(&path).output().expect("it runs");
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!output.status.success());
        assert!(text.contains(said), "{text}");
    }
}

/// What the index held is there again after a kill, taken-out events are not; one whose time was
/// over meanwhile expires, once.
#[test]
fn a_persistent_index_outlives_a_kill() {
    for options in ["", ":durability :always"] {
        let folder = TempDir::new().expect("a folder");
        let (ingest, kept) = (folder.path().join("ingest"), folder.path().join("index"));
        let config = |servers: &str| {
            format!(
                "(journal \"ingest\" {{:dir {ingest:?} {options}}}) {servers}
                 (let [index (index {{:persist true :dir {kept:?}}})]
                   (streams index (expired (fn [event] (info \"expired\" (:service event))))))"
            )
        };
        let mut server = Server::start(&config("(tcp-server {:port 0})"));
        let mut client = server.connect();
        let many: Vec<Event> = (0..500).map(|n| event(&format!("many {n}"), n)).collect();
        client.send(&many);
        client.send(&[event("changed", 1), event("changed", 2), event("gone", 1)]);
        let short = Draft {
            host: Some("test".into()),
            service: Some("short".into()),
            ttl: Some(Number::F32(0.001)),
            ..Draft::record()
        };
        client.send(&[short.build()]);
        let gone = Draft {
            state: Some("expired".into()),
            host: Some("test".into()),
            service: Some("gone".into()),
            ..Draft::record()
        };
        client.send(&[gone.build()]);
        server.signal(libc::SIGKILL);
        server.wait();
        let reaping = config("(tcp-server {:port 0}) (periodically-expire 0.2)");
        let mut server = Server::start(&reaping);
        let mut client = server.connect();
        assert_eq!(client.query("service =~ \"many %\"").len(), 500);
        assert!(client.query("service = \"gone\"").is_empty());
        let changed = client.query("service = \"changed\"");
        assert_eq!(event::Fields::metric(&changed[0]), Some(Number::Int(2)));
        server.log.wait("expired short");
        server.signal(libc::SIGKILL);
        server.wait();
        let server = Server::start(&reaping);
        let mut client = server.connect();
        assert!(client.query("service = \"short\"").is_empty());
        assert_eq!(client.query("true").len(), 501);
    }
}

/// Another configuration sees the messages of a journal at their times, beside the server that
/// writes it; what would leave is printed, and does not leave.
#[test]
fn a_replay_tells_what_would_have_been_done() {
    let folder = TempDir::new().expect("a folder");
    let journal = folder.path().join("ingest");
    let server = Server::start(&format!(
        "(journal \"ingest\" {{:dir {journal:?} :retention {{:age 3600}}}}) (tcp-server {{:port 0}})"
    ));
    let mut client = server.connect();
    for number in 1..=3 {
        client.send(&[event("s", number)]);
    }
    // Nobody listens on the port, and the file must not come to be.
    let written = folder.path().join("written");
    let rules = folder.path().join("rules.config");
    let text = format!(
        "(tcp-server {{:port 1}})
         (let [graph (graphite {{:host \"127.0.0.1\" :port 1}})
               other (tcp-client :host \"127.0.0.1\" :port 1)]
           (streams
             (where (= 2 metric) graph (forward other))
             (where (= 3 metric) (fn [event]
               (spit {written:?} (str (= (long (unix-time)) (long (:time event)))))
               (clj-http.client/post \"http://127.0.0.1:1/hook?key=secret\" {{:body \"hook\"}})))
             (fixed-time-window 3600 (fn [events] (println \"a window of\" (count events))))))"
    );
    fs::write(&rules, text).expect("the folder takes a file");
    let mut command = program();
    command
        .arg("replay")
        .arg("--journal")
        .arg(&journal)
        .arg(&rules);
    let output = command.output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(
        errors.contains("3 messages, 3 events, 0 failed"),
        "{errors}"
    );
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect();
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["sink"].as_str(),
                line["action"].as_str(),
                line["to"].as_str(),
            )
        })
        .collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert_eq!(told[0].1, Some("send"), "{text}");
    assert!(
        lines[0]["body"]
            .as_str()
            .expect("a text")
            .contains("test.s 2 "),
        "{text}"
    );
    assert_eq!(told[1].0, Some("riemann"));
    assert_eq!(told[2].0, Some("file"));
    assert_eq!(lines[2]["body"], "true");
    let post = (
        Some("clj-http"),
        Some("POST"),
        Some("http://127.0.0.1:1/hook"),
    );
    assert_eq!(told[3], post);
    assert_eq!(lines[3]["body"], "hook");
    assert!(!written.exists());
    let mut command = program();
    command.arg("replay").arg("--journal").arg(&journal);
    let nothing = command
        .args(["--to", "1"])
        .arg(&rules)
        .output()
        .expect("it runs");
    assert!(nothing.stdout.is_empty());
}
