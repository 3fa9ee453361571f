//! Evaluating code in a configuration, as a prompt or an editor does.

use std::any::Any;
use std::sync::{Arc, Weak};

use clj::{Cx, Exception, Object, Result, Runtime, Thrown, Value, Var, dynamic};

use crate::load::Configuration;
use crate::words;

/// Vars that a session keeps from one evaluation to the next.
const KEPT: [&str; 9] = [
    "*ns*",
    "*1",
    "*2",
    "*3",
    "*e",
    "*print-length*",
    "*print-level*",
    "*assert*",
    "*warn-on-reflection*",
];

/// Items of a sequence that are printed unless the session says otherwise: an infinite one must not
/// take the server's memory.
const PRINT_LENGTH: i64 = 100_000;

/// What one user has set up: the namespace, the last values. It begins in `user`, where all that a
/// configuration sees can be seen, and begins again when the configuration is another.
#[derive(Clone, Default)]
pub struct Session {
    of: Weak<Runtime>,
    kept: Vec<(Arc<Var>, Value)>,
}

/// A text to evaluate.
pub struct Code<'a> {
    /// As errors name it.
    pub file: &'a str,
    pub text: &'a str,
    /// Where to evaluate it instead of the session's namespace.
    pub namespace: Option<&'a str>,
    /// A file's changes of namespace end with it, and only its last value is told.
    pub is_file: bool,
}

/// Where an evaluation prints, and reads from.
pub trait Console: Send + Sync {
    fn out(&self, text: &str);
    fn err(&self, text: &str);
    /// The next line with its end; `None` when there will be none.
    fn read_line(&self) -> Option<String>;
}

/// Why an evaluation ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    NoNamespace(String),
    Thrown {
        /// Full class name.
        class: String,
        /// That of the exception that caused it, or its own.
        root_class: String,
        /// For people: the place, the line of source, the message, what to do.
        text: String,
    },
}

impl Session {
    /// Lets go of every value.
    pub fn forget(&mut self) {
        *self = Session::default();
    }

    /// True if it holds values of that configuration.
    pub fn is_of(&self, configuration: &Configuration) -> bool {
        std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(&configuration.rt))
    }

    fn enter(&mut self, cx: &Cx<'_>) {
        if std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(cx.rt)) {
            return;
        }
        let user = see_everything(cx);
        let core = cx.rt.ensure_namespace("clojure.core");
        let vars = KEPT.iter().filter_map(|name| core.find(name));
        self.kept = vars
            .map(|var| {
                let value = match &*var.name {
                    "*ns*" => user.clone(),
                    "*print-length*" => Value::Int(PRINT_LENGTH),
                    _ => var.root().unwrap_or_default(),
                };
                (var, value)
            })
            .collect();
        self.of = Arc::downgrade(cx.rt);
    }

    /// Takes over what an evaluation has left on this thread.
    fn keep(&mut self, but: Option<&Var>) {
        for (var, value) in &mut self.kept {
            if but.is_none_or(|but| !std::ptr::eq(&**var, but)) {
                *value = var.get().unwrap_or_default();
            }
        }
    }
}

/// Lets `user` see what a configuration sees, and the words of a prompt; what is defined there
/// comes first.
pub fn see_everything(cx: &Cx<'_>) -> Value {
    let user = cx.rt.ensure_namespace("user");
    cx.rt.refer_core(&user);
    for name in ["clojure.repl", "riemann.config"] {
        if clj::load::load_namespace(cx, name, false).is_err() {
            continue;
        }
        let Some(seen) = cx.rt.namespace(name) else {
            continue;
        };
        let vars = seen.mappings.read().clone();
        let mut own = user.mappings.write();
        for (name, var) in vars.into_iter().filter(|(_, var)| !var.is_private()) {
            let slot = own.entry(name).or_insert_with(|| var.clone());
            if &*slot.namespace == "clojure.core" {
                *slot = var;
            }
        }
        let aliases = seen.aliases.read().clone();
        let mut own = user.aliases.write();
        for (alias, name) in aliases {
            own.entry(alias).or_insert(name);
        }
    }
    Value::Object(user)
}

