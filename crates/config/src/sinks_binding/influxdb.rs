//! `riemann.influxdb` and `riemann.influxdb2`: points to InfluxDB.

use std::sync::Arc;

use clj::{Cx, Native, Result, Thrown, Value, seq};
use event::{Event, Fields, Time};
use sinks::http::HttpTarget;
use sinks::influxdb::{FieldValue, InfluxDb, PORT, Point, Shape, V1, V2};
use sinks::outlet::Outlet;

use super::options::{Options, pairs, text};
use super::outlets::Outlets;
use super::sink;

const NAME: &str = "influxdb";
const NAME_2: &str = "influxdb2";

pub const NATIVES: &[Native] = &[Native {
    name: NAME,
    arglists: "([options])",
    doc: "A stream that writes one event or several as points to InfluxDB 0.9 to 1.x. Options: \
          :scheme \"http\", :host \"localhost\", :port 8086, :db \"riemann\", :username, \
          :password, :retention, :consistency, :insecure false (true trusts any certificate), \
          :tags, a map for all points, :tag-fields #{:host}, fields of the event that become tags \
          (an event's own :tag-fields too), :precision (microseconds unless told otherwise). With \
          :version :new-stream, an event's :measurement, :influxdb-tags, :influxdb-fields, :db, \
          :retention and :consistency say what is written, and where.",
    arity: (1, Some(1)),
    code: influxdb,
}];

pub const NATIVES_2: &[Native] = &[Native {
    name: NAME_2,
    arglists: "([options])",
    doc: "A stream that writes one event or several as points to InfluxDB 2. Options: :scheme \
          \"http\", :host \"localhost\", :port 8086, :organization \"riemann\", :bucket \
          \"riemann\", :token \"riemann\", :precision (microseconds unless told otherwise).",
    arity: (1, Some(1)),
    code: influxdb2,
}];

/// Where points go.
struct Place {
    base: V1,
    trusts_all: bool,
}

impl Place {
    fn read(options: &Options) -> Result<Place> {
        let password = options.text("password");
        let base = V1 {
            url: options.url("localhost", PORT)?,
            db: options.text_or("db", "riemann"),
            username: options
                .text("username")
                .or_else(|| password.as_ref().map(|_| "root".into())),
            password,
            retention: options.text("retention"),
            consistency: options
                .text("consistency")
                .map(|level| level.to_lowercase()),
        };
        Ok(Place {
            base,
            trusts_all: options.flag("insecure"),
        })
    }

    fn outlet(&self, outlets: &Outlets, own: V1) -> Result<Arc<Outlet<Point>>> {
        let V1 {
            url,
            db,
            username,
            password,
            retention,
            consistency,
        } = own.clone();
        let label = format!(
            "{NAME} {} {db}",
            url.rsplit("://").next().unwrap_or_default()
        );
        let optional = [username, password, retention, consistency].map(Value::from);
        let arguments = [vec![url.into(), self.trusts_all.into()], optional.to_vec()].concat();
        outlets.open(&label, &arguments, || {
            let trusting = self.trusts_all;
            let agent = if trusting {
                outlets.agent_trusting_all()
            } else {
                outlets.agent()
            };
            Ok(HttpTarget::new(InfluxDb::V1(own), agent))
        })
    }

    /// The outlet of an event that says itself where it goes.
    fn outlet_of(&self, outlets: &Outlets, value: &Value) -> Result<Option<Arc<Outlet<Point>>>> {
        let own = |key: &str| seq::get(value, &Value::keyword(key)).map(|value| text(&value));
        let (db, retention, consistency) = (own("db"), own("retention"), own("consistency"));
        if db.is_none() && retention.is_none() && consistency.is_none() {
            return Ok(None);
        }
        let base = self.base.clone();
        let place = V1 {
            db: db.unwrap_or(base.db),
            retention: retention.or(base.retention),
            consistency: consistency
                .map(|level| level.to_lowercase())
                .or(base.consistency),
            ..base
        };
        self.outlet(outlets, place).map(Some)
    }
}

fn influxdb(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME, &args[0])?;
    let place = Place::read(&options)?;
    let outlet = place.outlet(cx.get::<Outlets>()?, place.base.clone())?;
    let unit_us = unit_us(options.text("precision").as_deref())?;
    let tags = options.pairs("tags")?;
    if options.text_or("version", "deprecated") == "new-stream" {
        return Ok(sink::stream(NAME, &outlet, move |cx, value, outlet| {
            sink::each_event(value, |value, event| {
                let Some(point) = told_point(value, event, &tags, unit_us)? else {
                    return Ok(());
                };
                match place.outlet_of(cx.get::<Outlets>()?, value)? {
                    Some(own) => own.offer(point),
                    None => outlet.offer(point),
                }
                Ok(())
            })
        }));
    }
    let tag_fields = options
        .names("tag-fields")?
        .unwrap_or_else(|| vec!["host".into()]);
    let shape = Shape {
        tag_fields,
        tags,
        integers: true,
    };
    Ok(sink::stream(NAME, &outlet, move |_, value, outlet| {
        sink::each_event(value, |value, event| {
            if let Some(point) = point(value, event, &shape, unit_us)? {
                outlet.offer(point);
            }
            Ok(())
        })
    }))
}

