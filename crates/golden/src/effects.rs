//! What streams did, line by line.

use std::sync::Arc;

use clj::{Cx, Native, Result, Runtime, Value};
use parking_lot::Mutex;
use streams::{Stream, StreamFn, World};

use crate::event_text;

/// The lines not yet printed.
#[derive(Default)]
pub struct Effects(Mutex<Vec<String>>);

impl Effects {
    pub fn add(&self, line: String) {
        self.0.lock().push(line);
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock())
    }
}

const TAP: Native = Native {
    name: "tap",
    arglists: "([name & children])",
    doc: "Writes down what comes, and passes it on.",
    arity: (3, None),
    code: |_, args| {
        let name = Value::str(args[2].to_text());
        let mut form = vec![Value::symbol("tap-stream"), name];
        form.extend_from_slice(&args[3..]);
        Ok(Value::list(form))
    },
};

const TAP_STREAM: Native = Native {
    name: "tap-stream",
    arglists: "([name & children])",
    doc: "What tap expands to.",
    arity: (1, None),
    code: |_, args| {
        let children = streams::Children::of(&args[1..]);
        Ok(StreamFn::value(
            "tap",
            Tap {
                name: args[0].to_text(),
                children,
            },
        ))
    },
};

struct Tap {
    name: String,
    children: streams::Children,
}

impl Stream for Tap {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let now = cx.get::<World>()?.now();
        let text = event_text::print(value, now);
        let line = format!("{} @{} {text}", self.name, now.to_number());
        cx.get::<Effects>()?.add(line.trim_end().to_owned());
        self.children.call(cx, value);
        Ok(Value::Bool(true))
    }
}

/// Defines `tap` in the namespace of the tests.
pub fn install(rt: &Runtime, namespace: &str) {
    rt.define_natives(namespace, &[TAP_STREAM]);
    rt.define_native_macros(namespace, &[TAP]);
}

/// Notes exceptions that nothing else took.
pub fn reporter(effects: &Arc<Effects>) -> streams::world::Reporter {
    let effects = effects.clone();
    Arc::new(move |who, thrown| effects.add(format!("{who} threw {thrown}")))
}
