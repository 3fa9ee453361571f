//! What letters say: by functions of the configuration, or in Riemann's words.

use clj::{Cx, Result, Thrown, Value};

use super::options::{Options, text};

/// `:subject` and `:body` of a sink.
#[derive(Clone)]
pub struct Writer {
    subject: Option<Value>,
    body: Option<Value>,
}

impl Writer {
    pub fn new(options: &Options) -> Writer {
        Writer {
            subject: options.get("subject"),
            body: options.get("body"),
        }
    }

    /// # Errors
    /// What the function throws.
    pub fn subject(&self, cx: &Cx<'_>, events: &[Value]) -> Result<String> {
        write(cx, self.subject.as_ref(), "subject", events)
    }

    /// # Errors
    /// What the function throws.
    pub fn body(&self, cx: &Cx<'_>, events: &[Value]) -> Result<String> {
        write(cx, self.body.as_ref(), "body", events)
    }
}

/// A text as it is, or what a function says of the events; without either, the function of that
/// name in `riemann.common`.
fn write(cx: &Cx<'_>, custom: Option<&Value>, default: &str, events: &[Value]) -> Result<String> {
    let function = match custom {
        Some(Value::Str(fixed)) => return Ok(fixed.to_string()),
        Some(function) => function.clone(),
        None => common(cx, default)?,
    };
    let written = cx.call(&function, &[Value::list(events.to_vec())])?;
    Ok(text(&written))
}

/// A function of `riemann.common`.
fn common(cx: &Cx<'_>, name: &str) -> Result {
    cx.rt
        .var("riemann.common", name)
        .and_then(|var| var.get())
        .ok_or_else(|| Thrown::illegal_state(format!("riemann.common/{name} is not defined")))
}
