//! InfluxDB 1 and 2, by their line protocol.

use std::fmt::Write;

use event::{Event, FieldRef, Fields, Number};

use crate::http::{Api, Request};
use crate::target::Item;
use crate::url::component;
use crate::{figures, words};

pub const PORT: u16 = 8086;
/// Points in one write.
const BATCH_POINTS: usize = 1000;
/// What never becomes a field of a point.
const NOT_FIELDS: [&str; 5] = ["service", "metric", "tags", "time", "ttl"];

/// A database. Times are written in microseconds.
#[derive(Clone, PartialEq, Eq)]
pub enum InfluxDb {
    V1(V1),
    V2(V2),
}

#[derive(Clone, PartialEq, Eq)]
pub struct V1 {
    /// Scheme, host and port.
    pub url: String,
    pub db: String,
    pub username: Option<String>,
    pub password: Option<String>,
    pub retention: Option<String>,
    /// `one`, `any`, `quorum` or `all`.
    pub consistency: Option<String>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct V2 {
    /// Scheme, host and port.
    pub url: String,
    pub org: String,
    pub bucket: String,
    pub token: String,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point(String);

impl Item for Point {
    fn size_bytes(&self) -> usize {
        self.0.len()
    }

    fn told(&self) -> String {
        self.0.clone()
    }
}

/// How events become points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Fields and attributes of the event that are tags of the point.
    pub tag_fields: Vec<String>,
    /// Further tags, the same for all.
    pub tags: Vec<(String, String)>,
    /// Integers stay integers. A series that sees both kinds refuses one of them, so that the
    /// default is to write all numbers as floats.
    pub integers: bool,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            tag_fields: vec!["host".into()],
            tags: Vec::new(),
            integers: false,
        }
    }
}

/// A value of a point's field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    Float(f64),
    Int(i64),
    Bool(bool),
    Text(String),
}

impl Point {
    /// The point of an event: the service is the measurement, the metric is the field `value`, or
    /// the fields `count`, `p50`, `p95`, `p99` and `max` of a histogram, and state, description and
    /// attributes are fields of their own. `None` if the event has no service, no time, or no metric
    /// that is a finite number or a histogram.
    pub fn from_event(event: &Event, shape: &Shape) -> Option<Point> {
        let measurement = event.service()?;
        let time_us = event.time()?.us;
        let mut tags = shape.tags.clone();
        for name in &shape.tag_fields {
            tags.push((name.clone(), words::field(event, name)));
        }
        let mut fields = values(event, shape.integers)?;
        let own = ["host", "state", "description"]
            .into_iter()
            .map(str::to_string);
        let attributes = words::attributes(event).into_iter().map(|(name, _)| name);
        for name in own.chain(attributes) {
            if NOT_FIELDS.contains(&name.as_str()) || shape.tag_fields.contains(&name) {
                continue;
            }
            if let Some(value) = field(event, &name, shape.integers) {
                fields.push((name, value));
            }
        }
        Point::new(measurement, &tags, &fields, time_us)
    }

