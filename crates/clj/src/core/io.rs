//! Files, readers and writers, all through the host.

use std::any::Any;
use std::sync::Arc;

use parking_lot::Mutex;

use super::arguments::{int, not_a, text};
use super::native;
use crate::closure::function;
use crate::java::byte_stream;
use crate::{Cx, Native, Object, Result, Thrown, Value, dynamic, seq};

pub const NATIVES: &[Native] = &[
    native(
        "slurp",
        "([f & opts])",
        "The text of a file or reader.",
        (1, None),
        |cx, a| match (a[0].downcast::<Reader>(), byte_stream::input(&a[0])) {
            (Some(reader), _) => Ok(Value::from(reader.read_rest())),
            (None, Some(stream)) => Ok(Value::from(stream.text())),
            (None, None) => read(cx, &text(&a[0])?).map(Value::from),
        },
    ),
    native(
        "spit",
        "([f content & options])",
        "Writes a text to a file; :append true adds to it.",
        (2, None),
        |cx, a| {
            let options = a[2..].chunks(2).any(|pair| {
                pair[0] == Value::keyword("append") && pair.get(1).is_some_and(Value::truthy)
            });
            match a[0].downcast::<Writer>() {
                Some(writer) => writer.write(cx, &a[1].to_text())?,
                None => write(cx, &text(&a[0])?, &a[1].to_text(), options)?,
            }
            Ok(Value::Nil)
        },
    ),
    native(
        "line-seq",
        "([rdr])",
        "The lines of a reader.",
        (1, Some(1)),
        |_, a| {
            let reader = a[0]
                .downcast::<Reader>()
                .ok_or_else(|| not_a(&a[0], "java.io.BufferedReader"))?;
            let mut lines = Vec::new();
            while let Some(line) = reader.read_line() {
                lines.push(Value::from(line));
            }
            Ok(seq::chunk(lines, Value::Nil))
        },
    ),
    native(
        "read-line",
        "([])",
        "The next line of *in*, nil at its end.",
        (0, Some(0)),
        |cx, _| {
            let input = in_(cx);
            match input.downcast::<Reader>() {
                Some(reader) => Ok(reader.read_line().map(Value::from).into()),
                None if input.is_nil() => Ok(Value::Nil),
                None => crate::java::method(cx, &input, "readLine", &[]),
            }
        },
    ),
    native(
        "read",
        "([] [stream] [stream eof-error? eof-value] [opts stream])",
        "The next form that *in* or a reader holds.",
        (0, Some(4)),
        |cx, a| read_form(cx, a).map(|(form, _)| form),
    ),
    native(
        "read+string",
        "([] [stream] [stream eof-error? eof-value] [opts stream])",
        "The next form that *in* or a reader holds, with its text.",
        (0, Some(4)),
        |cx, a| {
            let (form, text) = read_form(cx, a)?;
            Ok(Value::vector(vec![form, Value::str(text.trim())]))
        },
    ),
    native(
        "with-in-str*",
        "([s f])",
        "Calls f with *in* reading from a string.",
        (2, Some(2)),
        |cx, a| {
            let reader = Value::object(Reader::new(&text(&a[0])?));
            match cx.rt.var("clojure.core", "*in*") {
                Some(var) => dynamic::with(vec![(var, reader)], || cx.call(&a[1], &[])),
                None => cx.call(&a[1], &[]),
            }
        },
    ),
    native(
        "file-seq",
        "([dir])",
        "A folder and all below it.",
        (1, Some(1)),
        |cx, a| {
            let branch = function("folder?", |cx, a| {
                Ok(cx.rt.host.is_directory(&a[0].to_text()).into())
            });
            let children = function("files", |cx, a| {
                crate::java::method(cx, &a[0], "listFiles", &[])
            });
            let tree = cx
                .rt
                .var("clojure.core", "tree-seq")
                .and_then(|var| var.get())
                .unwrap_or_default();
            cx.call(&tree, &[branch, children, a[0].clone()])
        },
    ),
];

