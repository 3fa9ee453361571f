//! Agents: a value that is changed on another thread, one action after another.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::arguments::{int, not_a};
use super::deferred::run_on_thread;
use super::maps::call_with;
use super::native;
use super::watched::Watched;
use crate::{Cx, Map, Native, Object, Result, Runtime, Thrown, Value, dynamic};

pub const NATIVES: &[Native] = &[
    native(
        "agent",
        "([state & options])",
        "A reference that actions change on another thread.",
        (1, None),
        agent,
    ),
    native(
        "send",
        "([a f & args])",
        "Has an agent changed to f of its value.",
        (2, None),
        send,
    ),
    native(
        "send-off",
        "([a f & args])",
        "As send, for actions that wait.",
        (2, None),
        send,
    ),
    native(
        "send-via",
        "([executor a f & args])",
        "As send.",
        (3, None),
        |cx, a| send(cx, &a[1..]),
    ),
    native(
        "await",
        "([& agents])",
        "Waits for all actions sent so far.",
        (0, None),
        |cx, a| {
            refuse_in_action(cx)?;
            for agent in a {
                self::reference(agent)?.wait(None)?;
            }
            Ok(Value::Nil)
        },
    ),
    native(
        "await-for",
        "([timeout-ms & agents])",
        "As await, for so long at most; true if all are done.",
        (1, None),
        |cx, a| {
            refuse_in_action(cx)?;
            let end = Instant::now() + Duration::from_millis(int(&a[0])?.max(0) as u64);
            for agent in &a[1..] {
                if !self::reference(agent)?.wait(Some(end))? {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        },
    ),
    native(
        "agent-error",
        "([a])",
        "What stopped an agent, or nil.",
        (1, Some(1)),
        |_, a| {
            Ok(reference(&a[0])?
                .state
                .lock()
                .error
                .as_ref()
                .map(|thrown| thrown.value().clone())
                .into())
        },
    ),
    native(
        "agent-errors",
        "([a])",
        "What stopped an agent, in a list, or nil.",
        (1, Some(1)),
        |_, a| {
            let error = reference(&a[0])?.state.lock().error.clone();
            Ok(error
                .map(|thrown| Value::list(vec![thrown.value().clone()]))
                .into())
        },
    ),
    native(
        "clear-agent-errors",
        "([a])",
        "Lets a stopped agent go on.",
        (1, Some(1)),
        |cx, a| {
            reference(&a[0])?.state.lock().error = None;
            start(cx.rt, &a[0])?;
            Ok(Value::Nil)
        },
    ),
    native(
        "restart-agent",
        "([a new-state & options])",
        "Lets a stopped agent go on.",
        (2, None),
        |cx, a| {
            let agent = reference(&a[0])?;
            let mut state = agent.state.lock();
            if state.error.take().is_none() {
                return Err(Thrown::runtime("Agent does not need a restart"));
            }
            state.value = a[1].clone();
            if a[2..].contains(&Value::keyword("clear-actions")) {
                state.queue.clear();
            }
            drop(state);
            start(cx.rt, &a[0])?;
            Ok(a[1].clone())
        },
    ),
    native(
        "set-error-handler!",
        "([a handler-fn])",
        "Calls a function of agent and exception when an action throws.",
        (2, Some(2)),
        |_, a| {
            reference(&a[0])?.state.lock().handler = a[1].clone();
            Ok(Value::Nil)
        },
    ),
    native(
        "error-handler",
        "([a])",
        "The error handler of an agent.",
        (1, Some(1)),
        |_, a| Ok(reference(&a[0])?.state.lock().handler.clone()),
    ),
    native(
        "set-error-mode!",
        "([a mode-keyword])",
        ":continue or :fail when an action throws.",
        (2, Some(2)),
        |_, a| {
            reference(&a[0])?.state.lock().goes_on = a[1] == Value::keyword("continue");
            Ok(Value::Nil)
        },
    ),
    native(
        "error-mode",
        "([a])",
        "The error mode of an agent.",
        (1, Some(1)),
        |_, a| {
            let goes_on = reference(&a[0])?.state.lock().goes_on;
            Ok(Value::keyword(if goes_on { "continue" } else { "fail" }))
        },
    ),
    native(
        "shutdown-agents",
        "([])",
        "Nothing: threads of idle agents end by themselves.",
        (0, Some(0)),
        |_, _| Ok(Value::Nil),
    ),
    native(
        "release-pending-sends",
        "([])",
        "Zero: sends are not held back.",
        (0, Some(0)),
        |_, _| Ok(Value::Int(0)),
    ),
];

/// Actions that may wait for one agent.
const QUEUE_LEN_MAX: usize = 100_000;
/// How long the thread of an agent stays when there is nothing to do.
const IDLE: Duration = Duration::from_secs(1);

/// `clojure.lang.Agent`.
pub struct Agent {
    state: Mutex<State>,
    changed: Condvar,
    pub(super) watched: Watched,
}

struct State {
    value: Value,
    queue: VecDeque<Action>,
    /// A thread works for this agent.
    running: bool,
    /// That thread is in an action.
    busy: bool,
    /// What stopped it.
    error: Option<Thrown>,
    handler: Value,
    goes_on: bool,
}

struct Action {
    f: Value,
    args: Vec<Value>,
    bindings: dynamic::Bindings,
}

fn agent(cx: &Cx<'_>, args: &[Value]) -> Result {
    let option = |name: &str| {
        let pair = args[1..]
            .chunks(2)
            .find(|pair| pair[0] == Value::keyword(name));
        pair.and_then(|pair| pair.get(1))
            .cloned()
            .unwrap_or_default()
    };
    let handler = option("error-handler");
    let goes_on = match option("error-mode") {
        Value::Nil => !handler.is_nil(),
        mode => mode == Value::keyword("continue"),
    };
    Ok(Value::object(Agent {
        state: Mutex::new(State {
            value: args[0].clone(),
            queue: VecDeque::new(),
            running: false,
            busy: false,
            error: None,
            handler,
            goes_on,
        }),
        changed: Condvar::new(),
        watched: Watched::with_options(cx, &args[0], &args[1..])?,
    }))
}

fn reference(value: &Value) -> Result<&Agent> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "clojure.lang.Agent"))
}

