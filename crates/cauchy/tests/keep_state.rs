//! Proves that streams inside of `keep-state` go on over a reload of a running server, that others
//! begin anew, and that the log says which.

mod server;

use event::Fields;
use server::riemann::{Riemann, event};
use server::{Server, USUAL, eventually};

/// Counts, states and a coming rate inside of keep-state, a count outside.
fn config(mark: &str, interval: &str) -> String {
    format!(
        "{USUAL}
(def mark {mark:?})
(streams
  (where (service \"counted\")
    (keep-state \"counts\"
      (by :host (counter (with :service \"kept\" (index)))))
    (counter (with :service \"lost\" (index))))
  (where (service \"state\")
    (keep-state \"states\"
      (changed-state {{:init \"ok\"}} (counter (with {{:service \"changes\" :description mark}} (index))))))
  (where (service \"flow\")
    (keep-state \"flow\"
      (rate {interval} (with :service \"flow rate\" (index)))
      (coalesce {interval} (smap count (fn [n] (info \"coalesced\" n)))))))"
    )
}

fn metric(client: &mut Riemann, service: &str) -> Option<f64> {
    let found = client.query(&format!("service = {service:?}"));
    found.first()?.metric().map(|metric| metric.to_f64())
}

fn reload(server: &Server, text: &str, done: &str) -> usize {
    let seen = server.log.len();
    server.reload(text);
    server.log.wait_after(seen, done);
    seen
}

#[test]
fn states_go_on_over_a_reload() {
    let server = Server::start(&config("first", "1"));
    let mut client = server.connect();
    for _ in 0..3 {
        client.send(&[event("counted", 1), event("state", 1), event("flow", 6)]);
    }
    let before = metric(&mut client, "changes");
    let seen = reload(&server, &config("second", "1"), ": reloaded");
    for name in ["counts", "states", "flow"] {
        let line = format!("keep-state {name:?}: goes on");
        server.log.wait_after(seen, &line);
    }
    client.send(&[event("counted", 1), event("state", 1)]);
    assert_eq!(metric(&mut client, "kept"), Some(4.0));
    assert_eq!(metric(&mut client, "lost"), Some(1.0));
    assert_eq!(
        metric(&mut client, "changes"),
        before,
        "the state has not changed"
    );
    // The interval that began before the reload ends with all that came in.
    eventually("the rate", || metric(&mut client, "flow rate"));
    server.log.wait_after(seen, "coalesced 1");
}

#[test]
fn what_is_broken_changes_nothing_and_what_differs_begins_anew() {
    let server = Server::start(&config("first", "60"));
    let mut client = server.connect();
    client.send(&[event("counted", 1), event("flow", 1)]);
    reload(
        &server,
        "(streams (keep-state \"counts\" (rte 5)))",
        "reload failed",
    );
    client.send(&[event("counted", 1)]);
    assert_eq!(metric(&mut client, "kept"), Some(2.0));
    assert_eq!(metric(&mut client, "lost"), Some(2.0));
    let seen = reload(&server, &config("second", "30"), ": reloaded");
    let line = server.log.wait_after(seen, "keep-state \"flow\"");
    assert!(
        line.contains("rate begins anew: it was built with 60 s, now with 30 s"),
        "{line}"
    );
    client.send(&[event("counted", 1)]);
    assert_eq!(metric(&mut client, "kept"), Some(3.0));
}
