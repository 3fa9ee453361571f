//! `riemann.index`: the index as a value of the language and as a stream.

use std::any::Any;
use std::sync::Arc;

use clj::{Callable, Cx, Map, Native, Object, Result, Thrown, Value, event_value, seq};
use event::{Event, Fields};
use index::{Channel, Index, Key};
use parking_lot::Mutex;
use streams::{Batch, Selection, Stream, StreamFn, World};

use crate::kept::{IndexLog, LogSlot};
use crate::state::{Mode, State};

/// The channel that everything indexed is published on.
pub const CHANNEL: &str = "index";

/// An index; wrapped, it is a stream too.
struct IndexObject {
    index: Arc<Index>,
    /// Of the server's own index.
    log: Option<LogSlot>,
    /// `None` for a bare index, which is no stream.
    stream: Option<StreamFn>,
}

impl Object for IndexObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        if self.stream.is_some() {
            "riemann.core.WrappedIndex"
        } else {
            "riemann.index.Index"
        }
    }

    fn as_callable(&self) -> Option<&dyn Callable> {
        self.stream.as_ref().map(|stream| stream as &dyn Callable)
    }

    fn seq(&self) -> Option<Result> {
        let events: Vec<Value> = self.index.iter().map(Value::Event).collect();
        Some(Ok(if events.is_empty() {
            Value::Nil
        } else {
            Value::list(events)
        }))
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let native = NATIVES
            .iter()
            .find(|native| native.name.strip_prefix('-') == Some(name))?;
        let this: Value = Value::object(IndexObject {
            index: self.index.clone(),
            log: self.log.clone(),
            stream: None,
        });
        let all: Vec<Value> = [this].into_iter().chain(args.iter().cloned()).collect();
        Some(native.call(cx, &all))
    }
}

/// Keeps events in an index, and publishes them.
struct IndexStream {
    index: Arc<Index>,
    log: Option<LogSlot>,
    /// Of the connections, and of the configuration's own subscriptions; none without a registry.
    channels: Vec<Channel>,
}

impl IndexStream {
    fn insert(&self, value: &Value) -> Result<()> {
        let event = to_event(value)?;
        if event.time().is_none() && !has_odd_time(&event) {
            return Err(no_time(value));
        }
        self.index.insert(&event);
        if let Some(log) = log_in(&self.log) {
            log.kept(&event);
        }
        self.publish(&event)
    }

    fn publish(&self, event: &Event) -> Result<()> {
        for channel in &self.channels {
            if channel.is_watched() {
                channel.publish(event).map_err(crate::pubsub::unbox)?;
            }
        }
        Ok(())
    }

    fn is_watched(&self) -> bool {
        self.channels.iter().any(Channel::is_watched)
    }
}

fn no_time(value: &Value) -> Thrown {
    Thrown::from_value(Value::object(clj::Exception {
        class: "clojure.lang.ExceptionInfo".into(),
        message: Some("cannot index event with no time".into()),
        data: Some(Map::from_iter([(Value::keyword("event"), value.clone())])),
        cause: None,
        trace: Mutex::default(),
        hint: std::sync::OnceLock::new(),
    }))
}

fn has_odd_time(event: &Event) -> bool {
    matches!(event.field(event::Field::Time), event::FieldRef::Odd(_))
}

impl Stream for IndexStream {
    fn call(&self, _: &Cx<'_>, value: &Value) -> Result {
        self.insert(value)?;
        Ok(Value::Bool(true))
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        if let Some(views) = batch.views()
            && !self.is_watched()
        {
            self.index.insert_views(views, chosen.iter());
            if let Some(log) = log_in(&self.log) {
                log.kept_views(views, &mut chosen.iter());
            }
            return;
        }
        for at in chosen.iter() {
            if let Err(thrown) = self.insert(batch.value(at)) {
                batch.fail(cx, at, "index", thrown);
            }
        }
    }

    /// Only a function of the configuration that looks into the index could tell; such siblings
    /// make the batch go event by event.
    fn is_contained(&self) -> bool {
        true
    }
}

/// A map of the language as an event.
pub fn to_event(value: &Value) -> Result<Event> {
    match value {
        Value::Event(event) => Ok(event.clone()),
        Value::Map(map) => event_value::from_map(map, false)?
            .ok_or_else(|| Thrown::illegal_argument("an event's keys must be keywords")),
        _ => Err(Thrown::class_cast(format!(
            "{} is not an event",
            value.class_name()
        ))),
    }
}

/// The index in a value, if it is one.
pub fn index_in(value: &Value) -> Option<Arc<Index>> {
    let object = value.downcast::<IndexObject>();
    object.map(|object| object.index.clone())
}

fn index_of(value: &Value) -> Result<&Arc<Index>> {
    value
        .downcast::<IndexObject>()
        .map(|object| &object.index)
        .ok_or_else(|| Thrown::illegal_argument(format!("{} is not an index", value.class_name())))
}

fn log_in(slot: &Option<LogSlot>) -> Option<&Arc<dyn IndexLog>> {
    slot.as_ref()?.get()
}

/// Who hears of an index's changes.
fn log_of(value: &Value) -> Option<&Arc<dyn IndexLog>> {
    log_in(&value.downcast::<IndexObject>()?.log)
}

fn note_removed(index: &Value, removed: Option<Event>) -> Option<Event> {
    if let (Some(log), Some(event)) = (log_of(index), &removed) {
        log.removed(std::slice::from_ref(event));
    }
    removed
}

