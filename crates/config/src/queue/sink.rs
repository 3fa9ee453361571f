//! Sinks whose queue is in a journal.
//!
//! The sink is made as ever, but what it would offer to an outlet goes to the crew of its courier;
//! the configuration is given streams that put what they are given into the queue.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use clj::{Callable, Cx, Map, Native, Result, Runtime, Thrown, Value, closure, seq};
use sinks::durable::{Courier, Crew, Failed, Progress, record};
use sinks::target::DeliveryError;
use streams::StreamFn;

use super::queues::Made;
use super::{Entrance, QueueSpec, Queues, entrance, entry};

/// Records of one sink in hand at once, at most: few enough for one read of the journal.
const RECORDS_MAX: usize = 1000;

/// Streams that are remembered by their route; beyond, they are made again when asked for.
const ROUTES_MAX: usize = 1000;

thread_local! {
    /// The crew that outlets opened on this thread belong to.
    static CREW: RefCell<Option<Arc<Crew>>> = const { RefCell::new(None) };
}

/// The crew that outlets opened on this thread belong to, if a durable sink is at work.
pub fn crew_here() -> Option<Arc<Crew>> {
    CREW.with_borrow(Clone::clone)
}

fn within<R>(crew: &Arc<Crew>, body: impl FnOnce() -> R) -> R {
    let before = CREW.replace(Some(crew.clone()));
    let result = body();
    CREW.set(before);
    result
}

/// The constructor of a sink, which takes `:queue` in its options, or in a last map of its own.
pub struct SinkFn(pub Native);

