//! Readers and writers of text: over strings, over files, and over each other.

use std::any::Any;

use super::string_builder::java_text;
use super::{JavaClass, Static, constructor};
use crate::core::arguments::string;
use crate::core::io::{self, Reader, Sink, Writer};
use crate::{Cx, Object, Result, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    class(
        "java.io.StringWriter",
        constructor(0, 1, |_, _| Ok(Value::object(Writer::new(Sink::Text)))),
    ),
    class(
        "java.io.PrintWriter",
        constructor(1, 2, |cx, a| match &a[0] {
            Value::Str(_) => to_file(cx, a),
            writer => Ok(Value::object(PrintWriter(writer.clone()))),
        }),
    ),
    class("java.io.PrintStream", None),
    class("java.io.FileWriter", constructor(1, 2, to_file)),
    class(
        "java.io.BufferedWriter",
        constructor(1, 2, |_, a| Ok(a[0].clone())),
    ),
    class(
        "java.io.StringReader",
        constructor(1, 1, |_, a| Ok(Value::object(Reader::new(string(&a[0])?)))),
    ),
    class(
        "java.io.FileReader",
        constructor(1, 1, |cx, a| {
            Ok(Value::object(Reader::new(&io::read(cx, &a[0].to_text())?)))
        }),
    ),
    class(
        "java.io.BufferedReader",
        constructor(1, 2, |_, a| Ok(a[0].clone())),
    ),
    class(
        "java.io.PushbackReader",
        constructor(1, 2, |_, a| Ok(a[0].clone())),
    ),
];

const fn class(name: &'static str, construct: Option<Static>) -> JavaClass {
    JavaClass {
        name,
        construct,
        statics: &[],
        fields: &[],
    }
}

/// A writer to a file, which is emptied unless the second argument says to add to it.
fn to_file(cx: &Cx<'_>, args: &[Value]) -> Result {
    let path = args[0].to_text();
    let append = args.get(1).is_some_and(Value::truthy);
    io::write(cx, &path, "", append)?;
    Ok(Value::object(Writer::new(Sink::File(path.into()))))
}

/// Prints to another writer.
struct PrintWriter(Value);

impl PrintWriter {
    fn write(&self, cx: &Cx<'_>, text: String) -> Result {
        super::method(cx, &self.0, "write", &[Value::from(text)])
    }
}

impl Object for PrintWriter {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.io.PrintWriter"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.io.Writer" | "java.io.Closeable" | "java.lang.AutoCloseable"
        )
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("print" | "append", [text]) => self.write(cx, java_text(text)),
            ("write", [_]) => super::method(cx, &self.0, name, args),
            ("println", []) => self.write(cx, "\n".into()),
            ("println", [text]) => self.write(cx, java_text(text) + "\n"),
            ("printf" | "format", [_, ..]) => {
                super::core(cx, "format", args).and_then(|text| self.write(cx, text.to_text()))
            }
            ("flush" | "close", []) => super::method(cx, &self.0, name, &[]),
            ("checkError", []) => Ok(Value::Bool(false)),
            _ => return None,
        })
    }
}
