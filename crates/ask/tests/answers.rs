//! Answers to questions, as JSON and as bytes, against histories that are known.

use std::ops::ControlFlow;

use ask::{Json, Listing, Octets, Pieces, Question};
use histogram::Histogram;
use serde_json::{Value as Json_, json};
use store::{Options, Sample, Store, Value};
use tempfile::TempDir;

const SECOND_US: i64 = 1_000_000;

struct Past {
    _dir: TempDir,
    store: Store,
}

impl Past {
    fn new() -> Past {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), Options::default()).unwrap();
        Past { _dir: dir, store }
    }

    fn add(&self, host: &str, service: &str, at_s: i64, value: Value) {
        let sample = Sample {
            host: Some(host),
            service: Some(service),
            by: &[("zone", "a")],
            time_us: at_s * SECOND_US,
            value,
        };
        self.store.append(&[sample]).unwrap();
    }

    fn ask(&self, parts: &[(&str, &str)]) -> Json_ {
        let question = Question::read(parts.iter().copied(), 10_000 * SECOND_US).unwrap();
        let mut text = Vec::new();
        ask::answer(&self.store, &question, &mut Json::new(&mut text)).unwrap();
        serde_json::from_slice(&text).unwrap_or_else(|error| {
            panic!("{error}: {}", String::from_utf8_lossy(&text));
        })
    }
}

/// Two hosts; a number a second for two minutes, one host's ten times the other's.
fn two_hosts() -> Past {
    let past = Past::new();
    for at in 0..120 {
        past.add("a", "rtt", at, Value::Number(at as f64));
        past.add("b", "rtt", at, Value::Number(at as f64 * 10.0));
    }
    past
}

const TWO_MINUTES: [(&str, &str); 3] = [("from", "0"), ("to", "120"), ("step", "1m")];

fn asked(query: &str, more: &[(&'static str, &'static str)]) -> Json_ {
    let mut parts = vec![("query", query)];
    parts.extend(TWO_MINUTES);
    parts.extend(more);
    two_hosts().ask(&parts)
}

#[test]
fn series_are_merged() {
    let answer = asked(
        "service = \"rtt\"",
        &[("show", "count,sum,min,max,count-above:60")],
    );
    let expected = json!({
        "query": "service = \"rtt\"", "from": 0, "to": 120, "step": 60,
        "show": ["count", "sum", "min", "max", "count-above:60"], "matched": 2,
        "series": [{
            "host": null, "service": "rtt", "by": {"zone": "a"}, "merged": 2,
            "rows": [[0, 120, 19470.0, 0.0, 590.0, 54], [60, 120, 59070.0, 60.0, 1190.0, 120]],
            "total": [240, 78540.0, 0.0, 1190.0, 174],
        }],
        "damages": [], "error": null,
    });
    assert_eq!(answer, expected);
}

#[test]
fn each_series_by_itself() {
    let answer = asked("true", &[("show", "max,rate"), ("each", "true")]);
    let rows = |host: usize| answer["series"][host]["rows"].clone();
    assert_eq!(rows(0), json!([[0, 59.0, 29.5], [60, 119.0, 89.5]]));
    assert_eq!(rows(1), json!([[0, 590.0, 295.0], [60, 1190.0, 895.0]]));
    assert_eq!(answer["series"][1]["host"], json!("b"));
    assert_eq!(answer["series"][1]["total"], json!([1190.0, 595.0]));
}

#[test]
fn people_add_up() {
    let shows = "people-above:100,people-minutes-above:100,people-minutes-above:100@10s";
    let answer = asked("host = \"b\" and service = \"rtt\"", &[("show", shows)]);
    let expected = json!([[0, 50, 50.0, 50.0 / 6.0], [60, 110, 110.0, 110.0 / 6.0]]);
    assert_eq!(answer["series"][0]["rows"], expected);
    assert_eq!(
        answer["series"][0]["total"],
        json!([110, 110.0, 110.0 / 6.0])
    );
}

#[test]
fn samples_come_as_they_are() {
    let past = Past::new();
    let waits: Histogram = [1.0, 2.0].into_iter().collect();
    past.add("a", "rtt", 1, Value::Number(0.5));
    past.add("a", "rtt", 2, Value::Histogram(&waits));
    past.add("a", "rtt", 3, Value::Text("critical \"now\""));
    let parts = [("query", "true"), ("from", "0"), ("source", "raw")];
    let answer = past.ask(&parts);
    assert_eq!(answer["step"], Json_::Null);
    assert_eq!(
        answer["series"][0]["rows"],
        json!([[1, 0.5], [2, {"histogram": waits.to_base64()}], [3, "critical \"now\""]])
    );
}

