//! Errors as a person wants to see them: the place, the source line with a caret, the message, and
//! what to do about it.

pub(crate) mod remedy;

use std::fmt::Write;

use crate::check::Warning;
use crate::{Exception, Runtime, Span, Thrown, Value};

/// An error in parts, for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it happened; `None` if nobody knows.
    pub span: Option<Span>,
    /// Class name without its package.
    pub class: String,
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The calls it came through, innermost first: the function and the place of the call.
    pub calls: Vec<(String, Span)>,
}

/// Calls shown below an error.
const CALLS_SHOWN: usize = 8;

/// Takes an error apart. An error of the compiler is told as what caused it.
pub fn diagnose(thrown: &Thrown) -> Diagnostic {
    let value = innermost(thrown.value());
    let (class, message) = match value.downcast::<Exception>() {
        Some(exception) => {
            let class = exception
                .class
                .rsplit(['.', '$'])
                .next()
                .unwrap_or_default();
            (
                class.to_owned(),
                exception.message.as_deref().unwrap_or_default().to_owned(),
            )
        }
        None => (value.class_name(), value.to_text()),
    };
    let trace = thrown.trace();
    let place = trace
        .iter()
        .find(|frame| !is_library(&frame.span))
        .or(trace.first());
    let calls = trace.iter().filter(|frame| !is_library(&frame.span));
    let calls = calls.filter_map(|frame| {
        let function = frame.function.as_deref()?;
        (function != "eval").then(|| (function.to_owned(), frame.span.clone()))
    });
    let hint = thrown.hint().map(str::to_owned);
    Diagnostic {
        hint: hint.or_else(|| remedy::remedy(&class, &message)),
        span: place.map(|frame| frame.span.clone()),
        class,
        message,
        calls: calls.collect(),
    }
}

/// The error as text, ending in a new line:
///
/// ```text
/// riemann.config:3:5: Unable to resolve symbol: wehre in this context
///   3 |     (wehre (service "x") prn)
///     |      ^
///   did you mean where?
/// ```
pub fn render(rt: &Runtime, thrown: &Thrown) -> String {
    let diagnostic = diagnose(thrown);
    let mut out = String::new();
    if let Some(span) = &diagnostic.span {
        let _ = write!(out, "{}:{}:{}: ", span.file, span.line, span.column);
    }
    out.push_str(&headline(&diagnostic));
    out.push('\n');
    if let Some(span) = &diagnostic.span {
        out.push_str(&source_line(rt, span).unwrap_or_default());
    }
    if let Some(hint) = &diagnostic.hint {
        let _ = writeln!(out, "  {hint}");
    }
    for (function, span) in diagnostic.calls.iter().take(CALLS_SHOWN) {
        let _ = writeln!(out, "  in {function} ({}:{})", span.file, span.line);
    }
    out
}

/// A warning as text, of the form of [`render`].
pub fn render_warning(rt: &Runtime, warning: &Warning) -> String {
    let Warning {
        span,
        message,
        hint,
    } = warning;
    let mut out = format!("{}:{}:{}: {message}\n", span.file, span.line, span.column);
    out.push_str(&source_line(rt, span).unwrap_or_default());
    if let Some(hint) = hint {
        let _ = writeln!(out, "  {hint}");
    }
    out
}

/// The message, after the class where the message alone would not say enough.
fn headline(diagnostic: &Diagnostic) -> String {
    match (&*diagnostic.class, &*diagnostic.message) {
        (class, "") => class.to_owned(),
        ("RuntimeException" | "ArityException" | "ExceptionInfo" | "Exception", message) => {
            message.to_owned()
        }
        (class, message) => format!("{class}: {message}"),
    }
}

/// Characters shown of a source line; of a longer one, those around the place.
const LINE_SHOWN_MAX: usize = 120;

/// The line of the source with its number, and a caret below the place.
fn source_line(rt: &Runtime, span: &Span) -> Option<String> {
    let text = rt.sources.text(&span.file)?;
    let line = text.lines().nth(span.line as usize - 1)?;
    let column = span.column as usize - 1;
    let fits = line.chars().count() <= LINE_SHOWN_MAX;
    let skipped = if fits {
        0
    } else {
        column.saturating_sub(LINE_SHOWN_MAX / 2)
    };
    let shown: String = line.chars().skip(skipped).take(LINE_SHOWN_MAX).collect();
    // A tab stays a tab, so that the caret stands below its place whatever the width of tabs.
    let before = shown.chars().take(column - skipped);
    let before: String = before
        .map(|char| if char == '\t' { '\t' } else { ' ' })
        .collect();
    let number = span.line.to_string();
    let gutter = " ".repeat(number.len());
    Some(format!("  {number} | {shown}\n  {gutter} | {before}^\n"))
}

/// True for what is built into the program.
fn is_library(span: &Span) -> bool {
    let folders = ["clojure/", "riemann/", "slingshot/", "interval_metrics/"];
    folders.iter().any(|folder| span.file.starts_with(folder))
}

/// What an exception of the compiler was caused by, or the exception itself.
fn innermost(value: &Value) -> &Value {
    let mut value = value;
    while let Some(exception) = value.downcast::<Exception>() {
        match &exception.cause {
            Some(cause) if &*exception.class == "clojure.lang.Compiler$CompilerException" => {
                value = cause;
            }
            _ => break,
        }
    }
    value
}
