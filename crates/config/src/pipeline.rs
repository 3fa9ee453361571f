//! `pipeline`: what a configuration says of the ways from the network through a queue into a
//! store. The program opens them.

use std::any::Any;
use std::sync::{Arc, Weak};
use std::time::Duration;

use clj::java::Array;
use clj::{Cx, Map, Native, Object, Result, Runtime, Thrown, Value};
use codec::riemann::decode_msg;
use event::{Event, Time, Views};
use pipe::spec::{QueueSpec, SourceSpec, StoreSpec};
use pipe::words::Words;
use pipe::{Batch, Framing, PipeError, Store};

use crate::server::{Running, is_testing, reset};
use crate::state::State;
use crate::words::call;

/// A pipeline of the configuration, its options checked.
#[derive(Clone)]
pub struct PipelineSpec {
    pub name: String,
    pub source: SourceSpec,
    pub queue: QueueSpec,
    pub store: PipelineStore,
    /// How often the log tells of it.
    pub monitor: Option<Duration>,
}

/// Where a pipeline's messages go.
#[derive(Clone)]
pub enum PipelineStore {
    /// To a place with a name.
    Named(StoreSpec),
    /// To a function of the configuration.
    Function(MakeStore),
}

/// Makes a store that calls a function.
pub type MakeStore = Arc<dyn Fn() -> Box<dyn Store> + Send + Sync>;

/// Two are equal if the running one may go on as it is. A function belongs to its configuration,
/// so two that have one are never equal.
impl PartialEq for PipelineSpec {
    fn eq(&self, other: &PipelineSpec) -> bool {
        self.name == other.name
            && self.source == other.source
            && self.queue == other.queue
            && self.store == other.store
            && self.monitor == other.monitor
    }
}

impl PartialEq for PipelineStore {
    fn eq(&self, other: &PipelineStore) -> bool {
        match (self, other) {
            (PipelineStore::Named(one), PipelineStore::Named(other)) => one == other,
            _ => false,
        }
    }
}

impl PipelineSpec {
    /// Why both cannot run at once, if they cannot.
    pub fn clash(&self, other: &PipelineSpec) -> Option<String> {
        let (name, other_name) = (&self.name, &other.name);
        if name == other_name {
            return Some(format!("there is a pipeline {name:?} already"));
        }
        let what = if self.source.place.is_taken_by(&other.source.place) {
            "source"
        } else if self.queue.place.is_of(&other.queue.place) {
            "queue"
        } else {
            return None;
        };
        Some(format!(
            "the pipelines {other_name:?} and {name:?} cannot share a {what}"
        ))
    }
}

/// A description inside the language.
struct Described(PipelineSpec);

impl Object for Described {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "cauchy.Pipeline"
    }
}

pub const NATIVES: &[Native] = &[
    Native {
        name: "-described",
        arglists: "([name source queue store options])",
        doc: "What a pipeline is to be. Throws if that is not clear.",
        arity: (5, Some(5)),
        code: described,
    },
    Native {
        name: "-clash",
        arglists: "([described other])",
        doc: "Why two pipelines cannot run at once, or nil.",
        arity: (2, Some(2)),
        code: |_, args| {
            let clash = spec(&args[0])?.clash(spec(&args[1])?);
            Ok(clash.map_or(Value::Nil, Value::str))
        },
    },
    Native {
        name: "-same?",
        arglists: "([described other])",
        doc: "True if either can stand for the other.",
        arity: (2, Some(2)),
        code: |_, args| Ok(Value::Bool(spec(&args[0])? == spec(&args[1])?)),
    },
    Native {
        name: "-start!",
        arglists: "([described handle])",
        doc: "Opens a pipeline, unless under test.",
        arity: (2, Some(2)),
        code: start,
    },
    Native {
        name: "-stop!",
        arglists: "([handle])",
        doc: "Ends a pipeline.",
        arity: (1, Some(1)),
        code: stop,
    },
];

fn spec(value: &Value) -> Result<&PipelineSpec> {
    let described = value.downcast::<Described>();
    described
        .map(|described| &described.0)
        .ok_or_else(|| wrong(format!("{} is no pipeline", value.to_readable())))
}

fn start(cx: &Cx<'_>, args: &[Value]) -> Result {
    let state = cx.get::<State>()?;
    let Some(wire) = state.wire.as_ref().filter(|_| !is_testing(cx)) else {
        return Ok(Value::Nil);
    };
    let handle = wire
        .start_pipeline(spec(&args[0])?)
        .map_err(|line| Thrown::new("java.net.BindException", line))?;
    reset(cx, &args[1], Value::object(Running(handle)))
}

fn stop(cx: &Cx<'_>, args: &[Value]) -> Result {
    let running = call(cx, "deref", &args[..1])?;
    if let (Some(wire), Some(running)) = (&cx.get::<State>()?.wire, running.downcast::<Running>()) {
        wire.stop_pipeline(&running.0);
    }
    reset(cx, &args[0], Value::Nil)
}

