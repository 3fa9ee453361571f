//! The state of a file's tests, and the commands that change it.

use std::sync::Arc;

use clj::compile;
use clj::diagnostics;
use clj::reader::Reader;
use clj::{Cx, Runtime, Thrown, Value};
use clock::{Clock, Scheduler, VirtualClock};
use event::Time;
use streams::{TopLevel, World};

use crate::effects::{self, Effects};
use crate::event_text;
use crate::host::NoHost;

/// The namespace that forms are evaluated in.
const NAMESPACE: &str = "user";

/// A runtime, its streams, and its clock.
pub struct Session {
    rt: Arc<Runtime>,
    clock: Arc<VirtualClock>,
    scheduler: Scheduler,
    effects: Arc<Effects>,
    streams: TopLevel,
}

impl Session {
    pub fn new() -> Session {
        let clock = Arc::new(VirtualClock::new());
        let scheduler = Scheduler::new(clock.clone());
        let effects = Arc::new(Effects::default());
        let mut rt = Runtime::unshared(Arc::new(NoHost));
        let world = World::new(scheduler.clone(), effects::reporter(&effects));
        rt.attach(Arc::new(world));
        rt.attach(effects.clone());
        streams::install(&rt);
        let user = rt.ensure_namespace(NAMESPACE);
        if let Some(streams) = rt.namespace("riemann.streams") {
            for (name, var) in streams.mappings.read().iter() {
                if *var.namespace == *streams.name {
                    user.refer(name, var.clone());
                }
            }
        }
        for (alias, namespace) in [("folds", "riemann.folds"), ("h", "cauchy.histogram")] {
            user.aliases.write().insert(alias.into(), namespace.into());
        }
        effects::install(&rt, NAMESPACE);
        Session {
            rt: Arc::new(rt),
            clock,
            scheduler,
            effects,
            streams: TopLevel::of(&[]),
        }
    }

    /// Runs a command and gives its output.
    ///
    /// # Errors
    /// A command or an input that is not understood.
    pub fn run(&mut self, command: &str, input: &str) -> Result<String, String> {
        let mut lines = match command.split_once(' ') {
            None if command == "streams" => self.replace_streams(input),
            None if command == "eval" => self.eval(input),
            None if command == "send" => self.send(input)?,
            Some(("wait", seconds)) => self.wait(seconds)?,
            _ => return Err(format!("{command} is not a command")),
        };
        let mut all = self.effects.take();
        all.append(&mut lines);
        Ok(all.iter().map(|line| format!("{line}\n")).collect())
    }

    /// Each form's value, up to the first that throws.
    fn forms(&self, text: &str) -> (Vec<Value>, Option<Thrown>) {
        let cx = Cx::new(&self.rt);
        self.rt.in_namespace(NAMESPACE, || {
            let mut reader = Reader::new(&cx, "spec".into(), text);
            let mut values = Vec::new();
            loop {
                match reader.read() {
                    Ok(None) => return (values, None),
                    Ok(Some(form)) => match compile::eval(&cx, &form) {
                        Ok(value) => values.push(value),
                        Err(thrown) => return (values, Some(thrown)),
                    },
                    Err(thrown) => return (values, Some(thrown)),
                }
            }
        })
    }

    fn replace_streams(&mut self, text: &str) -> Vec<String> {
        self.scheduler.clear();
        self.clock.reset();
        let (mut values, thrown) = self.forms(text);
        values.retain(|value| matches!(value, Value::Fn(_)));
        self.streams = TopLevel::of(&values);
        thrown.iter().map(|thrown| self.error(thrown)).collect()
    }

    fn eval(&self, text: &str) -> Vec<String> {
        let (values, thrown) = self.forms(text);
        let mut lines: Vec<String> = values.iter().map(Value::to_readable).collect();
        lines.extend(thrown.iter().map(|thrown| self.error(thrown)));
        lines
    }

    fn error(&self, thrown: &Thrown) -> String {
        diagnostics::render(&self.rt, thrown).trim_end().to_owned()
    }

    fn send(&self, input: &str) -> Result<Vec<String>, String> {
        let cx = Cx::new(&self.rt);
        for line in input.lines() {
            let rest = line
                .strip_prefix('@')
                .ok_or_else(|| format!("{line} has no @time"))?;
            let (time, event) = rest.split_once(' ').unwrap_or((rest, ""));
            self.clock
                .advance(event_text::time(&cx, time)?, &self.scheduler);
            let value = match event_text::parse(&cx, event, self.clock.now())? {
                Some(event) => Value::Event(event),
                None => match self.forms(event) {
                    (values, None) => values.into_iter().next_back().unwrap_or_default(),
                    (_, Some(thrown)) => return Err(self.error(&thrown)),
                },
            };
            if let Err(thrown) = self.streams.call(&cx, &value) {
                self.effects.add(format!("failed with {thrown}"));
            }
        }
        Ok(Vec::new())
    }

    fn wait(&self, seconds: &str) -> Result<Vec<String>, String> {
        let length = event_text::time(&Cx::new(&self.rt), seconds)?;
        let until: Time = self.clock.now().plus(length);
        self.clock.advance(until, &self.scheduler);
        Ok(Vec::new())
    }
}
