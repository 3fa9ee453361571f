//! Proves that what waits in a journal for a sink leaves in order, once at least: the target is
//! down, comes, and is killed; the server is killed, started again, and reloads.

mod server;

use std::thread;
use std::time::Duration;

use event::{Draft, Event};
use server::queues::{Bench, figure, read_journal, send, wait_figure};
use server::riemann::{Riemann, event};
use server::{Server, eventually, process, program};

#[test]
fn a_target_that_is_down_and_comes_and_is_killed() {
    let bench = Bench::new();
    let server = Server::start(&bench.forwarding(""));
    let mut client = server.connect();
    send(&mut client, 1..=300);
    assert_eq!(figure(&server, "queue_size", "up"), 300);
    let mut target = bench.target();
    eventually("some of it", || (bench.seen().len() > 20).then_some(()));
    target.signal(libc::SIGKILL);
    target.wait();
    send(&mut client, 301..=600);
    let _target = bench.target();
    bench.wait_for(600);
    wait_figure(&server, "queue_size", "up", 0);
    assert_eq!(figure(&server, "sent_total", "up"), 600);
    assert!(figure(&server, "failed_total", "up") > 0);
    assert_eq!(figure(&server, "lost_total", "up"), 0);
}

#[test]
fn what_a_graphite_has_not_read_when_it_is_killed_is_sent_again() {
    let bench = Bench::new();
    let (port, dir, seen) = (bench.port, bench.path("graph"), bench.path("seen"));
    let server = Server::start(&format!(
        "(tcp-server {{:port 0}}) (ws-server {{:port 0}})
         (streams (graphite {{:port {port} :queue {{:journal \"graph\" :dir {dir:?}}}}}))"
    ));
    let carbon = || {
        Server::start(&format!(
            "(graphite-server {{:host \"127.0.0.1\" :port {port}}})
             (let [seen {seen:?}]
               (streams (fn [event]
                 (spit seen (str (long (:metric event)) \"\\n\") :append true))))"
        ))
    };
    let mut client = server.connect();
    let mut send = |from: i64, to: i64| {
        let events: Vec<Event> = (from..=to).map(|number| event("n", number)).collect();
        client.send(&events);
    };
    send(1, 100);
    let mut running = carbon();
    bench.wait_for(100);
    for round in 1..=3 {
        // It takes connections and bytes, but reads none, and dies so.
        running.signal(libc::SIGSTOP);
        send(round * 100 + 1, round * 100 + 100);
        thread::park_timeout(Duration::from_millis(20));
        running.signal(libc::SIGKILL);
        running.wait();
        running = carbon();
        bench.wait_for(round * 100 + 100);
    }
    wait_figure(&server, "sent_total", "graph", 400);
}

fn killed_with_items_waiting(options: &str) {
    let bench = Bench::new();
    let mut first = Server::start(&bench.forwarding(options));
    send(&mut first.connect(), 1..=100);
    let waiting = read_journal(&bench.path("up"));
    assert_eq!(waiting.lines().count(), 100);
    assert!(waiting.contains("\"metric\":100"), "{waiting}");
    first.signal(libc::SIGKILL);
    first.wait();
    let mut second = Server::start(&bench.forwarding(options));
    second.log.wait("goes on with what has not left");
    send(&mut second.connect(), 101..=150);
    let _target = bench.target();
    eventually("some of it", || (!bench.seen().is_empty()).then_some(()));
    second.signal(libc::SIGKILL);
    second.wait();
    let third = Server::start(&bench.forwarding(options));
    send(&mut third.connect(), 151..=200);
    bench.wait_for(200);
}

#[test]
fn killed_with_items_waiting_in_os() {
    killed_with_items_waiting("");
}

#[test]
fn killed_with_items_waiting_in_interval() {
    killed_with_items_waiting(":durability :interval :ms 20 :compression :lz4");
}

#[test]
fn killed_with_items_waiting_in_always() {
    killed_with_items_waiting(":durability :always");
}

#[test]
fn killed_again_and_again_while_it_takes_and_delivers() {
    let bench = Bench::new();
    let _target = bench.target();
    let mut acknowledged = 0;
    for round in 0..4 {
        let mut server = Server::start(&bench.forwarding(""));
        let address = server.address("tcp");
        let sender = thread::spawn(move || {
            let mut client = Riemann::try_connect(address).expect("a connection");
            let mut sent = acknowledged;
            while let Ok(answer) = client.try_send(&[event("n", sent + 1)]) {
                assert!(answer.ok, "{answer:?}");
                sent += 1;
            }
            sent
        });
        thread::park_timeout(Duration::from_millis(30 + 40 * round));
        server.signal(libc::SIGKILL);
        server.wait();
        // The one that was on its way may be in the journal too: the next round sends it again.
        acknowledged = sender.join().expect("a sender");
    }
    let last = Server::start(&bench.forwarding(""));
    send(&mut last.connect(), [acknowledged + 1]);
    bench.wait_for(acknowledged + 1);
    assert!(acknowledged > 0);
}

#[test]
fn a_reload_and_an_orderly_stop_keep_what_waits() {
    let bench = Bench::new();
    let mut server = Server::start(&bench.forwarding(""));
    let mut client = server.connect();
    send(&mut client, 1..=50);
    let other = format!("{} (streams (fn [_] nil))", bench.forwarding(":tries 1000"));
    server.reload(&other);
    server.log.wait(": reloaded");
    send(&mut client, 51..=100);
    let seen = server.log.len();
    server.reload("(this is wrong");
    server
        .log
        .wait_after(seen, "the running configuration stays");
    send(&mut client, 101..=110);
    server.signal(libc::SIGTERM);
    assert!(server.wait().success());
    let server = Server::start(&other);
    assert_eq!(figure(&server, "queue_size", "up"), 110);
    let _target = bench.target();
    bench.wait_for(110);
    let mut client = server.connect();
    server.reload(&bench.forwarding(""));
    server.log.wait(": reloaded");
    send(&mut client, 111..=120);
    bench.wait_for(120);
    assert_eq!(bench.seen(), (1..=120).collect::<Vec<_>>());
}

fn long_event(number: i64) -> Event {
    let description = format!("{number}: {}", "x".repeat(10_000));
    event("n", number).edit(|draft: &mut Draft<'_>| draft.description = Some(description.into()))
}

#[test]
fn a_full_disk_loses_what_comes_meanwhile_and_no_more() {
    let bench = Bench::new();
    let mut command = program();
    process::limit_file_bytes(&mut command, 400_000);
    let server = Server::start_with(&bench.forwarding(""), command);
    let mut client = server.connect();
    let mut sent = 0;
    while figure(&server, "lost_total", "up") == 0 {
        sent += 1;
        client.send(&[long_event(sent)]);
        assert!(sent < 1000, "the disk is never full");
    }
    server.log.wait("not kept, and lost");
    let kept = figure(&server, "queue_size", "up") as i64;
    let lost = figure(&server, "lost_total", "up") as i64;
    assert_eq!(kept + lost, sent);
    process::unlimit_file_bytes(server.pid());
    client.send(&[long_event(sent + 1)]);
    let _target = bench.target();
    let seen = eventually("what was kept", || {
        Some(bench.seen()).filter(|seen| seen.last() == Some(&(sent + 1)))
    });
    assert_eq!(seen.len() as i64, kept + 1);
    assert_eq!(seen[..kept as usize], (1..=kept).collect::<Vec<_>>());
}

#[test]
fn what_a_target_refuses_is_a_dead_letter() {
    let bench = Bench::new();
    // Nobody listens: two tries and then the next.
    let config = bench.forwarding(":tries 2");
    let mut server = Server::start(&config);
    let mut client = server.connect();
    send(&mut client, [1]);
    wait_figure(&server, "dead_total", "up", 1);
    wait_figure(&server, "queue_size", "up", 0);
    let dead = read_journal(&bench.path("up.dead"));
    assert!(dead.contains("\"reason\":\"not connected"), "{dead}");
    assert!(dead.contains("\"metric\":1"), "{dead}");
    server.log.wait("put among the dead letters");
    server.signal(libc::SIGKILL);
    server.wait();
    // They stay, and are not tried again.
    let server = Server::start(&config);
    let _target = bench.target();
    send(&mut server.connect(), [2]);
    eventually("the next", || (bench.seen() == [2]).then_some(()));
    assert_eq!(read_journal(&bench.path("up.dead")), dead);
}

#[test]
fn a_journal_that_another_has_is_told_of() {
    let bench = Bench::new();
    let server = Server::start(&bench.forwarding(""));
    let mut second = Server::spawn(&bench.forwarding(""), program());
    second.log.wait("the queue \"up\" in ");
    assert!(!second.wait().success());
    send(&mut server.connect(), [1]);
    let config = format!(
        "(journal \"up\" {{:dir {dir:?}}})",
        dir = bench.path("other")
    );
    let config = bench.forwarding("").replace("/up\"", "/other\"") + &config;
    let mut third = Server::spawn(&config, program());
    third
        .log
        .wait("is the folder of the journal in front of the streams");
    assert!(!third.wait().success());
}
