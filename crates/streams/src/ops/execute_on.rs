//! `execute-on`: passes events on in another thread.

use std::any::Any;
use std::sync::Arc;

use clj::dynamic::{self, Bindings};
use clj::{Callable, Cx, Native, Result, Value, java};

use crate::stream::operator;
use crate::{Children, Stream, StreamFn};

pub const OPERATOR: Native = operator(
    "execute-on",
    "([executor & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| {
        let children = Arc::new(Children::of(&args[1..]));
        Ok(StreamFn::value(
            "execute-on",
            ExecuteOn {
                executor: args[0].clone(),
                children,
            },
        ))
    },
    "Passes each event on as a task of an executor: in its threads, at its time. Throws what the \
     executor throws when it takes no more.",
);

struct ExecuteOn {
    executor: Value,
    children: Arc<Children>,
}

impl Stream for ExecuteOn {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let task = Job {
            children: self.children.clone(),
            value: value.clone(),
            bindings: dynamic::capture(),
        };
        java::method(cx, &self.executor, "execute", &[Value::Fn(Arc::new(task))])?;
        Ok(Value::Bool(true))
    }
}

/// One event on its way.
struct Job {
    children: Arc<Children>,
    value: Value,
    bindings: Bindings,
}

impl Callable for Job {
    fn call(&self, cx: &Cx<'_>, _: &[Value]) -> Result {
        dynamic::within(self.bindings.clone(), || {
            self.children.call(cx, &self.value)
        });
        Ok(Value::Nil)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