impl Callable for SinkFn {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        let Some((queue, arguments)) = split(args, self.0.arity.1) else {
            return self.0.call(cx, args);
        };
        match QueueSpec::read(self.0.name, &queue)? {
            None => self.0.call(cx, &arguments),
            Some(spec) => {
                let native = self.0;
                register_sink(cx, spec, native.name, &arguments, |cx| {
                    native.call(cx, &arguments)
                })
            }
        }
    }

    fn name(&self) -> Option<&str> {
        Some(self.0.name)
    }

    fn arity(&self) -> Option<(usize, Option<usize>)> {
        let (fewest, most) = self.0.arity;
        Some((fewest, most.map(|most| most + 1)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What the first map with `:queue` says of it, and the arguments without.
fn split(args: &[Value], most: Option<usize>) -> Option<(Value, Vec<Value>)> {
    let key = Value::keyword("queue");
    let of = |value: &Value| match value {
        Value::Map(map) => map.get(&key).cloned(),
        _ => None,
    };
    let queue = args.iter().find_map(of)?;
    let mut arguments = args.to_vec();
    for argument in &mut arguments {
        if let Value::Map(map) = argument {
            map.remove(&key);
        }
    }
    let is_spare = |last: &Value| matches!(last, Value::Map(map) if map.is_empty());
    if most.is_some_and(|most| arguments.len() > most) && arguments.last().is_some_and(is_spare) {
        arguments.pop();
    }
    Some((queue, arguments))
}

/// Registers the queue of a sink that `make` makes, and gives what stands for the sink.
///
/// # Errors
/// As [`Queues::register`].
pub fn register_sink(
    cx: &Cx<'_>,
    spec: QueueSpec,
    of: &'static str,
    arguments: &[Value],
    make: impl FnOnce(&Cx<'_>) -> Result,
) -> Result {
    let queues = cx.get::<Queues>()?;
    queues.register(cx.rt, spec, (of, arguments), |entrance| {
        if !queues.are_kept() {
            return Ok(Made {
                face: make(cx)?,
                courier: None,
            });
        }
        let crew = Arc::new(Crew::default());
        let sink = within(&crew, || make(cx))?;
        let face = Face {
            of,
            entrance: entrance.clone(),
            crew: crew.clone(),
        };
        Ok(Made {
            face: face.of(&sink, &[]),
            courier: Some(Box::new(move |rt| {
                Box::new(SinkCourier {
                    rt: rt.clone(),
                    sink,
                    crew,
                    streams: HashMap::new(),
                    failed: None,
                })
            })),
        })
    })
}

/// Makes what the configuration is given in a sink's place.
#[derive(Clone)]
struct Face {
    of: &'static str,
    entrance: Arc<Entrance>,
    crew: Arc<Crew>,
}

impl Face {
    /// Of a stream, a map of streams, or a function that gives streams, which a route leads to.
    fn of(&self, value: &Value, route: &[Value]) -> Value {
        let onward = |step: Value| [route, &[step]].concat();
        match value {
            Value::Map(streams) => {
                let streams = streams
                    .iter()
                    .map(|(key, stream)| (key.clone(), self.of(stream, &onward(key.clone()))));
                Value::Map(streams.collect::<Map>())
            }
            Value::Fn(_) if StreamFn::of(value).is_some() => {
                entrance::stream(self.of, &self.entrance, route)
            }
            Value::Fn(_) => {
                let (face, function, route) = (self.clone(), value.clone(), route.to_vec());
                closure::function(self.of, move |cx, args| {
                    let made = within(&face.crew, || cx.call(&function, args))?;
                    let step = Value::vector(args.to_vec());
                    Ok(face.of(&made, &[route.as_slice(), &[step]].concat()))
                })
            }
            other => other.clone(),
        }
    }
}

/// Makes of records what the sink would have sent, and has its crew send that.
struct SinkCourier {
    rt: Arc<Runtime>,
    sink: Value,
    crew: Arc<Crew>,
    /// The sink's streams, by route.
    streams: HashMap<String, Value>,
    failed: Option<Failed>,
}

impl SinkCourier {
    /// Has the sink offer what it makes of a record.
    fn offer(&mut self, bytes: &[u8]) -> std::result::Result<(), String> {
        let Some(record) = record::read(bytes) else {
            return Err("a record of a kind that this program does not know".to_owned());
        };
        let stream = self.stream(record.route)?;
        let cx = Cx::new(&self.rt);
        let value = entry::read(&cx, &record)?;
        let offered = within(&self.crew, || cx.call(&stream, &[value]));
        offered.map(drop).map_err(|thrown| thrown.to_string())
    }

    fn stream(&mut self, route: &str) -> std::result::Result<Value, String> {
        if let Some(known) = self.streams.get(route) {
            return Ok(known.clone());
        }
        let cx = Cx::new(&self.rt);
        let steps = entry::read_text(&cx, route)?;
        let stream = within(&self.crew, || follow(&cx, &self.sink, &steps));
        let stream = stream.map_err(|thrown| format!("no stream {route}: {thrown}"))?;
        if self.streams.len() >= ROUTES_MAX {
            self.streams.clear();
        }
        self.streams.insert(route.to_owned(), stream.clone());
        Ok(stream)
    }
}

/// Goes from a sink to one of its streams.
fn follow(cx: &Cx<'_>, sink: &Value, steps: &Value) -> Result {
    let mut at = sink.clone();
    for step in seq::iter(steps) {
        let step = step?;
        at = match &at {
            Value::Map(streams) => streams.get(&step).cloned().unwrap_or_default(),
            function => cx.call(function, &seq::to_vec(&step)?)?,
        };
    }
    match StreamFn::of(&at) {
        Some(_) => Ok(at),
        None => Err(Thrown::illegal_argument("the sink has none there")),
    }
}

impl Courier for SinkCourier {
    fn records_max(&self) -> usize {
        self.crew.batch_max().min(RECORDS_MAX)
    }

    fn take(&mut self, records: &[Vec<u8>]) -> Vec<(usize, String)> {
        let mut odd = Vec::new();
        for (place, bytes) in records.iter().enumerate() {
            self.crew.begin(place);
            if let Err(reason) = self.offer(bytes) {
                self.crew.take_back(place);
                odd.push((place, reason));
            }
        }
        odd
    }

    fn deliver(&mut self) -> std::result::Result<Progress, DeliveryError> {
        match self.crew.deliver() {
            Ok(true) => Ok(Progress::More),
            Ok(false) => Ok(Progress::Done),
            Err(failed) => {
                let error = failed.error.clone();
                self.failed = Some(failed);
                Err(error)
            }
        }
    }

    fn give_up(&mut self) -> Vec<usize> {
        let failed = self.failed.take();
        failed.map_or_else(Vec::new, |failed| self.crew.give_up(&failed))
    }

    fn first_in_hand(&self) -> Option<usize> {
        self.crew.first_record()
    }
}
