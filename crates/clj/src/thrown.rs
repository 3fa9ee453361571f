//! What is thrown, and caught.

use std::any::Any;
use std::fmt::{self, Write};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::{Map, Object, Span, Value};

/// A thrown exception on its way up. One word, so that results stay small.
#[derive(Clone)]
pub struct Thrown(Box<Flight>);

#[derive(Clone)]
struct Flight {
    /// The thrown value: an [`Exception`] object, or a record that says it is one.
    value: Value,
    /// Where it was thrown, innermost first, with the function's name.
    trace: Vec<Frame>,
    /// What the user may do about it.
    hint: Option<Arc<str>>,
    /// What else was found wrong, where more than the first thing was looked for.
    others: Vec<Thrown>,
}

/// One place on the way of an exception.
#[derive(Clone, Debug)]
pub struct Frame {
    pub span: Span,
    pub function: Option<Arc<str>>,
}

/// A throwable: `RuntimeException`, `ExceptionInfo` and so on, all of one shape.
pub struct Exception {
    /// Full Java class name, `java.lang.IllegalArgumentException`.
    pub class: Arc<str>,
    pub message: Option<Arc<str>>,
    /// `ex-data`.
    pub data: Option<Map>,
    pub cause: Option<Value>,
    /// Where it was thrown, once it has been caught.
    pub trace: Mutex<Vec<Frame>>,
    /// What the user may do about it, once it has been caught.
    pub hint: OnceLock<Arc<str>>,
}

/// Causes shown of an exception.
const CAUSES_MAX: usize = 32;

/// Deepest trace kept, in frames: enough to find the place, not the whole of a deep recursion.
const TRACE_FRAMES_MAX: usize = 64;

impl Thrown {
    /// An exception of a class given by its full Java name.
    pub fn new(class: &str, message: impl Into<String>) -> Thrown {
        Thrown::from_value(Value::object(Exception {
            class: class.into(),
            message: Some(Arc::from(message.into())),
            data: None,
            cause: None,
            trace: Mutex::new(Vec::new()),
            hint: OnceLock::new(),
        }))
    }

    /// An exception that has no message, as Java's own often have none.
    pub fn without_message(class: &str) -> Thrown {
        Thrown::from_value(Value::object(Exception {
            class: class.into(),
            message: None,
            data: None,
            cause: None,
            trace: Mutex::new(Vec::new()),
            hint: OnceLock::new(),
        }))
    }

    pub fn from_value(value: Value) -> Thrown {
        Thrown(Box::new(Flight {
            value,
            trace: Vec::new(),
            hint: None,
            others: Vec::new(),
        }))
    }

    /// Throws again what was caught, with the places it was first thrown from.
    pub fn again(value: Value) -> Thrown {
        let exception = value.downcast::<Exception>();
        let trace = exception.map(|exception| exception.trace.lock().clone());
        let hint = exception.and_then(|exception| exception.hint.get().cloned());
        Thrown(Box::new(Flight {
            value,
            trace: trace.unwrap_or_default(),
            hint,
            others: Vec::new(),
        }))
    }

    /// An exception of another class with this one as its cause, at the same places.
    #[must_use]
    pub fn wrapped(self, class: &str, message: impl Into<String>) -> Thrown {
        let value = Value::object(Exception {
            class: class.into(),
            message: Some(Arc::from(message.into())),
            data: None,
            cause: Some(self.0.value),
            trace: Mutex::new(Vec::new()),
            hint: OnceLock::new(),
        });
        Thrown(Box::new(Flight {
            value,
            trace: self.0.trace,
            hint: self.0.hint,
            others: self.0.others,
        }))
    }

    /// The value that a `catch` binds; it remembers where it was thrown.
    pub fn caught(self) -> Value {
        if let Some(exception) = self.0.value.downcast::<Exception>() {
            let mut trace = exception.trace.lock();
            if trace.is_empty() {
                *trace = self.0.trace;
            }
            if let Some(hint) = self.0.hint {
                let _ = exception.hint.set(hint);
            }
        }
        self.0.value
    }

    pub fn illegal_argument(message: impl Into<String>) -> Thrown {
        Thrown::new("java.lang.IllegalArgumentException", message)
    }

    pub fn illegal_state(message: impl Into<String>) -> Thrown {
        Thrown::new("java.lang.IllegalStateException", message)
    }

    pub fn runtime(message: impl Into<String>) -> Thrown {
        Thrown::new("java.lang.RuntimeException", message)
    }

    pub fn class_cast(message: impl Into<String>) -> Thrown {
        Thrown::new("java.lang.ClassCastException", message)
    }