fn influxdb2(cx: &Cx<'_>, args: &[Value]) -> Result {
    let options = Options::read(NAME_2, &args[0])?;
    let place = V2 {
        url: options.url("localhost", PORT)?,
        org: options.text_or("organization", "riemann"),
        bucket: options.text_or("bucket", "riemann"),
        token: options.text_or("token", "riemann"),
    };
    let unit_us = unit_us(options.text("precision").as_deref())?;
    let shape = Shape {
        integers: true,
        ..Shape::default()
    };
    let outlet = cx
        .get::<Outlets>()?
        .http(NAME_2, args, InfluxDb::V2(place))?;
    Ok(sink::of_events(NAME_2, &outlet, move |event| {
        Point::from_event(&coarse(event, unit_us), &shape)
    }))
}

/// The unit that times are cut to, in microseconds.
fn unit_us(precision: Option<&str>) -> Result<i64> {
    match precision {
        None | Some("microseconds" | "nanoseconds") => Ok(1),
        Some("milliseconds") => Ok(1_000),
        Some("seconds") => Ok(1_000_000),
        Some(other) => Err(Thrown::illegal_argument(format!(
            "{NAME}: :precision is :seconds, :milliseconds or :microseconds, not {other}"
        ))),
    }
}

fn coarse(event: &Event, unit_us: i64) -> Event {
    match event.time() {
        Some(time) if unit_us > 1 && time.us % unit_us != 0 => {
            let us = time.us - time.us.rem_euclid(unit_us);
            event.edit(|draft| {
                draft.clear(event::Field::Time);
                draft.time = Some(Time::exact(us));
            })
        }
        _ => event.clone(),
    }
}

/// The point of an event, as its fields, its `:tag-fields` and its `:precision` make it.
fn point(value: &Value, event: &Event, shape: &Shape, unit_us: i64) -> Result<Option<Point>> {
    let own = |key: &str| seq::get(value, &Value::keyword(key));
    let (fields, precision) = (own("tag-fields"), own("precision"));
    if fields.is_none() && precision.is_none() {
        return Ok(Point::from_event(&coarse(event, unit_us), shape));
    }
    let unit_us = match precision {
        Some(precision) => self::unit_us(Some(&text(&precision)))?,
        None => unit_us,
    };
    let mut shape = shape.clone();
    for field in seq::iter(&fields.unwrap_or_default()) {
        shape.tag_fields.push(text(&field?));
    }
    let event = event.edit(|draft| {
        draft.clear_attr("tag-fields");
        draft.clear_attr("precision");
    });
    Ok(Point::from_event(&coarse(&event, unit_us), &shape))
}

/// The point that an event describes itself.
fn told_point(
    value: &Value,
    event: &Event,
    tags: &[(String, String)],
    unit_us: i64,
) -> Result<Option<Point>> {
    let own = |key: &str| seq::get(value, &Value::keyword(key)).filter(|value| !value.is_nil());
    let unit_us = match own("precision") {
        Some(precision) => self::unit_us(Some(&text(&precision)))?,
        None => unit_us,
    };
    let (Some(measurement), Some(time)) = (own("measurement"), event.time()) else {
        return Ok(None);
    };
    let mut tags = tags.to_vec();
    tags.extend(pairs(&own("influxdb-tags").unwrap_or_default())?);
    let mut fields = Vec::new();
    for entry in seq::iter(&own("influxdb-fields").unwrap_or_default()) {
        let entry = seq::to_vec(&entry?)?;
        if let [name, value] = entry.as_slice()
            && let Some(value) = field(value)
        {
            fields.push((text(name), value));
        }
    }
    let time_us = time.us - time.us.rem_euclid(unit_us);
    Ok(Point::new(&text(&measurement), &tags, &fields, time_us))
}

/// A value as that of a field; none for nil, an empty text, and what is not a finite number.
fn field(value: &Value) -> Option<FieldValue> {
    match value {
        Value::Nil => None,
        Value::Bool(bool) => Some(FieldValue::Bool(*bool)),
        Value::Int(int) => Some(FieldValue::Int(*int)),
        other => match other.as_number() {
            Some(number) => Some(number.to_f64())
                .filter(|f| f.is_finite())
                .map(FieldValue::Float),
            None => Some(text(other))
                .filter(|text| !text.is_empty())
                .map(FieldValue::Text),
        },
    }
}
