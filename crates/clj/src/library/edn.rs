//! `clojure.edn`: reading data, of which nothing is evaluated.

use std::any::Any;
use std::sync::Arc;

use crate::closure::function;
use crate::core::arguments::{not_a, string};
use crate::core::io::Reader as TextReader;
use crate::core::native;
use crate::reader::Reader;
use crate::{Cx, Native, Object, Result, Thrown, Value, Var, dynamic, seq};

pub const NATIVES: &[Native] = &[
    native(
        "read-string",
        "([s] [opts s])",
        "The first value that a text holds; nil for nil and, unless :eof says otherwise, for a \
         text without any. :readers are functions for tags, :default is one of tag and value for all others.",
        (1, Some(2)),
        |cx, a| match a {
            [Value::Nil] | [_, Value::Nil] => Ok(Value::Nil),
            [options, text] => read(cx, options, string(text)?),
            _ => read(
                cx,
                &Value::map([(Value::keyword("eof"), Value::Nil)]),
                string(&a[0])?,
            ),
        },
    ),
    native(
        "read",
        "([stream] [opts stream])",
        "The first value that a reader's text holds.",
        (1, Some(2)),
        |cx, a| {
            let (options, stream) = match a {
                [options, stream] => (options.clone(), stream),
                _ => (Value::Nil, &a[0]),
            };
            match stream.downcast::<TextReader>() {
                Some(reader) => read_next(cx, &options, reader),
                None => Err(not_a(stream, "java.io.PushbackReader")),
            }
        },
    ),
];

fn read(cx: &Cx<'_>, options: &Value, text: &str) -> Result {
    read_by(cx, options, || Reader::new(cx, "edn".into(), text).read())
}

/// The next value of a reader, which is left after it.
fn read_next(cx: &Cx<'_>, options: &Value, reader: &TextReader) -> Result {
    read_by(cx, options, || {
        Ok(reader.read_form(cx)?.map(|(form, _)| form))
    })
}

fn read_by(cx: &Cx<'_>, options: &Value, read: impl Fn() -> Result<Option<Value>>) -> Result {
    let form = match readers(cx, options) {
        Some((var, readers)) => dynamic::with(vec![(var, readers)], read)?,
        None => read()?,
    };
    match form {
        Some(form) => Ok(form),
        None => match seq::get(options, &Value::keyword("eof")) {
            Some(eof) => Ok(eof),
            None => Err(Thrown::runtime("EOF while reading")),
        },
    }
}

/// The var of the reader's tags and what it shall be while reading.
fn readers(cx: &Cx<'_>, options: &Value) -> Option<(Arc<Var>, Value)> {
    let option = |name: &str| seq::get(options, &Value::keyword(name)).filter(Value::truthy);
    let (known, default) = (option("readers"), option("default"));
    if known.is_none() && default.is_none() {
        return None;
    }
    let var = cx.rt.var("clojure.core", "*data-readers*")?;
    Some((
        var,
        Value::object(Tags {
            known: known.unwrap_or_default(),
            default,
        }),
    ))
}

/// Functions by tag, and one for all other tags, which is given the tag too.
struct Tags {
    known: Value,
    default: Option<Value>,
}

impl Object for Tags {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.ILookup"
    }

    fn get(&self, tag: &Value) -> Option<Value> {
        if let Some(known) = seq::get(&self.known, tag) {
            return Some(known);
        }
        let (default, tag) = (self.default.clone()?, tag.clone());
        Some(function("default", move |cx, args| {
            let value = args.first().cloned().unwrap_or_default();
            cx.call(&default, &[tag.clone(), value])
        }))
    }
}
