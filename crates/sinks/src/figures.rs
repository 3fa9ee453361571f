//! The numbers that stand for a histogram where only numbers can go.

use event::{Event, Fields, HistogramRef, Number};

/// What is told of a histogram beside its count, as a part of a service, as a name, and as what part
/// of all numbers is not above it.
const QUANTILES: [(&str, &str, f64); 4] = [
    ("0.5", "p50", 0.5),
    ("0.95", "p95", 0.95),
    ("0.99", "p99", 0.99),
    ("max", "max", 1.0),
];

/// A number of a histogram.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What is added to the service: `0.99`, as `percentiles` does, `max` or `count`.
    pub suffix: &'static str,
    /// A name of its own: `p99`, `max` or `count`.
    pub name: &'static str,
    /// What part of all numbers is not above it; none for the count.
    pub quantile: Option<f64>,
    pub number: Number,
}

/// The figures of a histogram. Of an empty one it is the count alone.
pub fn of(histogram: HistogramRef<'_>) -> Vec<Figure> {
    let histogram = histogram.unpack();
    let mut figures = vec![Figure {
        suffix: "count",
        name: "count",
        quantile: None,
        number: Number::Int(i64::try_from(histogram.count()).unwrap_or(i64::MAX)),
    }];
    if histogram.count() > 0 {
        figures.extend(QUANTILES.map(|(suffix, name, q)| Figure {
            suffix,
            name,
            quantile: Some(q),
            number: Number::F64(histogram.quantile(q)),
        }));
    }
    figures
}

/// An event for each figure of an event whose metric is a histogram; none of any other event.
///
/// ```
/// use event::{Draft, Fields, HistogramRef, Number};
/// use sinks::figures;
/// let latency = HistogramRef::new(&[0, 1, 20, 255, 0, 100]).unwrap();
/// let mut draft = Draft { service: Some("api".into()), ..Draft::record() };
/// draft.set_histogram(latency.to_owned());
/// let events = figures::events(&draft.build());
/// assert_eq!((events[0].service(), events[0].metric()), (Some("api count"), Some(Number::Int(100))));
/// assert_eq!(events[3].service(), Some("api 0.99"));
/// ```
pub fn events(event: &Event) -> Vec<Event> {
    let figures = event.histogram().map(of).unwrap_or_default();
    let with = |figure: Figure| {
        event.edit(|draft| {
            draft.clear(event::Field::Metric);
            draft.metric = Some(figure.number);
            let service = draft.service.take();
            let service = service.map(|service| format!("{service} {}", figure.suffix));
            draft.service = service.map(Into::into);
        })
    };
    figures.into_iter().map(with).collect()
}

#[cfg(test)]
mod tests;
