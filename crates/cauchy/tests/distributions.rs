//! Proves that histograms travel through a running server: from many hosts into one, into the index
//! and out again, asked by functions of the configuration, and compared with last hour's history.

mod server;

use std::time::{SystemTime, UNIX_EPOCH};

use event::{Draft, Event, Fields, Number, PackedHistogram, Time};
use histogram::Histogram;
use server::riemann::Riemann;
use server::{Server, USUAL, eventually};

/// Waits of ten people: so many took two seconds, the others a tenth of one.
fn waits(host: &str, slow: u64, at: Time) -> Event {
    let mut waits = Histogram::new();
    waits.insert_n(0.1, 10 - slow);
    waits.insert_n(2.0, slow);
    let mut draft = Draft {
        host: Some(host.to_owned().into()),
        service: Some("wait".into()),
        time: Some(at),
        ttl: Some(Number::F32(300.0)),
        ..Draft::record()
    };
    draft.set_histogram(PackedHistogram::from(&waits));
    draft.build()
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Time::from_us(since.expect("after 1970").as_micros() as i64)
}

fn hours_ago(time: Time) -> Time {
    Time::from_us(time.us - 2 * 3_600_000_000)
}

fn found(client: &mut Riemann, service: &str) -> Event {
    eventually(service, || {
        let events = client.query(&format!("service = {service:?}"));
        events.into_iter().next()
    })
}

#[test]
fn histograms_of_hosts_are_one_in_the_index() {
    let config = format!(
        "{USUAL}
(let [index (index)]
  (streams
    (where (service \"wait\")
      (merge-histograms 1
        (with :service \"all\" index)
        (smap (fn [e] (assoc e :service \"people\" :metric (h/count-above (:metric e) 1.5)))
          index)))))"
    );
    let server = Server::start(&config);
    let mut client = server.connect();
    let at = now();
    client.send(&[waits("a", 1, at), waits("b", 3, at), waits("c", 0, at)]);
    let all = found(&mut client, "all");
    assert_eq!(all.host(), None);
    let histogram = all.histogram().expect("a histogram").unpack();
    assert_eq!((histogram.count(), histogram.count_above(1.5)), (30, 4));
    let people = found(&mut client, "people");
    assert_eq!(people.metric().map(|metric| metric.to_f64()), Some(4.0));
}

#[test]
fn now_is_compared_with_history() {
    let config = format!(
        "{USUAL}
(let [index (index) history (history {{:dir \"past\"}})]
  (streams
    history
    (where (service \"wait\")
      (by [:host :service]
        (baseline {{:every 1 :ago 7200 :span 600 :quantiles [0.99]}} index)))))"
    );
    let server = Server::start(&config);
    let mut client = server.connect();
    let at = now();
    client.send(&[waits("a", 0, hours_ago(at)), waits("a", 5, at)]);
    let metric = |event: Event| event.metric().map_or(f64::NAN, |metric| metric.to_f64());
    let distance = metric(found(&mut client, "wait distance"));
    assert!((distance - 0.97).abs() < 0.1, "{distance}");
    let shift = metric(found(&mut client, "wait shift 0.99"));
    assert!((shift - 1.95).abs() < 0.1, "{shift}");
    let share = metric(found(&mut client, "wait share 0.99"));
    assert!((share - 0.5).abs() < 0.1, "{share}");
}