const fn native(
    name: &'static str,
    arglists: &'static str,
    arity: usize,
    doc: &'static str,
    code: clj::NativeFn,
) -> Native {
    Native {
        name,
        arglists,
        doc,
        arity: (arity, Some(arity)),
        code,
    }
}

pub const NATIVES: &[Native] = &[
    native("-new", "([])", 0, "A new index.", |_, _| {
        Ok(Value::object(IndexObject {
            index: Arc::default(),
            log: None,
            stream: None,
        }))
    }),
    native(
        "-kept",
        "([])",
        0,
        "The index of this server, which outlives configurations; a new one where none is served.",
        |cx, _| {
            let state = cx.get::<State>()?;
            let (index, log) = match &state.wire {
                Some(_) if state.mode == Mode::Run => {
                    let log = state.kept.index_log.clone();
                    (state.kept.index.clone(), Some(log))
                }
                _ => (Arc::default(), None),
            };
            Ok(Value::object(IndexObject {
                index,
                log,
                stream: None,
            }))
        },
    ),
    native("-index?", "([x])", 1, "True of an index.", |_, args| {
        Ok(args[0].downcast::<IndexObject>().is_some().into())
    }),
    native(
        "-size",
        "([index])",
        1,
        "How many events an index keeps.",
        |_, args| Ok(Value::Int(index_of(&args[0])?.len() as i64)),
    ),
    native(
        "-clear",
        "([index])",
        1,
        "Takes everything out.",
        |_, args| {
            index_of(&args[0])?.clear();
            if let Some(log) = log_of(&args[0]) {
                log.cleared();
            }
            Ok(Value::Nil)
        },
    ),
    native(
        "-delete",
        "([index event])",
        2,
        "Takes an event out.",
        |_, args| {
            let event = to_event(&args[1])?;
            let removed = index_of(&args[0])?.delete(Key::from(&event));
            Ok(note_removed(&args[0], removed).into())
        },
    ),
    native(
        "-delete-exactly",
        "([index event])",
        2,
        "Takes this event out.",
        |_, args| {
            let event = to_event(&args[1])?;
            let removed = index_of(&args[0])?.delete_exactly(&event);
            Ok(note_removed(&args[0], removed).into())
        },
    ),
    native(
        "-expire",
        "([index])",
        1,
        "Takes expired events out.",
        expire,
    ),
    native(
        "-search",
        "([index ast])",
        2,
        "What a query matches.",
        search,
    ),
    native(
        "-insert",
        "([index event])",
        2,
        "Keeps an event.",
        |_, args| {
            let event = to_event(&args[1])?;
            index_of(&args[0])?.insert(&event);
            if let Some(log) = log_of(&args[0]) {
                log.kept(&event);
            }
            Ok(Value::Nil)
        },
    ),
    native(
        "-lookup",
        "([index host service])",
        3,
        "The event of a key.",
        lookup,
    ),
];

/// Natives of `riemann.core`.
pub const CORE_NATIVES: &[Native] = &[Native {
    name: "wrap-index",
    arglists: "([index] [index pubsub])",
    doc: "An index as a stream that keeps what it is given; with a registry of subscriptions, it \
          publishes that on the channel index.",
    arity: (1, Some(2)),
    code: wrap,
}];

fn wrap(cx: &Cx<'_>, args: &[Value]) -> Result {
    let index = index_of(&args[0])?.clone();
    let object = args[0].downcast::<IndexObject>();
    let log = object.and_then(|object| object.log.clone());
    let channels = match args.get(1) {
        None | Some(Value::Nil) => Vec::new(),
        Some(registry) => crate::pubsub::channels(cx, registry, CHANNEL)?,
    };
    let stream = IndexStream {
        index: index.clone(),
        log: log.clone(),
        channels,
    };
    let stream = Some(StreamFn::new("index", stream));
    Ok(Value::object(IndexObject { index, log, stream }))
}

fn expire(cx: &Cx<'_>, args: &[Value]) -> Result {
    let expired = index_of(&args[0])?.expire(cx.get::<World>()?.now());
    if let Some(log) = log_of(&args[0]) {
        log.removed(&expired.events);
        log.removed(&expired.broken);
    }
    for event in &expired.broken {
        tracing::warn!("index: deleted an event whose ttl or time is not a number: {event:?}");
    }
    Ok(Value::list(
        expired.events.into_iter().map(Value::Event).collect(),
    ))
}

fn lookup(_: &Cx<'_>, args: &[Value]) -> Result {
    let index = index_of(&args[0])?;
    let usual = |value: &Value| matches!(value, Value::Nil | Value::Str(_));
    if usual(&args[1]) && usual(&args[2]) {
        return Ok(index.lookup((args[1].as_str(), args[2].as_str())).into());
    }
    let key: Map = [("host", &args[1]), ("service", &args[2])]
        .into_iter()
        .map(|(name, value)| (Value::keyword(name), value.clone()))
        .collect();
    let event = to_event(&Value::Map(key))?;
    Ok(index.lookup(Key::from(&event)).into())
}

fn search(_: &Cx<'_>, args: &[Value]) -> Result {
    let index = index_of(&args[0])?;
    let query = crate::query::compile(&args[1])?;
    let found = crate::query::search(index, &query);
    seq::seq(&Value::list(found.into_iter().map(Value::Event).collect()))
}
