//! Events in words, for people.

use event::{Event, FieldRef, Fields, Number};

/// A field's text, empty when there is none.
pub fn field(event: &Event, name: &str) -> String {
    match event.get(name) {
        FieldRef::Absent | FieldRef::Nil => String::new(),
        FieldRef::Str(text) => text.into(),
        FieldRef::Num(number) => self::number(&number),
        FieldRef::Time(time) => number(&time.to_number()),
        FieldRef::Tags(tags) => tags.collect::<Vec<_>>().join(", "),
        FieldRef::Histogram(histogram) => histogram.summary(),
        FieldRef::Odd(value) => value.to_text(),
    }
}

/// A number as Clojure's `str`, ratios as doubles.
pub fn number(number: &Number) -> String {
    match number {
        Number::Ratio(_) => Number::F64(number.to_f64()).to_text(),
        _ => number.to_text(),
    }
}

/// `host service is state (metric)`.
pub fn headline(event: &Event) -> String {
    let [host, service, state, metric] =
        ["host", "service", "state", "metric"].map(|name| field(event, name));
    format!("{host} {service} is {state} ({metric})")
}

/// The attributes that are not among the eight fields, by name and text.
pub fn attributes(event: &Event) -> Vec<(String, String)> {
    let plain = event
        .attrs()
        .map(|(name, value)| (name.into(), value.into()));
    let odd = event
        .odd_attrs()
        .map(|(name, value)| (name.into(), value.to_text()));
    plain.chain(odd).collect()
}
