//! The report's forms, of numbers that are known.

use load::{Report, Sample, Tally, Totals, Verified, csv, html, json, line, line_head, summary};

fn tally(sent: u64, acked: u64) -> Tally {
    let mut tally = Tally {
        sent,
        acked,
        bytes_out: sent * 50,
        ..Tally::default()
    };
    for number in 0..acked {
        tally.round_trip(1_000_000 + number * 1_000, 1);
    }
    tally
}

fn report() -> Report {
    Report {
        setup: vec![("server".to_owned(), "<127.0.0.1>".to_owned())],
        events_per_message: 10,
        answered: true,
        samples: vec![
            Sample {
                at_s: 1.0,
                span_s: 1.0,
                unacked: 5,
                tally: tally(1_000, 995),
            },
            Sample {
                at_s: 2.0,
                span_s: 1.0,
                unacked: 0,
                tally: tally(2_000, 2_005),
            },
            Sample {
                at_s: 3.0,
                span_s: 1.0,
                unacked: 0,
                tally: tally(0, 0),
            },
        ],
        totals: Totals {
            sent: 3_100,
            acked: 3_100,
            ..Totals::default()
        },
        cpu_s: 0.031,
        verified: Some(Verified {
            events: 31_000,
            overrun: 0,
            cpu_s: Some(0.062),
        }),
    }
}

#[test]
fn the_summary_adds_up() {
    let text = summary(&report());
    for part in [
        "30000 events in 3.0 s, 10.0k/s, 0.05 MB/s",
        "30000 events, 10.0k/s; at most 5 messages unacked",
        "p50 1.7",
        "max 3.00ms",
        "load 1000 ns an event, server 2000 ns an event",
        "31000 events sent in all, 31000 counted by the server, 0 lost before it",
        "every message acknowledged",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn what_does_not_add_up_is_told() {
    let mut report = report();
    report.totals.acked -= 3;
    report.totals.failed += 1;
    report.totals.error = Some("no room".to_owned());
    report.verified = Some(Verified {
        events: 30_999,
        ..Verified::default()
    });
    let expected = [
        "messages answered with an error: 1",
        "messages never answered: 2",
        "31000 events sent, 30999 counted by the server",
        "the first error: no room",
    ];
    assert_eq!(report.problems(), expected);
    assert!(summary(&report).contains("PROBLEM      messages never answered: 2\n"));
    report.answered = false;
    assert!(
        !report
            .problems()
            .iter()
            .any(|problem| problem.contains("never"))
    );
}

#[test]
fn lines_stand_under_their_names() {
    for answered in [true, false] {
        let head = line_head(answered);
        for sample in report().samples {
            let line = line(&sample, 10, answered);
            assert_eq!(line.chars().count(), head.chars().count(), "{head}\n{line}");
        }
    }
}

#[test]
fn csv_has_a_line_a_second_and_as_many_values_as_names() {
    let text = csv(&report());
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 4);
    assert!(
        lines.iter().all(|line| line.len() == lines[0].len()),
        "{text}"
    );
    assert_eq!(
        &lines[1][..5],
        ["1.000", "1.000000", "10000.0", "9950.0", "5"]
    );
    assert_eq!(lines[3][5], "");
}

#[test]
fn json_keeps_the_histograms() {
    let value = json(&report());
    assert_eq!(value["whole"]["acked_per_s"], 10_000.0);
    assert_eq!(
        value["seconds"][2]["round_trip"]["p50_s"],
        serde_json::Value::Null
    );
    let text = value["seconds"][1]["round_trip"]["histogram"]
        .as_str()
        .expect("base64");
    let trips = histogram::Histogram::from_base64(text).expect("a histogram");
    assert_eq!(trips.count(), 2_005);
    assert_eq!(value["server_cpu_ns_per_event"], 2_000.0);
    assert_eq!(value["problems"].as_array().map(Vec::len), Some(0));
}

#[test]
fn the_page_has_four_charts_and_escapes() {
    let page = html(&report());
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(page.contains("&lt;127.0.0.1&gt;") && !page.contains("<127"));
    assert!(!page.contains("NaN") && !page.contains("http"));
}