impl Configuration {
    /// Evaluates a text form by form; `each` gets every value, printed, and the namespace that is
    /// current after it.
    ///
    /// # Errors
    /// What the first form that fails throws; those after it are not evaluated.
    pub fn evaluate(
        &self,
        session: &mut Session,
        code: &Code<'_>,
        console: Option<Arc<dyn Console>>,
        each: &mut dyn FnMut(&str, &str),
    ) -> std::result::Result<(), Failure> {
        let cx = Cx::new(&self.rt);
        session.enter(&cx);
        let core = self.rt.ensure_namespace("clojure.core");
        let mut bindings = session.kept.clone();
        let mut bind = |name: &str, value: Value| {
            let var = core.find(name)?;
            bindings.retain(|(bound, _)| !Arc::ptr_eq(bound, &var));
            bindings.push((var.clone(), value));
            Some(var)
        };
        bind("*file*", Value::str(code.file));
        let elsewhere = match code.namespace {
            Some(name) => match self.rt.namespace(name) {
                Some(namespace) => bind("*ns*", Value::Object(namespace)),
                None => return Err(Failure::NoNamespace(name.to_owned())),
            },
            None if code.is_file => core.find("*ns*"),
            None => None,
        };
        if let Some(console) = console {
            bind("*out*", Value::object(Printer(console.clone(), false)));
            bind("*err*", Value::object(Printer(console.clone(), true)));
            bind("*in*", Value::object(Lines(console)));
        }
        dynamic::with(bindings, || {
            let mut tell = |value: Value| {
                remember(&cx, &value);
                let text = words::call(&cx, "pr-str", &[value])?.to_text();
                each(&text, &cx.rt.current_namespace().name);
                Ok(())
            };
            let outcome = if code.is_file {
                clj::load::eval_forms(&cx, code.file, code.text).and_then(tell)
            } else {
                clj::load::eval_each(&cx, code.file, code.text, &mut tell)
            };
            let outcome = outcome.map_err(|thrown| failure(&cx, thrown));
            session.keep(elsewhere.as_deref());
            outcome
        })
    }
}

/// Moves the last values on: `*1`, `*2`, `*3`.
fn remember(cx: &Cx<'_>, value: &Value) {
    let mut next = value.clone();
    for name in ["*1", "*2", "*3"] {
        if let Some(var) = cx.rt.var("clojure.core", name) {
            let old = var.get().unwrap_or_default();
            dynamic::set(&var, next);
            next = old;
        }
    }
}

fn failure(cx: &Cx<'_>, thrown: Thrown) -> Failure {
    let text = clj::diagnostics::render(cx.rt, &thrown);
    let class = thrown.class().to_owned();
    let mut root = thrown.value();
    while let Some(cause) = root.downcast::<Exception>().and_then(|e| e.cause.as_ref()) {
        root = cause;
    }
    let root_class = root.class_name();
    if let Some(var) = cx.rt.var("clojure.core", "*e") {
        dynamic::set(&var, thrown.caught());
    }
    Failure::Thrown {
        class,
        root_class,
        text,
    }
}

/// A console as `*out*`, or as `*err*`.
struct Printer(Arc<dyn Console>, bool);

impl Object for Printer {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.io.PrintWriter"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "java.io.Writer" | "java.io.Closeable")
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let print = |text: &str| {
            if self.1 {
                self.0.err(text);
            } else {
                self.0.out(text);
            }
        };
        match (name, args) {
            ("write" | "append" | "print", [text]) => print(&text.to_text()),
            ("println", [text]) => print(&format!("{}\n", text.to_text())),
            ("newLine" | "println", []) => print("\n"),
            ("flush" | "close", []) => {}
            _ => return None,
        }
        Some(Ok(Value::Nil))
    }
}

/// A console as `*in*`.
struct Lines(Arc<dyn Console>);

impl Object for Lines {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.io.BufferedReader"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "java.io.Reader" | "java.io.Closeable")
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("readLine", []) => {
                let line = self.0.read_line();
                let line = line.map(|line| line.trim_end_matches(['\r', '\n']).to_owned());
                Some(Ok(line.map(Value::from).into()))
            }
            ("close", []) => Some(Ok(Value::Nil)),
            _ => None,
        }
    }
}
