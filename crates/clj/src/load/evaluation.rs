//! Reading and evaluating: load, eval, read-string, macroexpand.

use std::sync::Arc;

use super::arguments::{native, text};
use super::require;
use crate::reader::Reader;
use crate::{Cx, Native, Result, Thrown, Value, compile, seq};

pub const NATIVES: &[Native] = &[
    native(
        "load-file",
        "([name])",
        "Reads and evaluates a file.",
        (1, Some(1)),
        load_file,
    ),
    native(
        "load-path*",
        "([path])",
        "Reads and evaluates the source at a path of the search path.",
        (1, Some(1)),
        |cx, args| {
            let path = text(&args[0])?;
            require::load_path(cx, path).unwrap_or_else(|| {
                let message = format!("Could not locate {path}.clj on classpath.");
                Err(Thrown::new("java.io.FileNotFoundException", message))
            })
        },
    ),
    native(
        "load-string",
        "([s])",
        "Reads and evaluates the forms of a string.",
        (1, Some(1)),
        |cx, args| super::eval_forms(cx, "load-string", text(&args[0])?),
    ),
    native(
        "load-reader",
        "([rdr])",
        "Reads and evaluates a text.",
        (1, Some(1)),
        |cx, args| super::eval_forms(cx, "load-reader", text(&args[0])?),
    ),
    native(
        "eval",
        "([form])",
        "Evaluates a form.",
        (1, Some(1)),
        |cx, args| compile::eval(cx, &args[0]),
    ),
    native(
        "read-string",
        "([s] [opts s])",
        "Reads the first form of a string.",
        (1, Some(2)),
        read_string,
    ),
    native(
        "macroexpand-1",
        "([form])",
        "Expands a macro call once.",
        (1, Some(1)),
        |cx, args| compile::macroexpand_1(cx, &args[0]),
    ),
    native(
        "macroexpand",
        "([form])",
        "Expands a form until it is no macro call.",
        (1, Some(1)),
        macroexpand,
    ),
    native(
        "gensym",
        "([] [prefix])",
        "A symbol that has not been used before.",
        (0, Some(1)),
        |cx, args| {
            let prefix = args.first().map_or("G__".into(), Value::to_text);
            Ok(Value::Symbol(cx.rt.gensym(&prefix)))
        },
    ),
];

fn load_file(cx: &Cx<'_>, args: &[Value]) -> Result {
    let path = text(&args[0])?;
    let read = cx.rt.host.read_file(path).map_err(|error| {
        Thrown::new("java.io.FileNotFoundException", format!("{path} ({error})"))
    })?;
    cx.rt.eval_included(cx, path, &read)
}

fn read_string(cx: &Cx<'_>, args: &[Value]) -> Result {
    let text = text(args.last().unwrap_or(&Value::Nil))?;
    let mut reader = Reader::new(cx, "string".into(), text);
    match reader.read()? {
        Some(form) => Ok(form),
        None => {
            let eof = seq::get(&args[0], &Value::keyword("eof")).filter(|_| args.len() == 2);
            eof.ok_or_else(|| Thrown::runtime("EOF while reading"))
        }
    }
}

fn macroexpand(cx: &Cx<'_>, args: &[Value]) -> Result {
    let mut form = args[0].clone();
    loop {
        let expanded = compile::macroexpand_1(cx, &form)?;
        let same = match (&expanded, &form) {
            (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b),
            (Value::List(_), _) => false,
            _ => true,
        };
        if same {
            return Ok(expanded);
        }
        form = expanded;
    }
}
