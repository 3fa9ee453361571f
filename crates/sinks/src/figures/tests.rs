//! What each target makes of an event whose metric is a histogram: never garbage.

use std::fmt::Debug;

use super::*;
use crate::sample::event as sample;
use crate::{
    blueflood, boundary, clickhouse, cloudwatch, datadog, document, druid, elasticsearch, graphite,
    hipchat, influxdb, kairosdb, keenio, librato, logentries, logstash, mail, msteams, netuitive,
    opentsdb, opsgenie, pagerduty, prometheus, pushover, shinken, slack, stackdriver, telegram,
    victorops, zabbix,
};

/// Three of 1.5, the sample's other fields.
const BYTES: [u8; 6] = [0, 1, 15, 0, 0, 3];
const BASE64: &str = "AAEPAAAD";
const WORDS: &str = "n=3 p50=1.5 p99=1.5 max=1.5";

fn event() -> Event {
    let histogram = HistogramRef::new(&BYTES).unwrap().to_owned();
    sample().edit(|draft| draft.set_histogram(histogram))
}

/// What a target makes of an event; none if it passes it over.
type Item = fn(&Event) -> Option<String>;

fn told(item: impl Debug) -> Option<String> {
    Some(format!("{item:?}"))
}

/// These are given an event for each figure, and would pass over the histogram itself.
const NUMBERS: [(&str, Item); 13] = [
    ("blueflood", |e| blueflood::Point::new(e, 60).and_then(told)),
    ("boundary", |e| {
        boundary::Measurement::new(e, "o", None).and_then(told)
    }),
    ("clickhouse", |e| clickhouse::Row::new(e).and_then(told)),
    ("cloudwatch", |e| cloudwatch::Datum::new(e).and_then(told)),
    ("datadog", |e| datadog::Series::new(e).and_then(told)),
    ("druid", |e| druid::Row::new(e).and_then(told)),
    ("graphite", |e| graphite::Line::new(e, "p").and_then(told)),
    ("kairosdb", |e| {
        kairosdb::Point::new(e, "m".into(), kairosdb::tags(e)).and_then(told)
    }),
    ("librato", |e| librato::Entry::gauge(e).and_then(told)),
    ("netuitive", |e| netuitive::Sample::new(e).and_then(told)),
    ("opentsdb", |e| {
        opentsdb::Put::new(e, "m", &opentsdb::tags(e)).and_then(told)
    }),
    ("stackdriver", |e| {
        stackdriver::Point::new(e, "m").and_then(told)
    }),
    ("zabbix", |e| zabbix::Sample::new(e).and_then(told)),
];

/// These tell of the whole event.
const WHOLE: [(&str, Item); 6] = [
    ("document", |e| told(document::document(e))),
    ("elasticsearch", |e| {
        elasticsearch::Action::index(e, "i", "event", "").and_then(told)
    }),
    ("keenio", |e| told(keenio::Entry::new(e))),
    ("logstash", |e| told(logstash::Line::new(e))),
    ("pagerduty 1", |e| {
        told(pagerduty::Incident::v1(pagerduty::Action::Trigger, e))
    }),
    ("pagerduty 2", |e| {
        told(pagerduty::Incident::v2(pagerduty::Action::Trigger, e))
    }),
];

/// These are read by people.
const WORDED: [(&str, Item); 11] = [
    ("hipchat", |e| told(hipchat::Message::new(e))),
    ("logentries", |e| told(logentries::Line::new(e))),
    ("mail", |e| {
        Some(mail::body(
            std::slice::from_ref(e),
            &jiff::tz::TimeZone::UTC,
        ))
    }),
    ("msteams", |e| {
        told(msteams::Card::new(std::slice::from_ref(e)))
    }),
    ("opsgenie", |e| told(opsgenie::Alert::trigger(e))),
    ("pushover", |e| told(pushover::Notice::new(e))),
    ("shinken", |e| shinken::Check::new(e).and_then(told)),
    ("slack", |e| {
        told(slack::Message::simple(std::slice::from_ref(e)))
    }),
    ("slack, extended", |e| {
        told(slack::Message::extended(std::slice::from_ref(e)))
    }),
    ("telegram", |e| {
        told(telegram::Message::new(e, telegram::Markup::Html))
    }),
    ("victorops", |e| {
        told(victorops::Message::new(victorops::Kind::Info, e))
    }),
];

#[test]
fn each_target_tells_of_a_histogram_as_it_can() {
    for (name, item) in NUMBERS {
        assert_eq!(item(&event()), None, "{name}");
        let figures: Vec<_> = events(&event()).iter().filter_map(item).collect();
        assert_eq!(figures.len(), 5, "{name}");
        assert!(
            figures[0].contains('3') && figures[1].contains("1.55"),
            "{name}: {figures:?}"
        );
    }
    for (name, item) in WHOLE {
        let text = item(&event()).unwrap();
        assert!(
            text.contains("metric_histogram") && text.contains(BASE64),
            "{name}: {text}"
        );
    }
    for (name, item) in WORDED {
        let text = item(&event()).unwrap();
        assert!(text.contains(WORDS), "{name}: {text}");
    }
}

#[test]
fn a_point_of_influxdb_has_a_field_for_each_figure() {
    let shape = influxdb::Shape {
        integers: true,
        ..influxdb::Shape::default()
    };
    let point = influxdb::Point::from_event(&event(), &shape).unwrap();
    let fields = " count=3i,p50=1.55,p95=1.575,p99=1.575,max=1.575,state=";
    assert!(point.as_str().contains(fields), "{point:?}");
}

#[test]
fn prometheus_has_a_summary() {
    let labels = prometheus::Labels {
        exclude: ["state", "description", "tags", "zone", "time", "ttl"]
            .map(Into::into)
            .into(),
        ..prometheus::Labels::default()
    };
    let sample = format!("{:?}", prometheus::Sample::new(&event(), &labels).unwrap());
    let lines = r#"api_rate_count 3\napi_rate{quantile=\"0.5\"} 1.55\n"#;
    assert!(sample.contains(lines), "{sample}");
    assert!(
        sample.contains(r#"api_rate{quantile=\"1\"} 1.575\n"#),
        "{sample}"
    );
}

#[test]
fn of_an_empty_histogram_there_is_the_count() {
    let empty = HistogramRef::new(&[0, 0]).unwrap().to_owned();
    let events = events(&event().edit(|draft| draft.set_histogram(empty)));
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].metric(), Some(Number::Int(0)));
    assert!(super::events(&sample()).is_empty());
}
