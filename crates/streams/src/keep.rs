//! The state of streams inside `(keep-state "name" …)`, carried from one configuration to the next.
//!
//! Every native stream that is built inside is noted in order ([`record`]). When a reload is certain to
//! succeed, and no event is on its way through the old streams, their states are taken
//! ([`Keeper::take`]) and handed to the new ones in the same places ([`Keeper::adopt`]).

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use clj::{Cx, Result, Thrown, Value};
use clock::Interval;
use event::Time;
use parking_lot::Mutex;

use crate::Stream;

/// The state of one stream, and what it was built with.
pub struct Kept {
    parameters: String,
    state: Box<dyn Any + Send>,
}

impl Kept {
    pub fn new(parameters: impl Into<String>, state: impl Any + Send) -> Kept {
        Kept {
            parameters: parameters.into(),
            state: Box::new(state),
        }
    }

    /// The state, for a stream that was built with the same parameters.
    ///
    /// # Errors
    /// Why it does not fit.
    pub fn state<S: 'static>(self, parameters: &str) -> std::result::Result<S, String> {
        if self.parameters != parameters {
            return Err(format!(
                "it was built with {}, now with {parameters}",
                self.parameters
            ));
        }
        match self.state.downcast() {
            Ok(state) => Ok(*state),
            Err(_) => Err("it keeps something else now".to_owned()),
        }
    }
}

/// A stream that was built while a recording went on, under the name that errors call it.
#[derive(Clone)]
pub struct Node {
    pub name: &'static str,
    pub stream: Arc<dyn Stream>,
}

/// Streams in the order in which they were built, with what they kept.
pub type Taken = Vec<(&'static str, Option<Kept>)>;

thread_local! {
    /// Recordings under way, innermost last.
    static RECORDINGS: RefCell<Vec<Vec<Node>>> = const { RefCell::new(Vec::new()) };
}

/// Notes the streams that `build` builds.
///
/// # Errors
/// What `build` throws.
pub fn record<R>(build: impl FnOnce() -> Result<R>) -> Result<(R, Vec<Node>)> {
    RECORDINGS.with_borrow_mut(|recordings| recordings.push(Vec::new()));
    let built = build();
    let nodes = RECORDINGS.with_borrow_mut(Vec::pop).unwrap_or_default();
    built.map(|built| (built, nodes))
}

/// True while streams are noted: a stream that builds others later must note those, too.
pub fn is_recording() -> bool {
    RECORDINGS.with_borrow(|recordings| !recordings.is_empty())
}

pub(crate) fn note(name: &'static str, stream: &Arc<dyn Stream>) {
    RECORDINGS.with_borrow_mut(|recordings| {
        if let Some(nodes) = recordings.last_mut() {
            nodes.push(Node {
                name,
                stream: stream.clone(),
            });
        }
    });
}

/// Takes what streams keep.
pub fn take(cx: &Cx<'_>, nodes: &[Node]) -> Taken {
    nodes
        .iter()
        .map(|node| (node.name, node.stream.keep(cx)))
        .collect()
}

/// Hands states to streams in the same places. Gives what did not fit, stream by stream; nothing is
/// handed over if the streams are others.
pub fn adopt(cx: &Cx<'_>, nodes: &[Node], taken: Taken) -> Vec<String> {
    let now: Vec<&str> = nodes.iter().map(|node| node.name).collect();
    let before: Vec<&str> = taken.iter().map(|(name, _)| *name).collect();
    if now != before {
        let shown = |names: &[&str]| names.join(" ");
        return vec![format!(
            "all begins anew: its streams were ({}), now ({})",
            shown(&before),
            shown(&now)
        )];
    }
    let mut odd = Vec::new();
    for (node, (name, kept)) in nodes.iter().zip(taken) {
        if let Some(Err(why)) = kept.map(|kept| node.stream.adopt(cx, kept)) {
            odd.push(format!("{name} begins anew: {why}"));
        }
    }
    odd
}

/// A parameter as a text that is the same when it is.
pub fn parameter(value: &Value) -> String {
    match value {
        Value::Fn(function) => function.name().unwrap_or("a function").to_owned(),
        other => other.to_readable(),
    }
}

/// A length of time as a parameter.
pub fn seconds(interval: Interval) -> String {
    format!("{} s", interval.after(Time::from_s(0), 1).to_number())
}

/// What the `keep-state`s of one configuration have recorded, by their names.
#[derive(Default)]
pub struct Keeper(Mutex<BTreeMap<String, Vec<Node>>>);

impl Keeper {
    /// Adds the streams of a `keep-state`.
    ///
    /// # Errors
    /// When the name is taken.
    pub fn add(&self, name: &str, nodes: Vec<Node>) -> Result<()> {
        let mut named = self.0.lock();
        if named.contains_key(name) {
            let message = format!("keep-state: the name {name:?} is taken");
            return Err(Thrown::illegal_argument(message).with_hint(
                "give each keep-state a name of its own, and put it around by, not inside",
            ));
        }
        named.insert(name.to_owned(), nodes);
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    /// Takes what all streams keep, by name. Nothing may go through them any more.
    pub fn take(&self, cx: &Cx<'_>) -> BTreeMap<String, Taken> {
        let named = std::mem::take(&mut *self.0.lock());
        named
            .into_iter()
            .map(|(name, nodes)| (name, take(cx, &nodes)))
            .collect()
    }

    /// Hands states to the streams of the same names; gives a line for the log on each name.
    pub fn adopt(&self, cx: &Cx<'_>, mut taken: BTreeMap<String, Taken>) -> Vec<String> {
        let named = self.0.lock().clone();
        let mut told = Vec::new();
        for (name, nodes) in &named {
            let line = match taken.remove(name) {
                None => "begins anew: there was no keep-state of that name".to_owned(),
                Some(states) => match &adopt(cx, nodes, states)[..] {
                    [] => "goes on".to_owned(),
                    odd => odd.join("; "),
                },
            };
            told.push(format!("keep-state {name:?}: {line}"));
        }
        let gone = taken.keys();
        told.extend(gone.map(|name| format!("keep-state {name:?}: gone, its state is dropped")));
        told
    }
}