fn send(cx: &Cx<'_>, args: &[Value]) -> Result {
    let agent = reference(&args[0])?;
    let action = Action {
        f: args[1].clone(),
        args: args[2..].to_vec(),
        bindings: dynamic::capture(),
    };
    let mut state = agent.state.lock();
    if let Some(error) = &state.error {
        return Err(Thrown::runtime("Agent is failed, needs restart").wrapped(
            "java.lang.RuntimeException",
            format!("Agent is failed, needs restart: {error}"),
        ));
    }
    if state.queue.len() >= QUEUE_LEN_MAX {
        return Err(Thrown::new(
            "java.util.concurrent.RejectedExecutionException",
            format!("{QUEUE_LEN_MAX} actions wait for this agent"),
        ));
    }
    state.queue.push_back(action);
    drop(state);
    start(cx.rt, &args[0])?;
    Ok(args[0].clone())
}

/// An action that waited for actions would wait for itself.
fn refuse_in_action(cx: &Cx<'_>) -> Result<()> {
    let own = cx
        .rt
        .var("clojure.core", "*agent*")
        .and_then(|var| var.get());
    if own.is_some_and(|agent| !agent.is_nil()) {
        return Err(Thrown::new(
            "java.lang.Exception",
            "Can't await in agent action",
        ));
    }
    Ok(())
}

/// Starts the thread of an agent, or wakes it.
fn start(rt: &Arc<Runtime>, value: &Value) -> Result<()> {
    let agent = reference(value)?;
    let mut state = agent.state.lock();
    if std::mem::replace(&mut state.running, true) {
        agent.changed.notify_all();
        return Ok(());
    }
    drop(state);
    let (rt, value) = (rt.clone(), value.clone());
    run_on_thread("agent", move || {
        if let Ok(agent) = reference(&value) {
            agent.work(&Cx::new(&rt), &value);
        }
    })
}

impl Agent {
    fn work(&self, cx: &Cx<'_>, value: &Value) {
        let mut state = self.state.lock();
        loop {
            let next = if state.error.is_some() {
                None
            } else {
                state.queue.pop_front()
            };
            let Some(action) = next else {
                self.changed.notify_all();
                if self.changed.wait_for(&mut state, IDLE).timed_out() && state.queue.is_empty() {
                    state.running = false;
                    return;
                }
                continue;
            };
            state.busy = true;
            let old = state.value.clone();
            drop(state);
            let result = dynamic::within(action.bindings.clone(), || {
                let own = cx
                    .rt
                    .var("clojure.core", "*agent*")
                    .map(|var| (var, value.clone()));
                dynamic::with(own.into_iter().collect(), || {
                    let new = call_with(cx, &action.f, old.clone(), &action.args)?;
                    self.watched.validate(cx, &new)?;
                    Ok(new)
                })
            });
            self.finish(cx, value, old, result);
            state = self.state.lock();
            state.busy = false;
        }
    }

    fn finish(&self, cx: &Cx<'_>, value: &Value, old: Value, result: Result) {
        let failed = match result {
            Ok(new) => {
                self.state.lock().value = new.clone();
                self.watched.changed(cx, value, &old, &new).err()
            }
            Err(thrown) => Some(thrown),
        };
        if let Some(thrown) = failed {
            let handler = {
                let mut state = self.state.lock();
                if !state.goes_on {
                    state.error = Some(thrown.clone());
                }
                state.handler.clone()
            };
            if !handler.is_nil()
                && let Err(again) = cx.call(&handler, &[value.clone(), thrown.caught()])
            {
                cx.rt
                    .host
                    .print_error(&format!("error handler of an agent: {again}\n"));
            }
        }
    }

    /// Waits until all actions are done; false if it is not so at `end`.
    fn wait(&self, end: Option<Instant>) -> Result<bool> {
        let mut state = self.state.lock();
        loop {
            if let Some(error) = &state.error {
                let message = format!("Agent is failed, needs restart: {error}");
                return Err(Thrown::runtime(message));
            }
            if state.queue.is_empty() && !state.busy {
                return Ok(true);
            }
            match end {
                Some(end) if self.changed.wait_until(&mut state, end).timed_out() => {
                    return Ok(state.queue.is_empty() && !state.busy);
                }
                Some(_) => {}
                None => self.changed.wait(&mut state),
            }
        }
    }
}

impl Object for Agent {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.Agent"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "clojure.lang.IDeref" | "clojure.lang.IRef")
    }

    fn print(&self, out: &mut String, _: bool) {
        let value = self.state.lock().value.clone();
        super::atom::print_reference("clojure.lang.Agent", Some(&value), out);
    }

    fn deref(&self, _: &Cx<'_>) -> Option<Result> {
        Some(Ok(self.state.lock().value.clone()))
    }

    fn meta(&self) -> Option<Map> {
        self.watched.meta.lock().clone()
    }
}
