//! `clojure.tools.logging`: lines of the program's log. The logger is the namespace that the call
//! stands in; arguments are evaluated only if the line is kept.

use super::stacktrace;
use crate::core::arguments::{not_a, string};
use crate::core::format::format;
use crate::core::native;
use crate::{Cx, Exception, LogLevel, Native, Result, Symbol, Thrown, Value, form};

/// Where the functions are that the macros call, so that nobody refers them by chance.
pub const INNER: &str = "clojure.tools.logging.impl";

pub const MACROS: &[Native] = &[
    native(
        "trace",
        ARGLISTS,
        "Logs at the trace level.",
        ANY,
        |cx, a| line(cx, "trace", "write-p", a),
    ),
    native(
        "debug",
        ARGLISTS,
        "Logs at the debug level.",
        ANY,
        |cx, a| line(cx, "debug", "write-p", a),
    ),
    native("info", ARGLISTS, "Logs at the info level.", ANY, |cx, a| {
        line(cx, "info", "write-p", a)
    }),
    native("warn", ARGLISTS, "Logs at the warn level.", ANY, |cx, a| {
        line(cx, "warn", "write-p", a)
    }),
    native(
        "error",
        ARGLISTS,
        "Logs at the error level.",
        ANY,
        |cx, a| line(cx, "error", "write-p", a),
    ),
    native(
        "fatal",
        ARGLISTS,
        "Logs at the fatal level.",
        ANY,
        |cx, a| line(cx, "fatal", "write-p", a),
    ),
    native(
        "tracef",
        FORMAT,
        "Logs a format at the trace level.",
        ONE,
        |cx, a| line(cx, "trace", "write-f", a),
    ),
    native(
        "debugf",
        FORMAT,
        "Logs a format at the debug level.",
        ONE,
        |cx, a| line(cx, "debug", "write-f", a),
    ),
    native(
        "infof",
        FORMAT,
        "Logs a format at the info level.",
        ONE,
        |cx, a| line(cx, "info", "write-f", a),
    ),
    native(
        "warnf",
        FORMAT,
        "Logs a format at the warn level.",
        ONE,
        |cx, a| line(cx, "warn", "write-f", a),
    ),
    native(
        "errorf",
        FORMAT,
        "Logs a format at the error level.",
        ONE,
        |cx, a| line(cx, "error", "write-f", a),
    ),
    native(
        "fatalf",
        FORMAT,
        "Logs a format at the fatal level.",
        ONE,
        |cx, a| line(cx, "fatal", "write-f", a),
    ),
    native(
        "logp",
        "([level & args])",
        "Logs its arguments as print shows them. The first may be an exception.",
        (4, None),
        |cx, a| line_at(cx, a[2].clone(), "write-p", &a[3..]),
    ),
    native(
        "logf",
        "([level fmt & args])",
        "Logs a format with its arguments. An exception may stand before the format.",
        (4, None),
        |cx, a| line_at(cx, a[2].clone(), "write-f", &a[3..]),
    ),
    native(
        "log",
        "([level message] [level throwable message] [logger-ns level throwable message])",
        "Logs a message, perhaps with an exception.",
        (4, Some(7)),
        log,
    ),
    native(
        "spy",
        "([expr] [level expr])",
        "Logs an expression with its value, at the debug level, and gives the value.",
        (3, Some(4)),
        spy,
    ),
    native(
        "spyf",
        "([fmt expr] [level fmt expr])",
        "Logs a value in a format, at the debug level, and gives the value.",
        (4, Some(5)),
        spyf,
    ),
    native(
        "enabled?",
        "([level] [level logger-ns])",
        "True if lines of the level are kept.",
        (3, Some(4)),
        |cx, a| {
            let logger = a.get(3).cloned().unwrap_or_else(|| here(cx));
            Ok(own("kept?", [a[2].clone(), logger]))
        },
    ),
];

const ARGLISTS: &str = "([message & more] [throwable message & more])";
const FORMAT: &str = "([fmt & args] [throwable fmt & args])";
/// The form and the environment, which every macro is handed, and any arguments.
const ANY: (usize, Option<usize>) = (2, None);
const ONE: (usize, Option<usize>) = (3, None);

/// What the macros call.
pub const NATIVES: &[Native] = &[
    native(
        "kept?",
        "([level logger])",
        "True if lines of the level are kept.",
        (2, Some(2)),
        |cx, a| {
            Ok(cx
                .rt
                .host
                .log_enabled(level(&a[0])?, &a[1].to_text())
                .into())
        },
    ),
    native(
        "write-p",
        "([level logger & args])",
        "Logs args as print shows them.",
        (2, None),
        |cx, a| {
            let (throwable, args) = split(&a[2..]);
            write(cx, a, throwable, &print_text(args))
        },
    ),
    native(
        "write-f",
        "([level logger & args])",
        "Logs a format with its args.",
        (2, None),
        |cx, a| {
            let (throwable, args) = split(&a[2..]);
            let (template, args) = args.split_first().unwrap_or((&Value::Nil, &[]));
            write(cx, a, throwable, &format(string(template)?, args)?)
        },
    ),
    native(
        "write-message",
        "([level logger throwable message])",
        "Logs a message.",
        (4, Some(4)),
        |cx, a| {
            let throwable = Some(&a[2]).filter(|throwable| !throwable.is_nil());
            write(cx, a, throwable, &print_text(&a[3..]))
        },
    ),
];

