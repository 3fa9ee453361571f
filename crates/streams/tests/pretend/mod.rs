//! A runtime without a program: a clock moved by hand, and streams built by calling operators.
#![allow(dead_code, reason = "each test uses some of it")]

use std::any::Any;
use std::sync::Arc;

use clj::{Callable, Cx, Host, Result, Runtime, Value};
use clock::{Scheduler, VirtualClock};
use event::Time;
use parking_lot::Mutex;
use streams::{Batch, Selection, Stream, StreamFn, World};

pub struct Pretend {
    pub rt: Arc<Runtime>,
    pub clock: Arc<VirtualClock>,
    pub scheduler: Scheduler,
    /// What was reported: who threw, and what.
    pub reports: Arc<Mutex<Vec<String>>>,
}

impl Pretend {
    pub fn new() -> Pretend {
        let clock = Arc::new(VirtualClock::new());
        let scheduler = Scheduler::new(clock.clone());
        let reports = Arc::new(Mutex::new(Vec::new()));
        let log = reports.clone();
        let reporter: streams::world::Reporter =
            Arc::new(move |who, thrown| log.lock().push(format!("{who} threw {thrown}")));
        let mut rt = Runtime::empty(Arc::new(NoHost));
        rt.attach(Arc::new(World::new(scheduler.clone(), reporter)));
        streams::install(&rt);
        Pretend {
            rt: Arc::new(rt),
            clock,
            scheduler,
            reports,
        }
    }

    pub fn cx(&self) -> Cx<'_> {
        Cx::new(&self.rt)
    }

    /// Calls a function of `riemann.streams`.
    pub fn make(&self, name: &str, args: &[Value]) -> Value {
        let var = self
            .rt
            .var("riemann.streams", name)
            .expect("a name of riemann.streams");
        let function = var.root().expect("a bound var");
        self.cx()
            .call(&function, args)
            .unwrap_or_else(|thrown| panic!("{name}: {thrown}"))
    }

    pub fn send(&self, stream: &Value, value: &Value) -> Result {
        self.cx().call(stream, std::slice::from_ref(value))
    }

    pub fn advance_ms(&self, ms: i64) {
        self.clock.advance(Time::exact(ms * 1000), &self.scheduler);
    }
}

/// What reached the ends of a stream, in order: the end's name, the time, and the value.
#[derive(Clone, Default)]
pub struct Log(pub Arc<Mutex<Vec<String>>>);

impl Log {
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }

    /// A function that notes what it is called with.
    pub fn end(&self, name: &'static str) -> Value {
        Value::Fn(Arc::new(End {
            name,
            log: self.clone(),
        }))
    }

    /// A stream that notes what comes, of which siblings are told that it cannot be observed.
    pub fn quiet_end(&self, name: &'static str) -> Value {
        StreamFn::value(
            name,
            End {
                name,
                log: self.clone(),
            },
        )
    }
}

struct End {
    name: &'static str,
    log: Log,
}

impl End {
    fn note(&self, value: &Value) {
        self.log
            .0
            .lock()
            .push(format!("{} {}", self.name, value.to_readable()));
    }
}

impl Callable for End {
    fn call(&self, _: &Cx<'_>, args: &[Value]) -> Result {
        self.note(&args[0]);
        Ok(Value::Nil)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Stream for End {
    fn call(&self, _: &Cx<'_>, value: &Value) -> Result {
        self.note(value);
        Ok(Value::Nil)
    }

    fn push(&self, _: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        chosen
            .iter()
            .for_each(|index| self.note(batch.value(index)));
    }

    fn is_contained(&self) -> bool {
        true
    }
}

/// A function of one argument in Rust.
pub struct Lambda(pub fn(&Value) -> Result);

impl Callable for Lambda {
    fn call(&self, _: &Cx<'_>, args: &[Value]) -> Result {
        (self.0)(&args[0])
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

pub fn lambda(code: fn(&Value) -> Result) -> Value {
    Value::Fn(Arc::new(Lambda(code)))
}

/// A function that builds the stream `name` over `child`, in a vector, as `by` wants it.
pub fn building(name: &str, pretend: &Pretend, child: Value) -> Value {
    struct NewFork {
        operator: Value,
        child: Value,
    }
    impl Callable for NewFork {
        fn call(&self, cx: &Cx<'_>, _: &[Value]) -> Result {
            let stream = cx.call(&self.operator, std::slice::from_ref(&self.child))?;
            Ok(Value::vector(vec![stream]))
        }
        fn as_any(&self) -> &dyn Any {
            self
        }
    }
    let var = pretend
        .rt
        .var("riemann.streams", name)
        .expect("a name of riemann.streams");
    let operator = var.root().expect("a bound var");
    Value::Fn(Arc::new(NewFork { operator, child }))
}

pub struct NoHost;

impl Host for NoHost {}