/// A form and its text, by the arguments of `read`.
fn read_form(cx: &Cx<'_>, args: &[Value]) -> Result<(Value, String)> {
    let (stream, at_end) = match args {
        [] => (in_(cx), None),
        [options @ Value::Map(_), stream] => {
            let end = seq::get(options, &Value::keyword("eof"));
            let end = end.filter(|end| *end != Value::keyword("eofthrow"));
            (stream.clone(), end)
        }
        [stream] => (stream.clone(), None),
        [stream, throws, rest @ ..] => {
            let end = rest.first().cloned().unwrap_or_default();
            (stream.clone(), (!throws.truthy()).then_some(end))
        }
    };
    let reader = stream
        .downcast::<Reader>()
        .ok_or_else(|| not_a(&stream, "java.io.PushbackReader"))?;
    match (reader.read_form(cx)?, at_end) {
        (Some(read), _) => Ok(read),
        (None, Some(end)) => Ok((end, String::new())),
        (None, None) => Err(Thrown::runtime("EOF while reading")),
    }
}

/// What `*in*` is.
fn in_(cx: &Cx<'_>) -> Value {
    let var = cx.rt.var("clojure.core", "*in*");
    var.and_then(|var| var.get()).unwrap_or_default()
}

/// The text of a file.
///
/// # Errors
/// `FileNotFoundException` if it cannot be read.
pub fn read(cx: &Cx<'_>, path: &str) -> Result<String> {
    cx.rt
        .host
        .read_file(path)
        .map_err(|error| failed(path, &error))
}

/// Writes a file whole, or adds to it.
///
/// # Errors
/// `FileNotFoundException` if it cannot be written.
pub fn write(cx: &Cx<'_>, path: &str, text: &str, append: bool) -> Result<()> {
    cx.rt
        .host
        .write_file(path, text, append)
        .map_err(|error| failed(path, &error))
}

fn failed(path: &str, error: &std::io::Error) -> Thrown {
    let reason = match error.kind() {
        std::io::ErrorKind::NotFound => "No such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "Permission denied".to_owned(),
        _ => error.to_string(),
    };
    Thrown::new(
        "java.io.FileNotFoundException",
        format!("{path} ({reason})"),
    )
}

/// Writes to what `*out*` is bound to.
///
/// # Errors
/// What a writer throws.
pub fn write_out(cx: &Cx<'_>, text: &str) -> Result<()> {
    let out = cx
        .rt
        .var("clojure.core", "*out*")
        .and_then(|var| var.get())
        .unwrap_or_default();
    match out.downcast::<Writer>() {
        Some(writer) => writer.write(cx, text),
        None if out.is_nil() => {
            cx.rt.host.print(text);
            Ok(())
        }
        None => crate::java::method(cx, &out, "write", &[Value::str(text)]).map(drop),
    }
}

/// Where a writer's text goes.
#[derive(Clone)]
pub enum Sink {
    /// What the host prints.
    Out,
    /// What the host prints as errors.
    Err,
    /// A string (`java.io.StringWriter`).
    Text,
    /// A file, written as it comes.
    File(Arc<str>),
}

/// `java.io.Writer` and the streams that configurations print to.
pub struct Writer {
    sink: Sink,
    text: Mutex<String>,
}

impl Writer {
    pub fn new(sink: Sink) -> Writer {
        Writer {
            sink,
            text: Mutex::default(),
        }
    }

    /// # Errors
    /// `FileNotFoundException` if it is a file that cannot be written.
    pub fn write(&self, cx: &Cx<'_>, text: &str) -> Result<()> {
        match &self.sink {
            Sink::Out => cx.rt.host.print(text),
            Sink::Err => cx.rt.host.print_error(text),
            Sink::Text => self.text.lock().push_str(text),
            Sink::File(path) => write(cx, path, text, true)?,
        }
        Ok(())
    }
}

