//! `interpolate-constant`: the latest event over and over.

use std::sync::Arc;

use clj::{Cx, Native, Result, Value};
use event::Time;
use parking_lot::Mutex;

use crate::periodic::Periodic;
use crate::stream::operator;
use crate::{Children, Stream, StreamFn, World, fields, timer};

pub const OPERATOR: Native = operator(
    "interpolate-constant",
    "([interval & children])",
    1,
    new,
    "Passes on the latest event every interval seconds, with the time now, from the first event on: a \
     steady row of events out of an unsteady one. An expired event is passed on at once, and ends the \
     row until the next event.",
);

struct InterpolateConstant {
    shared: Arc<Shared>,
    periodic: Periodic,
}

struct Shared {
    latest: Mutex<Option<Value>>,
    children: Children,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    let children = Children::of(&args[1..]);
    let shared = Arc::new(Shared {
        latest: Mutex::default(),
        children,
    });
    let repeated = shared.clone();
    let periodic = Periodic::new(timer::interval(&args[0])?, Time::from_s(0), move |cx| {
        let latest = repeated.latest.lock().clone();
        if let Some(event) = latest {
            let event = fields::with_time(&event, cx.get::<World>()?.now())?;
            repeated.children.call(cx, &event);
        }
        Ok(())
    });
    Ok(StreamFn::value(
        "interpolate-constant",
        InterpolateConstant { shared, periodic },
    ))
}

impl Stream for InterpolateConstant {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        *self.shared.latest.lock() = Some(value.clone());
        if !self.periodic.see(cx, value)? {
            self.shared.children.call(cx, value);
            self.shared.latest.lock().take();
        }
        Ok(Value::Bool(true))
    }
}