#[test]
fn shapes_and_texts() {
    let past = Past::new();
    let low: Histogram = (0..500)
        .map(|at| 1.0 + f64::from(at % 10) / 100.0)
        .collect();
    let high: Histogram = (0..500)
        .map(|at| 50.0 + f64::from(at % 10) / 10.0)
        .collect();
    past.add("a", "rtt", 1, Value::Histogram(&low));
    past.add("b", "rtt", 2, Value::Histogram(&high));
    past.add("b", "rtt", 3, Value::Text("ok"));
    past.add("b", "rtt", 4, Value::Text("bad"));
    past.add("a", "rtt", 70, Value::Text("worse"));
    let mut parts = vec![
        ("query", "true"),
        ("show", "modes,heatmap,histogram,text,mean"),
    ];
    parts.extend(TWO_MINUTES);
    let answer = past.ask(&parts);
    let rows = &answer["series"][0]["rows"];
    assert_eq!(rows[0][1].as_array().unwrap().len(), 2, "{answer}");
    let bins = rows[0][2].as_array().unwrap();
    let count: u64 = bins.iter().map(|bin| bin[2].as_u64().unwrap()).sum();
    assert_eq!((count, &bins[0]), (1000, &json!([1.0, 1.1, 500])));
    let whole = Histogram::from_base64(rows[0][3].as_str().unwrap()).unwrap();
    assert_eq!(whole.count(), 1000);
    assert_eq!((&rows[0][4], &rows[1][4]), (&json!("bad"), &json!("worse")));
    // A step with nothing but a text has no mean.
    assert_eq!((&rows[1][1], &rows[1][5]), (&json!([]), &Json_::Null));
}

#[test]
fn what_matches_nothing_is_empty() {
    let answer = asked("host = \"c\"", &[]);
    assert_eq!(
        (&answer["matched"], &answer["series"]),
        (&json!(0), &json!([]))
    );
}

#[test]
fn many_steps_are_merged_in_parts() {
    let past = Past::new();
    for host in ["a", "b", "c"] {
        for at in 0..5000 {
            past.add(host, "rtt", at, Value::Number(1.0));
        }
    }
    let parts = [
        ("query", "true"),
        ("from", "0"),
        ("to", "5000"),
        ("step", "1"),
    ];
    let answer = past.ask(&[&parts[..], &[("show", "people-above:1")]].concat());
    let rows = answer["series"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5000);
    let is_right = |(at, row): (usize, &Json_)| *row == json!([at, 3 * (at + 1)]);
    assert!(rows.iter().enumerate().all(is_right));
}

/// Takes some pieces, and then nothing.
struct Leaves {
    pieces: usize,
}

impl Pieces for Leaves {
    fn is_wanted(&self) -> bool {
        self.pieces > 0
    }

    fn piece(&mut self, _: Vec<u8>) -> ControlFlow<()> {
        assert!(self.pieces > 0, "it had left");
        self.pieces -= 1;
        match self.pieces {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn who_leaves_gets_nothing_more() {
    let past = Past::new();
    for at in 0..20_000 {
        past.add("a", "rtt", at, Value::Number(1.0));
        past.add("b", "rtt", at, Value::Number(1.0));
    }
    let parts = [
        ("query", "true"),
        ("from", "0"),
        ("to", "20000"),
        ("step", "1"),
    ];
    for more in [("each", "false"), ("each", "true")] {
        let parts = parts.into_iter().chain([more]);
        let question = Question::read(parts, 0).unwrap();
        let mut leaves = Leaves { pieces: 2 };
        ask::answer(&past.store, &question, &mut Json::new(&mut leaves)).unwrap();
        assert_eq!(leaves.pieces, 0);
        ask::answer(&past.store, &question, &mut Octets::new(&mut leaves)).unwrap();
    }
}

fn records(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let len = u32::from_be_bytes(bytes[1..5].try_into().unwrap()) as usize;
        records.push((bytes[0], bytes[5..5 + len].to_vec()));
        bytes = &bytes[5 + len..];
    }
    records
}

#[test]
fn histograms_come_whole_as_bytes() {
    let past = two_hosts();
    let parts = [("query", "true")].into_iter().chain(TWO_MINUTES);
    let question = Question::read(parts, 0).unwrap();
    let mut bytes = Vec::new();
    ask::answer(&past.store, &question, &mut Octets::new(&mut bytes)).unwrap();
    let records = records(&bytes);
    let kinds: Vec<u8> = records.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [1, 2, 2, 3]);
    let name: Json_ = serde_json::from_slice(&records[0].1).unwrap();
    assert_eq!(
        (&name["service"], &name["merged"]),
        (&json!("rtt"), &json!(2))
    );
    let start = i64::from_be_bytes(records[2].1[..8].try_into().unwrap());
    let histogram = Histogram::decode(&records[2].1[8..]).unwrap();
    assert_eq!((start, histogram.count()), (60 * SECOND_US, 120));
    let end: Json_ = serde_json::from_slice(&records[3].1).unwrap();
    assert_eq!(end, json!({"damages": [], "error": null}));
}

#[test]
fn series_are_listed() {
    let past = two_hosts();
    let list = |parts: &[(&str, &str)]| -> Json_ {
        let mut text = Vec::new();
        let listing = Listing::read(parts.iter().copied()).unwrap();
        listing.write(&past.store, &mut text);
        serde_json::from_slice(&text).unwrap()
    };
    let b = json!({"host": "b", "service": "rtt", "by": {"zone": "a"}});
    let all = list(&[]);
    assert_eq!((&all["matched"], &all["series"][1]), (&json!(2), &b));
    assert_eq!(list(&[("query", "host = \"b\"")])["series"], json!([b]));
    let limited = list(&[("limit", "1")]);
    assert_eq!(limited["matched"], json!(2));
    assert_eq!(limited["series"].as_array().unwrap().len(), 1);
    assert!(Listing::read([("limit", "x")]).is_err());
}
