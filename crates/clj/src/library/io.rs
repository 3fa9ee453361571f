//! `clojure.java.io`: files as far as the host lets code at them.

use crate::core::arguments::not_a;
use crate::core::io::{self, Reader, Sink, Writer};
use crate::core::native;
use crate::{Cx, Native, Result, Thrown, Value, java};

pub const NATIVES: &[Native] = &[
    native(
        "file",
        "([arg] [parent child] [parent child & more])",
        "A java.io.File, below a parent if there are several names.",
        (1, None),
        file,
    ),
    native(
        "as-file",
        "([x])",
        "A java.io.File, nil for nil.",
        (1, Some(1)),
        file,
    ),
    native(
        "as-relative-path",
        "([x])",
        "The path, which must not begin at the root.",
        (1, Some(1)),
        |_, a| {
            let path = path(&a[0])?;
            if path.starts_with('/') {
                return Err(Thrown::illegal_argument(format!(
                    "{path} is not a relative path"
                )));
            }
            Ok(Value::from(path))
        },
    ),
    native(
        "reader",
        "([x & opts])",
        "A reader of a file's text, to be closed by with-open.",
        (1, None),
        |cx, a| match a[0].downcast::<Reader>() {
            Some(_) => Ok(a[0].clone()),
            None => Ok(Value::object(Reader::new(&text(cx, &a[0])?))),
        },
    ),
    native(
        "writer",
        "([x & opts])",
        "A writer to a file, to be closed by with-open. With :append true it adds to the file.",
        (1, None),
        writer,
    ),
    native(
        "resource",
        "([n] [n loader])",
        "The file of that name in the folder that the program runs in, nil if there is none.",
        (1, Some(2)),
        |cx, a| {
            let path = path(&a[0])?;
            if !cx.rt.host.file_exists(&path) {
                return Ok(Value::Nil);
            }
            java::construct(cx, "java.io.File", &[Value::from(path)])
        },
    ),
    native(
        "copy",
        "([input output & opts])",
        "Copies a text from a file, a reader or a string to a file or a writer.",
        (2, None),
        copy,
    ),
];

fn file(cx: &Cx<'_>, args: &[Value]) -> Result {
    let mut made = match &args[0] {
        Value::Nil => return Ok(Value::Nil),
        first @ Value::Object(_) => first.clone(),
        first => java::construct(cx, "java.io.File", std::slice::from_ref(first))?,
    };
    for child in &args[1..] {
        made = java::construct(cx, "java.io.File", &[made, Value::from(path(child)?)])?;
    }
    Ok(made)
}

/// The path that a string or a file is.
fn path(value: &Value) -> Result<String> {
    match value {
        Value::Str(path) => Ok(path.strip_prefix("file:").unwrap_or(path).to_owned()),
        Value::Object(object) if object.class_name() == "java.io.File" => Ok(value.to_text()),
        _ => Err(not_a(value, "java.io.File")),
    }
}

/// All text of a file or a reader.
fn text(cx: &Cx<'_>, value: &Value) -> Result<String> {
    match value.downcast::<Reader>() {
        Some(reader) => Ok(reader.read_rest()),
        None => io::read(cx, &path(value)?),
    }
}

fn writer(cx: &Cx<'_>, args: &[Value]) -> Result {
    if args[0].downcast::<Writer>().is_some() {
        return Ok(args[0].clone());
    }
    let append = Value::keyword("append");
    let append = args[1..]
        .chunks_exact(2)
        .any(|pair| pair[0] == append && pair[1].truthy());
    let path = path(&args[0])?;
    io::write(cx, &path, "", append)?;
    Ok(Value::object(Writer::new(Sink::File(path.into()))))
}

fn copy(cx: &Cx<'_>, args: &[Value]) -> Result {
    let copied = match &args[0] {
        Value::Str(text) => text.to_string(),
        input => text(cx, input)?,
    };
    match path(&args[1]) {
        Ok(path) => io::write(cx, &path, &copied, false)?,
        Err(_) => {
            java::method(cx, &args[1], "write", &[Value::from(copied)])?;
        }
    }
    Ok(Value::Nil)
}