fn described(cx: &Cx<'_>, args: &[Value]) -> Result {
    let name = match &args[0] {
        Value::Str(name) if !name.is_empty() => name.to_string(),
        other => {
            let other = other.to_readable();
            return Err(wrong(format!(
                "pipeline: its name must be a string, not {other}"
            )));
        }
    };
    let told = |what: &str, error: PipeError| wrong(format!("pipeline {name:?}: {what}: {error}"));
    let source = words("source", &args[1]).and_then(|words| SourceSpec::read(&words));
    let source = source.map_err(|error| told("its source", error))?;
    let queue = words("queue", &args[2]).and_then(|words| QueueSpec::read(&words));
    let queue = queue.map_err(|error| told("its queue", error))?;
    let store = store(cx, &args[3], source.framing).map_err(|error| told("its store", error))?;
    let monitor = monitor(&args[4]).map_err(|error| told("its options", error))?;
    Ok(Value::object(Described(PipelineSpec {
        name,
        source,
        queue,
        store,
        monitor,
    })))
}

/// From a URL, or a map with a `:type` and options.
fn words(what: &str, value: &Value) -> std::result::Result<Words, PipeError> {
    let asked = |text: String| Err(PipeError::Asked(text));
    let options = match value {
        Value::Str(url) => return url.parse(),
        Value::Map(options) => options,
        other => {
            let other = other.to_readable();
            return asked(format!("a {what} is a URL or a map, not {other}"));
        }
    };
    let Some(kind) = options.get_keyword("type").and_then(word) else {
        return asked(format!("the map of a {what} needs a :type, such as :tcp"));
    };
    let mut words = Words::new(&kind);
    for (key, value) in options
        .iter()
        .filter(|(key, _)| **key != Value::keyword("type"))
    {
        let Some(value) = word(value) else {
            let (key, value) = (key.to_readable(), value.to_readable());
            return asked(format!(
                "{key} must be a string, a keyword or a number, not {value}"
            ));
        };
        words.set(key.to_text().trim_start_matches(':'), &value)?;
    }
    Ok(words)
}

/// A string, a keyword's name, or a whole number.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::Keyword(_) => Some(value.to_text().trim_start_matches(':').to_owned()),
        _ => None,
    }
}

fn store(
    cx: &Cx<'_>,
    value: &Value,
    framing: Framing,
) -> std::result::Result<PipelineStore, PipeError> {
    if matches!(value, Value::Str(_) | Value::Map(_)) {
        let words = words("store", value)?;
        return StoreSpec::read(&words, framing).map(PipelineStore::Named);
    }
    let is_function = match value {
        Value::Fn(_) | Value::Var(_) => true,
        Value::Object(_) => {
            call(cx, "ifn?", std::slice::from_ref(value)).is_ok_and(|is| is.truthy())
        }
        _ => false,
    };
    if !is_function {
        let value = value.to_readable();
        let text = format!("a store is a URL, a map, or a function of a batch, not {value}");
        return Err(PipeError::Asked(text));
    }
    let (rt, function) = (Arc::downgrade(cx.rt), value.clone());
    Ok(PipelineStore::Function(Arc::new(move || {
        Box::new(FunctionStore {
            rt: rt.clone(),
            function: function.clone(),
            framing,
        })
    })))
}

fn monitor(options: &Value) -> std::result::Result<Option<Duration>, PipeError> {
    let empty = Map::default();
    let options = match options {
        Value::Map(options) => options,
        _ => &empty,
    };
    let mut monitor = None;
    for (key, value) in options.iter() {
        if *key != Value::keyword("monitor") {
            let key = key.to_readable();
            let text = format!("a pipeline has no option {key}; it has :monitor");
            return Err(PipeError::Asked(text));
        }
        let seconds = value.as_number().map(|number| number.to_f64());
        let interval = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        monitor = interval.filter(|interval| !interval.is_zero());
        if monitor.is_none() && !value.is_nil() {
            let value = value.to_readable();
            let text = format!(":monitor must be a number of seconds above 0, not {value}");
            return Err(PipeError::Asked(text));
        }
    }
    Ok(monitor)
}

/// A function that is called with a vector of the messages of each batch: events, or texts, or
/// arrays of bytes where they are no text.
struct FunctionStore {
    rt: Weak<Runtime>,
    function: Value,
    framing: Framing,
}

impl Store for FunctionStore {
    fn store(&mut self, batch: &Batch, _origin: &str) -> std::result::Result<(), PipeError> {
        let failed = |why: String| PipeError::Message(why);
        let Some(rt) = self.rt.upgrade() else {
            return Err(failed("its configuration has ended".to_owned()));
        };
        let mut messages = Vec::with_capacity(batch.len());
        for message in batch.iter() {
            put_values(&mut messages, message, self.framing).map_err(failed)?;
        }
        let called = Cx::new(&rt).call(&self.function, &[Value::vector(messages)]);
        called
            .map(drop)
            .map_err(|thrown| failed(thrown.to_string()))
    }
}

fn put_values(
    values: &mut Vec<Value>,
    message: &[u8],
    framing: Framing,
) -> std::result::Result<(), String> {
    if framing == Framing::Events {
        let mut views = Views::new();
        decode_msg(message, Time::from_s(0), &mut views)
            .map_err(|error| format!("not an event: {error}"))?;
        values.extend(
            views
                .iter()
                .map(|view| Value::Event(Event::from_view(&view))),
        );
        return Ok(());
    }
    values.push(match std::str::from_utf8(message) {
        Ok(text) => Value::str(text),
        Err(_) => Value::object(Array::of_bytes(message)),
    });
    Ok(())
}

fn wrong(message: String) -> Thrown {
    Thrown::illegal_argument(message)
}
