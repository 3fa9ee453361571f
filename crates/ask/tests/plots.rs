//! Pictures of answers, as they are drawn: `UPDATE=1` draws the files of `plots/` anew.

use std::env;
use std::fs;
use std::path::PathBuf;

use ask::Reply;
use ask::plot::{svg, terminal};
use serde_json::{Value, json};

const HOUR: i64 = 3600;

/// Compares with the file of that name, or writes it.
fn check(name: &str, drawn: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/plots")
        .join(name);
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, drawn).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(drawn == expected, "{name} is drawn otherwise:\n{drawn}");
}

fn reply(show: &[&str], step_s: Option<i64>, series: &Value) -> Reply {
    let answer = json!({
        "from": 0, "to": 24 * HOUR, "step": step_s, "show": show, "matched": 1,
        "series": series, "damages": [], "error": null,
    });
    Reply::read(answer.to_string().as_bytes()).unwrap()
}

/// A day: busy by day, with an outage at five.
fn day() -> Reply {
    let row = |quarter: i64| {
        let hour = quarter as f64 / 4.0;
        let crowd = (50.0 + 40.0 * ((hour - 15.0) / 24.0 * std::f64::consts::TAU).cos()).round();
        let is_out = (20..24).contains(&quarter);
        let wait = 0.3 + crowd / 300.0 + if is_out { 2.5 } else { 0.0 };
        let bins = json!([
            [0.1, 0.2, crowd],
            [0.2, 0.3, crowd * 3.0],
            [wait, wait * 1.1, if is_out { crowd * 2.0 } else { 1.0 }],
        ]);
        json!([quarter * 900, crowd, wait, bins])
    };
    // Nothing was measured at nine in the evening.
    let quarters = (0..96).filter(|quarter| !(84..88).contains(quarter));
    let rows: Vec<Value> = quarters.map(row).collect();
    let series = json!([{"host": null, "service": "login", "by": {}, "merged": 2, "rows": rows,
        "total": []}]);
    reply(&["count", "quantile:0.99", "heatmap"], Some(900), &series)
}

fn in_terminal(reply: &Reply, width: usize, is_coloured: bool) -> String {
    terminal::draw(reply, terminal::Canvas { width, is_coloured })
}

#[test]
fn a_day_in_a_terminal() {
    check("day.txt", &in_terminal(&day(), 80, false));
}

#[test]
fn a_day_as_svg() {
    check(
        "day.svg",
        &svg::draw(&day(), "service = \"login\" and host != \"<db>\""),
    );
}

/// Two series with few points, and what an alarm said.
fn two() -> Reply {
    let rows = json!([
        [0, 1.0, "ok"],
        [6 * HOUR, 3.0, "ok"],
        [12 * HOUR, 2.0, "critical: disk full"],
        [18 * HOUR, null, "ok"]
    ]);
    let flat = json!([[0, 2.5, null], [6 * HOUR, 2.5, null]]);
    let line = |host: &str, rows: &Value| {
        json!({"host": host, "service": "disk", "by": {"dev": "sda"}, "merged": 1, "rows": rows,
            "total": []})
    };
    let series = json!([line("a", &rows), line("b", &flat)]);
    reply(&["max", "text"], Some(6 * HOUR), &series)
}

#[test]
fn two_series_in_a_terminal() {
    check("two.txt", &in_terminal(&two(), 60, false));
}

#[test]
fn two_series_as_svg() {
    check("two.svg", &svg::draw(&two(), "disks"));
}

#[test]
fn colours_are_for_terminals() {
    let coloured = in_terminal(&two(), 60, true);
    assert!(coloured.contains("\x1b[38;5;"));
    let mut plain = coloured;
    while let Some(from) = plain.find('\x1b') {
        let end = plain[from..].find('m').unwrap();
        plain.replace_range(from..=from + end, "");
    }
    assert_eq!(plain, in_terminal(&two(), 60, false));
}

#[test]
fn nothing_and_odd_numbers_are_drawn_too() {
    let empty = reply(&["count"], Some(60), &json!([]));
    assert_eq!(in_terminal(&empty, 0, false), "");
    assert!(svg::draw(&empty, "").contains("nothing was measured"));
    for number in [0.0, -1.0, 1e300, -1e-300, 5e-324, f64::MAX, f64::MIN] {
        let rows = json!([[5, number], [70, 1.0], [200, -number]]);
        let series = json!([{"rows": rows, "total": []}]);
        let odd = reply(&["last"], None, &series);
        for width in [0, 1, 30, 500] {
            in_terminal(&odd, width, true);
        }
        assert!(!svg::draw(&odd, "").contains("NaN"));
        let bins = json!([
            [5, [[number, number, 3]]],
            [7, [[-1.0, number, 0]]],
            [9, []]
        ]);
        let odd = reply(&["heatmap"], Some(1), &json!([{"rows": bins}]));
        in_terminal(&odd, 40, false);
        assert!(!svg::draw(&odd, "").contains("NaN"));
    }
}