impl Object for Writer {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        match self.sink {
            Sink::Out => "java.io.OutputStreamWriter",
            Sink::Err => "java.io.PrintWriter",
            Sink::Text => "java.io.StringWriter",
            Sink::File(_) => "java.io.BufferedWriter",
        }
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.io.Writer" | "java.io.Closeable" | "java.lang.AutoCloseable"
        )
    }

    fn text(&self) -> Option<String> {
        matches!(self.sink, Sink::Text).then(|| self.text.lock().clone())
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let text = |value: &Value| match value {
            Value::Int(code) => u32::try_from(*code)
                .ok()
                .and_then(char::from_u32)
                .map(String::from)
                .unwrap_or_default(),
            other => other.to_text(),
        };
        let line = if matches!(name, "println" | "newLine") {
            "\n"
        } else {
            ""
        };
        Some(match (name, args) {
            ("write" | "append" | "print" | "println", [value, ..]) => self
                .write(cx, &format!("{}{line}", text(value)))
                .map(|()| Value::Nil),
            ("println" | "newLine", []) => self.write(cx, line).map(|()| Value::Nil),
            ("flush" | "close", []) => Ok(Value::Nil),
            ("toString" | "getBuffer", []) => Ok(Value::from(self.text().unwrap_or_default())),
            _ => return None,
        })
    }
}

/// `java.io.Reader`: a text and how far it has been read.
pub struct Reader {
    text: String,
    at: Mutex<usize>,
}

impl Reader {
    pub fn new(text: &str) -> Reader {
        Reader {
            text: text.to_owned(),
            at: Mutex::new(0),
        }
    }

    /// The next line without its end.
    pub fn read_line(&self) -> Option<String> {
        let mut at = self.at.lock();
        let rest = &self.text[*at..];
        if rest.is_empty() {
            return None;
        }
        let line = rest.split_inclusive('\n').next().unwrap_or_default();
        *at += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some(line.strip_suffix('\r').unwrap_or(line).to_owned())
    }

    /// The next form with its text; `None` if there is none.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn read_form(&self, cx: &Cx<'_>) -> Result<Option<(Value, String)>> {
        let mut at = self.at.lock();
        let rest = &self.text[*at..];
        let mut reader = crate::reader::Reader::new(cx, "NO_SOURCE_FILE".into(), rest);
        let form = reader.read();
        let end = reader.offset().min(rest.len());
        *at += end;
        Ok(form?.map(|form| (form, rest[..end].to_owned())))
    }

    /// What has not been read yet.
    pub fn read_rest(&self) -> String {
        let mut at = self.at.lock();
        let rest = self.text[*at..].to_owned();
        *at = self.text.len();
        rest
    }
}

impl Object for Reader {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.io.BufferedReader"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.io.Reader"
                | "java.io.StringReader"
                | "java.io.Closeable"
                | "java.lang.AutoCloseable"
        )
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(Ok(match (name, args) {
            ("readLine", []) => self.read_line().map(Value::from).into(),
            ("read", []) => {
                let mut at = self.at.lock();
                match self.text[*at..].chars().next() {
                    Some(char) => {
                        *at += char.len_utf8();
                        Value::Int(i64::from(u32::from(char)))
                    }
                    None => Value::Int(-1),
                }
            }
            ("skip", [count]) => match int(count) {
                Ok(count) => {
                    let mut at = self.at.lock();
                    let skipped: usize = self.text[*at..]
                        .chars()
                        .take(count.max(0) as usize)
                        .map(char::len_utf8)
                        .sum();
                    *at += skipped;
                    Value::Int(skipped as i64)
                }
                Err(thrown) => return Some(Err(thrown)),
            },
            ("ready", []) => Value::Bool(*self.at.lock() < self.text.len()),
            ("close", []) => Value::Nil,
            ("lines", []) => Value::list(
                std::iter::from_fn(|| self.read_line())
                    .map(Value::from)
                    .collect(),
            ),
            _ => return None,
        }))
    }
}
