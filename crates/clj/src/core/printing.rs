//! Printing: to what `*out*` is bound to, or into strings.

use super::io::{self, Sink};
use super::native;
use super::printer::Printer;
use crate::{Cx, Native, Result, Value, deep, dynamic, seq};

pub const NATIVES: &[Native] = &[
    native(
        "print",
        "([& more])",
        "Prints texts with spaces between.",
        (0, None),
        |cx, a| out(cx, a, Form::Plain, ""),
    ),
    native(
        "println",
        "([& more])",
        "Prints texts with spaces between, and ends the line.",
        (0, None),
        |cx, a| out(cx, a, Form::Plain, "\n"),
    ),
    native(
        "pr",
        "([& more])",
        "Prints as the reader reads.",
        (0, None),
        |cx, a| out(cx, a, Form::Readable, ""),
    ),
    native(
        "prn",
        "([& more])",
        "Prints as the reader reads, and ends the line.",
        (0, None),
        |cx, a| out(cx, a, Form::Readable, "\n"),
    ),
    native(
        "newline",
        "([])",
        "Ends the line.",
        (0, Some(0)),
        |cx, a| out(cx, a, Form::Plain, "\n"),
    ),
    native(
        "printf",
        "([fmt & args])",
        "Prints what format gives.",
        (1, None),
        |cx, a| {
            let text = super::format::format(super::arguments::string(&a[0])?, &a[1..])?;
            io::write_out(cx, &text)?;
            Ok(Value::Nil)
        },
    ),
    native(
        "flush",
        "([])",
        "Sees to it that what was printed is out.",
        (0, Some(0)),
        |_, _| Ok(Value::Nil),
    ),
    native(
        "pr-str",
        "([& xs])",
        "What pr prints, as a string.",
        (0, None),
        |cx, a| text(cx, a, Form::Readable, ""),
    ),
    native(
        "prn-str",
        "([& xs])",
        "What prn prints, as a string.",
        (0, None),
        |cx, a| text(cx, a, Form::Readable, "\n"),
    ),
    native(
        "print-str",
        "([& xs])",
        "What print prints, as a string.",
        (0, None),
        |cx, a| text(cx, a, Form::Plain, ""),
    ),
    native(
        "println-str",
        "([& xs])",
        "What println prints, as a string.",
        (0, None),
        |cx, a| text(cx, a, Form::Plain, "\n"),
    ),
    native(
        "with-out-str*",
        "([f])",
        "What f prints, as a string.",
        (1, Some(1)),
        with_out_str,
    ),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Readable,
}

fn out(cx: &Cx<'_>, args: &[Value], form: Form, end: &str) -> Result {
    let text = joined(cx, args, form, end)?;
    io::write_out(cx, &text)?;
    Ok(Value::Nil)
}

fn text(cx: &Cx<'_>, args: &[Value], form: Form, end: &str) -> Result {
    joined(cx, args, form, end).map(Value::from)
}

fn joined(cx: &Cx<'_>, args: &[Value], form: Form, end: &str) -> Result<String> {
    let printer = Printer::new(cx, form == Form::Readable);
    let mut text = String::new();
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        printer.print(arg, &mut text)?;
    }
    text.push_str(end);
    Ok(text)
}

/// Works out all lazy sequences in a value, so that printing meets no error.
///
/// # Errors
/// What a lazy body throws.
pub fn realize(value: &Value) -> Result<()> {
    match value {
        Value::Lazy(_) | Value::List(_) | Value::Vector(_) | Value::Map(_) | Value::Set(_) => {
            deep::with_stack(|| {
                for item in seq::iter(value) {
                    realize(&item?)?;
                }
                Ok(())
            })
        }
        _ => Ok(()),
    }
}

fn with_out_str(cx: &Cx<'_>, args: &[Value]) -> Result {
    let writer = Value::object(io::Writer::new(Sink::Text));
    let Some(out) = cx.rt.var("clojure.core", "*out*") else {
        return cx.call(&args[0], &[]);
    };
    dynamic::with(vec![(out, writer.clone())], || cx.call(&args[0], &[]))?;
    Ok(Value::from(writer.to_text()))
}
