//! Exceptions: making them, and asking them.

use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::{Array, Method, foreign, method_of};
use crate::core::arguments::not_a;
use crate::thrown::Frame;
use crate::{Cx, Exception, Map, Object, Result, Value};

const INFO: &str = "clojure.lang.ExceptionInfo";

/// `(Exception.)`, `(Exception. message)`, `(Exception. cause)`, `(Exception. message cause)`, and
/// with a map of data after the message for `ExceptionInfo`.
pub(super) fn construct(class: &str, args: &[Value]) -> Result {
    if class == INFO {
        return match args {
            [message, Value::Map(data)] => Ok(made(class, message, Some(data), None)),
            [message, Value::Map(data), cause] => {
                Ok(made(class, message, Some(data), cause_of(cause)?))
            }
            _ => Err(foreign::no_constructor(class)),
        };
    }
    Ok(match args {
        [] => made(class, &Value::Nil, None, None),
        [message @ (Value::Nil | Value::Str(_))] => made(class, message, None, None),
        [cause] if is_throwable(cause) => made(
            class,
            &Value::from(cause.to_text()),
            None,
            Some(cause.clone()),
        ),
        [detail] if class == "java.lang.AssertionError" => made(class, detail, None, None),
        // Such as ParseException, which takes a position.
        [message @ (Value::Nil | Value::Str(_)), Value::Int(_)] => made(class, message, None, None),
        [message @ (Value::Nil | Value::Str(_)), cause] => {
            made(class, message, None, cause_of(cause)?)
        }
        _ => return Err(foreign::no_constructor(class)),
    })
}

fn made(class: &str, message: &Value, data: Option<&Map>, cause: Option<Value>) -> Value {
    let message = match message {
        Value::Str(message) => Some(message.clone()),
        Value::Nil => None,
        other => Some(Arc::from(other.to_text())),
    };
    let (class, data) = (class.into(), data.cloned());
    Value::object(Exception {
        class,
        message,
        data,
        cause,
        trace: Mutex::default(),
        hint: OnceLock::new(),
    })
}

fn is_throwable(value: &Value) -> bool {
    super::instance_of(value, "java.lang.Throwable")
}

fn cause_of(value: &Value) -> Result<Option<Value>> {
    match value {
        Value::Nil => Ok(None),
        cause if is_throwable(cause) => Ok(Some(cause.clone())),
        other => Err(not_a(other, "java.lang.Throwable")),
    }
}

pub(super) const METHODS: &[Method] = &[
    method_of("getMessage", 0, 0, |_, e, _| Ok(message(e))),
    method_of("getLocalizedMessage", 0, 0, |_, e, _| Ok(message(e))),
    method_of("getCause", 0, 0, |_, e, _| Ok(cause(e).cloned().into())),
    method_of("getData", 0, 0, |_, e, _| {
        Ok(own(e)?.data.clone().map(Value::Map).into())
    }),
    method_of("getStackTrace", 0, 0, |_, e, _| {
        let elements = frames(e)
            .into_iter()
            .map(|frame| Value::object(Element(frame)));
        Ok(Value::object(Array::new(
            "[Ljava.lang.StackTraceElement;",
            elements.collect(),
        )))
    }),
    method_of("setStackTrace", 1, 1, |_, _, _| Ok(Value::Nil)),
    method_of("fillInStackTrace", 0, 0, |_, e, _| Ok(e.clone())),
    method_of("initCause", 1, 1, |_, e, a| {
        let own = own(e)?;
        let message = own.message.clone().map(Value::Str).into();
        Ok(made(
            &own.class,
            &message,
            own.data.as_ref(),
            cause_of(&a[0])?,
        ))
    }),
    method_of("getSuppressed", 0, 0, |_, _, _| {
        Ok(Value::object(Array::new(
            "[Ljava.lang.Throwable;",
            Vec::new(),
        )))
    }),
    method_of("addSuppressed", 1, 1, |_, _, _| Ok(Value::Nil)),
    method_of("printStackTrace", 0, 1, |cx, e, a| match a {
        [writer] => super::method(cx, writer, "write", &[Value::from(trace_text(e))]),
        _ => {
            cx.rt.host.print_error(&trace_text(e));
            Ok(Value::Nil)
        }
    }),
];

fn own(value: &Value) -> Result<&Exception> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "java.lang.Throwable"))
}

fn message(value: &Value) -> Value {
    value
        .downcast::<Exception>()
        .and_then(|it| it.message.clone())
        .map(Value::Str)
        .into()
}

fn cause(value: &Value) -> Option<&Value> {
    value.downcast::<Exception>()?.cause.as_ref()
}

fn frames(value: &Value) -> Vec<Frame> {
    value
        .downcast::<Exception>()
        .map(|it| it.trace.lock().clone())
        .unwrap_or_default()
}

/// As Java prints an exception, its places and its causes.
fn trace_text(value: &Value) -> String {
    let mut text = String::new();
    for (index, value) in std::iter::successors(Some(value), |value| cause(value)).enumerate() {
        if index > 0 {
            text.push_str("Caused by: ");
        }
        text.push_str(&value.to_text());
        text.push('\n');
        for frame in frames(value) {
            let _ = writeln!(text, "\tat {}", place(&frame));
        }
    }
    text
}

fn place(frame: &Frame) -> String {
    let function = frame.function.as_deref().unwrap_or("fn");
    format!("{function}({}:{})", frame.span.file, frame.span.line)
}

/// `java.lang.StackTraceElement`
struct Element(Frame);

impl Object for Element {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.lang.StackTraceElement"
    }

    fn text(&self) -> Option<String> {
        Some(place(&self.0))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let function = self.0.function.as_deref().unwrap_or("fn");
        let (class, method) = function.rsplit_once('/').unwrap_or((function, "invoke"));
        Some(Ok(match (name, args) {
            ("getClassName", []) => Value::str(class),
            ("getMethodName", []) => Value::str(method),
            ("getFileName", []) => Value::str(&self.0.span.file),
            ("getLineNumber", []) => Value::Int(self.0.span.line.into()),
            _ => return None,
        }))
    }
}