    pub fn null_pointer(message: impl Into<String>) -> Thrown {
        Thrown::new("java.lang.NullPointerException", message)
    }

    pub fn arithmetic(message: impl Into<String>) -> Thrown {
        Thrown::new("java.lang.ArithmeticException", message)
    }

    /// Wrong number of arguments, in Clojure's words.
    pub fn arity(given: usize, name: &str) -> Thrown {
        Thrown::new(
            "clojure.lang.ArityException",
            format!("Wrong number of args ({given}) passed to: {name}"),
        )
    }

    pub fn value(&self) -> &Value {
        &self.0.value
    }

    pub fn exception(&self) -> Option<&Exception> {
        self.0.value.downcast()
    }

    pub fn class(&self) -> &str {
        match &self.0.value {
            Value::Object(object) => object.class_name(),
            _ => "java.lang.RuntimeException",
        }
    }

    /// The exception's own message, `None` where it has none.
    pub fn message(&self) -> Option<&str> {
        self.exception()
            .and_then(|exception| exception.message.as_deref())
    }

    pub fn trace(&self) -> &[Frame] {
        &self.0.trace
    }

    /// What the user may do about it: `did you mean …?`
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Thrown {
        self.0.hint = Some(Arc::from(hint.into()));
        self
    }

    /// Several things that are wrong as one: the first, with the rest. `None` if there are none.
    pub fn together(all: Vec<Thrown>) -> Option<Thrown> {
        let mut all = all.into_iter();
        let mut first = all.next()?;
        first.0.others.extend(all);
        Some(first)
    }

    /// What else is wrong.
    pub fn others(&self) -> &[Thrown] {
        &self.0.others
    }

    /// Takes [`Thrown::together`] apart.
    pub fn each(mut self) -> Vec<Thrown> {
        let others = std::mem::take(&mut self.0.others);
        let mut all = vec![self];
        all.extend(others.into_iter().flat_map(Thrown::each));
        all
    }

    /// Puts a place before all others: the one to show first.
    #[must_use]
    pub fn first_at(mut self, span: Span) -> Thrown {
        self.0.trace.insert(
            0,
            Frame {
                span,
                function: None,
            },
        );
        self
    }

    /// Notes a place that the exception passed on its way.
    #[must_use]
    pub fn at(mut self, span: Span, function: Option<Arc<str>>) -> Thrown {
        if self.0.trace.len() < TRACE_FRAMES_MAX {
            self.0.trace.push(Frame { span, function });
        }
        self
    }
}

/// As Java's `toString`: class, colon, message.
impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message() {
            Some(message) => write!(f, "{}: {message}", self.class()),
            None => f.write_str(self.class()),
        }
    }
}

impl fmt::Debug for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Thrown {}

impl Exception {
    /// As Java's `toString`: class, colon, message; of an `ExceptionInfo` its data too.
    pub fn describe(&self) -> String {
        let mut text = self.class.to_string();
        if let Some(message) = &self.message {
            text.push_str(": ");
            text.push_str(message);
        }
        if let Some(data) = &self.data {
            text.push(' ');
            text.push_str(&Value::Map(data.clone()).to_readable());
        }
        text
    }

    /// This exception, what caused it, what caused that.
    fn chain(&self) -> Vec<&Exception> {
        std::iter::successors(Some(self), |exception| exception.cause.as_ref()?.downcast())
            .take(CAUSES_MAX)
            .collect()
    }
}

impl Object for Exception {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        &self.class
    }

    fn text(&self) -> Option<String> {
        Some(self.describe())
    }

    fn print(&self, out: &mut String, _: bool) {
        let chain = self.chain();
        let text = |text: &Arc<str>| Value::Str(text.clone()).to_readable();
        out.push_str("#error {");
        if let Some(root) = chain.last() {
            let message = root.message.as_ref().map_or_else(|| "nil".into(), text);
            let _ = write!(out, "\n :cause {message}");
            if let Some(data) = &root.data {
                let _ = write!(out, "\n :data {:?}", Value::Map(data.clone()));
            }
        }
        out.push_str("\n :via\n [");
        for (index, exception) in chain.iter().enumerate() {
            let start = if index > 0 { "\n  " } else { "" };
            let _ = write!(out, "{start}{{:type {}", exception.class);
            if let Some(message) = &exception.message {
                let _ = write!(out, "\n   :message {}", text(message));
            }
            if let Some(data) = &exception.data {
                let _ = write!(out, "\n   :data {:?}", Value::Map(data.clone()));
            }
            out.push('}');
        }
        out.push_str("]}");
    }
}
