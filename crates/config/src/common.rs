//! Natives of `riemann.common`; the rest is in `clj/riemann/common.clj`.

use clj::java::array::Array;
use clj::{Cx, Map, Native, Result, Thrown, Value, event_value, seq};
use event::{Event, Field, Number, Time, Views};
use streams::World;

pub const NATIVES: &[Native] = &[
    Native {
        name: "event",
        arglists: "([options])",
        doc: "An event record of a map; its time is now if it has none, and whole seconds.",
        arity: (1, Some(1)),
        code: event,
    },
    Native {
        name: "expire",
        arglists: "([event])",
        doc: "An event of the same host and service with state \"expired\" and the present time.",
        arity: (1, Some(1)),
        code: expire,
    },
    Native {
        name: "unix-to-iso8601",
        arglists: "([unix])",
        doc: "Unix seconds as ISO 8601 in UTC, to the millisecond; nil for nil.",
        arity: (1, Some(1)),
        code: unix_to_iso8601,
    },
    Native {
        name: "iso8601->unix",
        arglists: "([text])",
        doc: "The whole unix seconds of an ISO 8601 time.",
        arity: (1, Some(1)),
        code: iso8601_to_unix,
    },
    Native {
        name: "event-to-json",
        arglists: "([event])",
        doc: "An event as JSON text, its time in ISO 8601.",
        arity: (1, Some(1)),
        code: event_to_json,
    },
    Native {
        name: "encode",
        arglists: "([msg])",
        doc: "The bytes of a message: a map of :ok, :error, :query (text, or a map of :string) and :events.",
        arity: (1, Some(1)),
        code: encode,
    },
    Native {
        name: "decode-msg",
        arglists: "([bytes])",
        doc: "The message in an array of bytes, as a map of :ok, :error, :query and :events.",
        arity: (1, Some(1)),
        code: decode_msg,
    },
    Native {
        name: "exception->event",
        arglists: "([e] [e original])",
        doc: "An event that tells of an exception, and of the event that it was thrown on.",
        arity: (1, Some(2)),
        code: exception_to_event,
    },
];

/// Natives of `riemann.codec`.
pub const CODEC_NATIVES: &[Native] = &[
    Native {
        name: "map->Event",
        arglists: "([map])",
        doc: "An event record of a map.",
        arity: (1, Some(1)),
        code: |_, args| record(&args[0]).map(Value::Event),
    },
    Native {
        name: "->Event",
        arglists: "([host service state description metric tags time ttl])",
        doc: "An event record of its eight fields.",
        arity: (8, Some(8)),
        code: |_, args| {
            let fields = Field::ALL.iter().zip(args);
            let map: Map = fields
                .map(|(field, value)| (Value::keyword(field.name()), value.clone()))
                .collect();
            record(&Value::Map(map)).map(Value::Event)
        },
    },
];

fn record(value: &Value) -> Result<Event> {
    let map = match value {
        Value::Event(event) => event_value::to_map(event),
        Value::Map(map) => map.clone(),
        Value::Nil => Map::default(),
        other => {
            return Err(Thrown::class_cast(format!(
                "{} is not a map",
                other.class_name()
            )));
        }
    };
    event_value::from_map(&map, true)?
        .ok_or_else(|| Thrown::illegal_argument("an event's keys must be keywords"))
}

fn event(cx: &Cx<'_>, args: &[Value]) -> Result {
    let event = record(&args[0])?;
    let time = match seq::get(&Value::Event(event.clone()), &Value::keyword("time")) {
        None | Some(Value::Nil) => cx.get::<World>()?.now_number(),
        Some(time) => time.as_number().ok_or_else(|| {
            Thrown::class_cast(format!(
                "an event's :time is a number, not {}",
                time.to_readable()
            ))
        })?,
    };
    let seconds = round(&time);
    Ok(Value::Event(event.edit(|draft| {
        draft.clear(Field::Time);
        draft.time = Some(Time::from_s(seconds));
    })))
}

/// As Java's `Math.round`: to the nearest, halves up.
fn round(number: &Number) -> i64 {
    match number {
        Number::Int(int) => *int,
        other => (other.to_f64() + 0.5).floor() as i64,
    }
}

fn expire(cx: &Cx<'_>, args: &[Value]) -> Result {
    streams::fields::expire(cx, &args[0])
}

fn unix_to_iso8601(_: &Cx<'_>, args: &[Value]) -> Result {
    let Some(number) = args[0].as_number() else {
        return Ok(Value::Nil);
    };
    let time = Time::nearest(&number)
        .ok_or_else(|| Thrown::illegal_argument(format!("{number} s is out of range")))?;
    Ok(Value::str(codec::iso8601::Utc(time).to_string()))
}

fn iso8601_to_unix(_: &Cx<'_>, args: &[Value]) -> Result {
    let text = args[0].as_str().unwrap_or_default();
    let time = codec::iso8601::parse(text)
        .ok_or_else(|| Thrown::illegal_argument(format!("Invalid format: \"{text}\"")))?;
    Ok(Value::Int(time.floor_s()))
}

fn event_to_json(_: &Cx<'_>, args: &[Value]) -> Result {
    let event = crate::index_object::to_event(&args[0])?;
    let mut json = Vec::new();
    codec::json::event_to_json(&mut json, &event);
    Ok(Value::str(String::from_utf8_lossy(&json)))
}

fn encode(_: &Cx<'_>, args: &[Value]) -> Result {
    let field = |name: &str| seq::get(&args[0], &Value::keyword(name)).unwrap_or_default();
    let mut bytes = Vec::new();
    match field("ok") {
        Value::Nil => {}
        ok if ok.truthy() => codec::riemann::encode_ack(&mut bytes),
        _ => codec::riemann::encode_error(&mut bytes, field("error").as_str()),
    }
    let query = field("query");
    let text = seq::get(&query, &Value::keyword("string")).unwrap_or(query);
    if let Some(text) = text.as_str() {
        codec::riemann::encode_query(&mut bytes, text);
    }
    let events = seq::iter(&field("events"))
        .map(|event| crate::index_object::to_event(&event?))
        .collect::<Result<Vec<Event>>>()?;
    codec::riemann::encode_events(&mut bytes, &events);
    Ok(Value::object(Array::of_bytes(&bytes)))
}

fn decode_msg(cx: &Cx<'_>, args: &[Value]) -> Result {
    let bytes = clj::java::array::bytes_of(&args[0])?;
    let mut views = Views::new();
    let head = codec::riemann::decode_msg(&bytes, cx.get::<World>()?.now(), &mut views)
        .map_err(|error| Thrown::new("java.io.IOException", error.to_string()))?;
    let text = |text: Option<&str>| text.map_or(Value::Nil, Value::str);
    let query = match head.query {
        Some(query) => Value::map([(Value::keyword("string"), Value::str(query))]),
        None => Value::Nil,
    };
    let events = views
        .iter()
        .map(|view| Value::Event(Event::from_view(&view)));
    Ok(Value::map([
        (
            Value::keyword("ok"),
            head.ok.map_or(Value::Nil, Value::Bool),
        ),
        (Value::keyword("error"), text(head.error)),
        (Value::keyword("query"), query),
        (Value::keyword("events"), Value::list(events.collect())),
    ]))
}

fn exception_to_event(cx: &Cx<'_>, args: &[Value]) -> Result {
    let thrown = Thrown::again(args[0].clone());
    let event = streams::rescue::exception_event(cx, &thrown, args.get(1));
    Ok(Value::Event(event))
}