    /// A line. Tags without a value are left out; they are sorted by name, as the server likes
    /// them. `None` without a measurement or fields: there is no such point.
    ///
    /// ```
    /// use sinks::influxdb::{FieldValue, Point};
    /// let fields = [("value".to_string(), FieldValue::Int(3))];
    /// let point = Point::new("disk used", &[("host".into(), "a b".into())], &fields, 5).unwrap();
    /// assert_eq!(point.as_str(), "disk\\ used,host=a\\ b value=3i 5\n");
    /// ```
    pub fn new(
        measurement: &str,
        tags: &[(String, String)],
        fields: &[(String, FieldValue)],
        time_us: i64,
    ) -> Option<Point> {
        if measurement.is_empty() || fields.is_empty() {
            return None;
        }
        let mut line = escape(measurement, &[',', ' ']);
        let mut tags: Vec<_> = tags.iter().filter(|(_, value)| !value.is_empty()).collect();
        tags.sort_by(|a, b| a.0.cmp(&b.0));
        tags.dedup_by(|a, b| a.0 == b.0);
        for (name, value) in tags {
            line += &format!(",{}={}", escape(name, KEY), escape(value, KEY));
        }
        for (at, (name, value)) in fields.iter().enumerate() {
            let parting = if at == 0 { ' ' } else { ',' };
            line += &format!("{parting}{}={}", escape(name, KEY), value.text());
        }
        writeln!(line, " {time_us}").expect("a string takes all");
        Some(Point(line))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const KEY: &[char] = &[',', '=', ' '];

/// A backslash before each of `special`. Line breaks cannot be written and become spaces.
fn escape(text: &str, special: &[char]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        let c = if matches!(c, '\n' | '\r') { ' ' } else { c };
        if special.contains(&c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    // A backslash at the end would escape what follows.
    if escaped.ends_with('\\') {
        escaped + " "
    } else {
        escaped
    }
}

impl FieldValue {
    fn text(&self) -> String {
        match self {
            FieldValue::Float(float) => format!("{float:?}"),
            FieldValue::Int(int) => format!("{int}i"),
            FieldValue::Bool(bool) => bool.to_string(),
            FieldValue::Text(text) => {
                format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
        }
    }
}

fn number(number: &Number, integers: bool) -> Option<FieldValue> {
    if let (true, Some(int)) = (integers, number.as_i64()) {
        return Some(FieldValue::Int(int));
    }
    let float = match number {
        Number::F32(float) => float.to_string().parse().ok()?,
        _ => number.to_f64(),
    };
    float.is_finite().then_some(FieldValue::Float(float))
}

/// The fields of the metric.
fn values(event: &Event, integers: bool) -> Option<Vec<(String, FieldValue)>> {
    if let Some(histogram) = event.histogram() {
        let field = |figure: figures::Figure| {
            Some((figure.name.to_string(), number(&figure.number, integers)?))
        };
        return figures::of(histogram).into_iter().map(field).collect();
    }
    let value = number(&event.metric()?, integers)?;
    Some(vec![("value".to_string(), value)])
}

fn field(event: &Event, name: &str, integers: bool) -> Option<FieldValue> {
    match event.get(name) {
        FieldRef::Absent | FieldRef::Nil | FieldRef::Histogram(_) => None,
        FieldRef::Num(value) => number(&value, integers),
        FieldRef::Odd(event::Attr::Num(value)) => number(value, integers),
        FieldRef::Odd(event::Attr::Bool(bool)) => Some(FieldValue::Bool(*bool)),
        FieldRef::Odd(event::Attr::Nil) => None,
        _ => Some(FieldValue::Text(words::field(event, name))),
    }
}

impl Api for InfluxDb {
    type Item = Point;

    fn batch_max(&self) -> usize {
        BATCH_POINTS
    }

    fn requests(&self, batch: &[Point]) -> Vec<Request> {
        let lines: String = batch.iter().map(Point::as_str).collect();
        vec![match self {
            InfluxDb::V1(v1) => v1.request(lines),
            InfluxDb::V2(v2) => v2.request(lines),
        }]
    }
}

impl V1 {
    fn request(&self, lines: String) -> Request {
        let mut url = format!("{}/write?db={}&precision=u", self.url, component(&self.db));
        for (name, value) in [("rp", &self.retention), ("consistency", &self.consistency)] {
            if let Some(value) = value {
                url += &format!("&{name}={}", component(value));
            }
        }
        let request = Request::post(url);
        let request = match (&self.username, &self.password) {
            (Some(user), password) => {
                request.basic_auth(user, password.as_deref().unwrap_or_default())
            }
            _ => request,
        };
        request.body("text/plain; charset=utf-8", lines)
    }
}

impl V2 {
    fn request(&self, lines: String) -> Request {
        let (org, bucket) = (component(&self.org), component(&self.bucket));
        Request::post(format!(
            "{}/api/v2/write?org={org}&bucket={bucket}&precision=us",
            self.url
        ))
        .header("Authorization", format!("Token {}", self.token))
        .body("text/plain; charset=utf-8", lines)
    }
}

#[cfg(test)]
mod tests {
    use event::Attr;

    use super::*;
    use crate::sample::{check, event};

    const LINE: &str = "api\\ rate,host=www1 value=2.5,state=\"critical\",\
        description=\"too slow\",zone=\"b\" 1500000000250000\n";

    #[test]
    fn version_1() {
        let v1 = V1 {
            url: "http://h:8086".into(),
            db: "my db".into(),
            username: Some("u".into()),
            password: Some("p".into()),
            retention: Some("week".into()),
            consistency: None,
        };
        let point = Point::from_event(&event(), &Shape::default()).unwrap();
        check(
            &InfluxDb::V1(v1).requests(&[point.clone(), point]),
            &format!(
                "POST http://h:8086/write?db=my%20db&precision=u&rp=week\n\
                 Authorization: Basic dTpw\nContent-Type: text/plain; charset=utf-8\n\n{LINE}{LINE}"
            ),
        );
    }

    #[test]
    fn version_2() {
        let v2 = V2 {
            url: "http://h:8086".into(),
            org: "o".into(),
            bucket: "b".into(),
            token: "T".into(),
        };
        let point = Point::from_event(&event(), &Shape::default()).unwrap();
        check(
            &InfluxDb::V2(v2).requests(&[point]),
            &format!(
                "POST http://h:8086/api/v2/write?org=o&bucket=b&precision=us\n\
                 Authorization: Token T\nContent-Type: text/plain; charset=utf-8\n\n{LINE}"
            ),
        );
    }

    #[test]
    fn tags_are_chosen_and_sorted_and_kinds_kept() {
        let event = event().edit(|draft| {
            draft.description = Some("say \"a\\b\"".into());
            draft.state = None;
            draft.metric = Some(Number::Int(7));
            draft.set_attr("up", Attr::Bool(true));
            draft.set_attr("n", Attr::Num(Number::Int(2)));
        });
        let shape = Shape {
            tag_fields: vec!["zone".into(), "host".into(), "none".into()],
            tags: vec![("dc=1".into(), "x,y".into())],
            integers: true,
        };
        assert_eq!(
            Point::from_event(&event, &shape).unwrap().as_str(),
            "api\\ rate,dc\\=1=x\\,y,host=www1,zone=b value=7i,\
             description=\"say \\\"a\\\\b\\\"\",up=true,n=2i 1500000000250000\n"
        );
    }

    #[test]
    fn what_is_no_point() {
        let check = |change: fn(&mut event::Draft<'_>)| {
            assert_eq!(
                Point::from_event(&event().edit(change), &Shape::default()),
                None
            );
        };
        check(|draft| draft.metric = None);
        check(|draft| draft.metric = Some(Number::F64(f64::NAN)));
        check(|draft| draft.service = None);
        check(|draft| draft.time = None);
    }
}