fn line(cx: &Cx<'_>, level: &str, writer: &str, args: &[Value]) -> Result {
    line_at(cx, Value::keyword(level), writer, &args[2..])
}

fn line_at(cx: &Cx<'_>, level: Value, writer: &str, args: &[Value]) -> Result {
    let logger = here(cx);
    let write = own(
        writer,
        [level.clone(), logger.clone()]
            .into_iter()
            .chain(args.iter().cloned()),
    );
    Ok(when_kept(level, logger, write))
}

fn log(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (logger, level, throwable, message) = match &args[2..] {
        [level, message] => (here(cx), level, Value::Nil, message),
        [level, throwable, message] => (here(cx), level, throwable.clone(), message),
        [.., logger, level, throwable, message] => {
            (logger.clone(), level, throwable.clone(), message)
        }
        _ => return Err(Thrown::arity(args.len() - 2, "clojure.tools.logging/log")),
    };
    let level_name = Value::Symbol(cx.rt.gensym("level__"));
    let logger_name = Value::Symbol(cx.rt.gensym("logger__"));
    let write = own(
        "write-message",
        [
            level_name.clone(),
            logger_name.clone(),
            throwable,
            message.clone(),
        ],
    );
    let bindings = Value::vector(vec![
        level_name.clone(),
        level.clone(),
        logger_name.clone(),
        logger,
    ]);
    Ok(form::call(
        "let",
        [bindings, when_kept(level_name, logger_name, write)],
    ))
}

fn spy(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (level, expr) = match &args[2..] {
        [level, expr] => (level.clone(), expr),
        [expr, ..] => (Value::keyword("debug"), expr),
        [] => return Ok(Value::Nil),
    };
    let value = Value::Symbol(cx.rt.gensym("value__"));
    let text = form::call(
        "str",
        [
            Value::from(format!("{}\n=> ", expr.to_readable())),
            form::call("pr-str", [value.clone()]),
        ],
    );
    Ok(spied(cx, level, value, expr, text))
}

fn spyf(cx: &Cx<'_>, args: &[Value]) -> Result {
    let (level, template, expr) = match &args[2..] {
        [level, template, expr] => (level.clone(), template, expr),
        [template, expr, ..] => (Value::keyword("debug"), template, expr),
        _ => return Ok(Value::Nil),
    };
    let value = Value::Symbol(cx.rt.gensym("value__"));
    let text = form::call("format", [template.clone(), value.clone()]);
    Ok(spied(cx, level, value, expr, text))
}

/// `(let [value expr] (when kept (log text)) value)`
fn spied(cx: &Cx<'_>, level: Value, value: Value, expr: &Value, text: Value) -> Value {
    let logger = here(cx);
    let write = own(
        "write-message",
        [level.clone(), logger.clone(), Value::Nil, text],
    );
    let bindings = Value::vector(vec![value.clone(), expr.clone()]);
    form::call("let", [bindings, when_kept(level, logger, write), value])
}

fn when_kept(level: Value, logger: Value, write: Value) -> Value {
    form::special("if", [own("kept?", [level, logger]), write])
}

fn own(name: &str, arguments: impl IntoIterator<Item = Value>) -> Value {
    form::list(Value::Symbol(Symbol::new(Some(INNER), name)), arguments)
}

/// The namespace being compiled.
fn here(cx: &Cx<'_>) -> Value {
    Value::Str(cx.rt.current_namespace().name.clone())
}

/// An exception that stands first, and the other arguments.
fn split(args: &[Value]) -> (Option<&Value>, &[Value]) {
    match args {
        [first, rest @ ..] if first.downcast::<Exception>().is_some() => (Some(first), rest),
        _ => (None, args),
    }
}

/// The arguments as print shows them.
fn print_text(args: &[Value]) -> String {
    let mut text = String::new();
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        crate::print::print(arg, &mut text, false);
    }
    text
}

fn write(cx: &Cx<'_>, args: &[Value], throwable: Option<&Value>, text: &str) -> Result {
    let (level, logger) = (level(&args[0])?, args[1].to_text());
    if !cx.rt.host.log_enabled(level, &logger) {
        return Ok(Value::Nil);
    }
    match throwable {
        Some(throwable) => {
            let trace = stacktrace::text(throwable, usize::MAX);
            cx.rt
                .host
                .log(level, &logger, &format!("{text}\n{}", trace.trim_end()));
        }
        None => cx.rt.host.log(level, &logger, text),
    }
    Ok(Value::Nil)
}

fn level(value: &Value) -> Result<LogLevel> {
    let name = match value {
        Value::Keyword(keyword) => keyword.name().to_owned(),
        Value::Object(_) => value.to_text().to_lowercase(),
        _ => return Err(not_a(value, "clojure.lang.Keyword")),
    };
    Ok(match &*name {
        "trace" => LogLevel::Trace,
        "debug" => LogLevel::Debug,
        "info" => LogLevel::Info,
        "warn" => LogLevel::Warn,
        "error" => LogLevel::Error,
        "fatal" => LogLevel::Fatal,
        _ => {
            return Err(Thrown::illegal_argument(format!(
                "No log level {}",
                value.to_readable()
            )));
        }
    })
}
