//! What letters say: by functions of the configuration, or in Riemann's words.

use clj::{Cx, Result, Thrown, Value, seq};

use super::options::{Options, text};
use super::sink;

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
        Ok(text(&write(cx, self.subject.as_ref(), "subject", events)?))
    }

    /// # Errors
    /// What the function throws.
    pub fn body(&self, cx: &Cx<'_>, events: &[Value]) -> Result<String> {
        Ok(text(&write(cx, self.body.as_ref(), "body", events)?))
    }

    /// The body as a function gave it: a text, or parts.
    ///
    /// # Errors
    /// What the function throws.
    pub fn written_body(&self, cx: &Cx<'_>, events: &[Value]) -> Result {
        write(cx, self.body.as_ref(), "body", events)
    }
}

/// The text of a body, and whether it is HTML: it may be a list of parts, maps of `:type` and
/// `:content`, of which one that is HTML is chosen, or else the last.
///
/// # Errors
/// Of a lazy list: what its functions throw.
pub fn body_and_kind(written: &Value) -> Result<(String, bool)> {
    if !sink::is_sequential(written) {
        return Ok((text(written), false));
    }
    let (mut body, mut is_html) = (String::new(), false);
    for part in sink::flatten(written)? {
        let Some(content) = seq::get(&part, &Value::keyword("content")) else {
            continue;
        };
        let kind = seq::get(&part, &Value::keyword("type")).unwrap_or_default();
        let html = text(&kind).starts_with("text/html");
        if html || !is_html {
            (body, is_html) = (text(&content), html);
        }
    }
    Ok((body, is_html))
}

/// What is given as it is, or what a function says of the events; without either, the function of that
/// name in `riemann.common`.
fn write(cx: &Cx<'_>, custom: Option<&Value>, default: &str, events: &[Value]) -> Result {
    let function = match custom {
        Some(fixed @ Value::Str(_)) => return Ok(fixed.clone()),
        Some(function) => function.clone(),
        None => common(cx, default)?,
    };
    cx.call(&function, &[Value::list(events.to_vec())])
}

/// A function of `riemann.common`.
fn common(cx: &Cx<'_>, name: &str) -> Result {
    cx.rt
        .var("riemann.common", name)
        .and_then(|var| var.get())
        .ok_or_else(|| Thrown::illegal_state(format!("riemann.common/{name} is not defined")))
}
