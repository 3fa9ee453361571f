//! `clojure.stacktrace`: an exception, where it was thrown, and what caused it.

use std::fmt::Write;

use crate::core::arguments::{count, not_a, optional};
use crate::core::io::write_out;
use crate::core::native;
use crate::thrown::Frame;
use crate::{Exception, Native, Result, Value};

pub const NATIVES: &[Native] = &[
    native(
        "root-cause",
        "([tr])",
        "The exception that caused all others.",
        (1, Some(1)),
        |_, a| Ok(chain(&a[0]).last().cloned().into()),
    ),
    native(
        "print-throwable",
        "([tr])",
        "Prints the class and message of an exception, and its data.",
        (1, Some(1)),
        |cx, a| {
            write_out(cx, &headline(throwable(&a[0])?))?;
            Ok(Value::Nil)
        },
    ),
    native(
        "print-stack-trace",
        "([tr] [tr n])",
        "Prints an exception and where it was thrown: at most n places.",
        (1, Some(2)),
        |cx, a| {
            throwable(&a[0])?;
            write_out(cx, &text_of_one(&a[0], frames_max(optional(a, 1))?))?;
            Ok(Value::Nil)
        },
    ),
    native(
        "print-cause-trace",
        "([tr] [tr n])",
        "Prints an exception and where it was thrown, and what caused it likewise.",
        (1, Some(2)),
        |cx, a| {
            throwable(&a[0])?;
            write_out(cx, &text(&a[0], frames_max(optional(a, 1))?))?;
            Ok(Value::Nil)
        },
    ),
];

fn frames_max(value: &Value) -> Result<usize> {
    if value.is_nil() {
        Ok(usize::MAX)
    } else {
        count(value)
    }
}

fn throwable(value: &Value) -> Result<&Exception> {
    value
        .downcast()
        .ok_or_else(|| not_a(value, "java.lang.Throwable"))
}

/// An exception, and what caused it, and so on.
fn chain(value: &Value) -> impl Iterator<Item = &Value> {
    std::iter::successors(Some(value), |value| {
        value
            .downcast::<Exception>()?
            .cause
            .as_ref()
            .filter(|cause| !cause.is_nil())
    })
}

/// An exception and all its causes, each with at most `frames_max` places.
pub fn text(value: &Value, frames_max: usize) -> String {
    let mut text = String::new();
    for (index, cause) in chain(value).enumerate() {
        if index > 0 {
            text.push_str("Caused by: ");
        }
        text.push_str(&text_of_one(cause, frames_max));
    }
    text
}

fn text_of_one(value: &Value, frames_max: usize) -> String {
    let Some(exception) = value.downcast::<Exception>() else {
        return format!("{}\n", value.to_readable());
    };
    let mut text = headline(exception);
    text.push('\n');
    for (index, frame) in exception.trace.lock().iter().take(frames_max).enumerate() {
        text.push_str(if index == 0 { " at " } else { "    " });
        text.push_str(&place(frame));
        text.push('\n');
    }
    text
}

fn headline(exception: &Exception) -> String {
    let mut text = format!(
        "{}: {}",
        exception.class,
        exception.message.as_deref().unwrap_or("null")
    );
    if let Some(data) = &exception.data {
        let _ = write!(text, "\n{}", Value::Map(data.clone()).to_readable());
    }
    text
}

fn place(frame: &Frame) -> String {
    let span = &frame.span;
    match &frame.function {
        Some(function) => format!("{function} ({}:{})", span.file, span.line),
        None => format!("{}:{}:{}", span.file, span.line, span.column),
    }
}
