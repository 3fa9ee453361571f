//! Sources and namespaces: evaluating files, and finding what `require` names.

mod arguments;
mod evaluation;
mod namespaces;
mod ns_form;
mod require;
mod vars;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use crate::reader::Reader;
use crate::{Cx, Result, Runtime, Thrown, Value, compile, dynamic};

pub use require::load_namespace;

/// What sources there are, and which have been loaded.
#[derive(Default)]
pub struct Sources {
    /// Library sources built into the program, by path (`riemann/streams`).
    embedded: HashMap<&'static str, &'static str>,
    /// Texts that have been read, by file name, so that errors can show the line.
    texts: RwLock<HashMap<Arc<str>, Arc<str>>>,
    loaded: Mutex<HashSet<Arc<str>>>,
    /// Namespaces with parts that are not written in the language.
    native: Mutex<HashSet<Arc<str>>>,
    /// What to say of names that were renamed or moved.
    advice: HashMap<&'static str, &'static str>,
}

impl Sources {
    /// The text of a file that has been read.
    pub fn text(&self, file: &str) -> Option<Arc<str>> {
        self.texts.read().get(file).cloned()
    }

    /// Notes that a namespace is there without a source; none on the search path takes its place.
    pub fn note_native(&self, namespace: &str) {
        self.native.lock().insert(namespace.into());
    }

    pub fn advice(&self, name: &str) -> Option<&'static str> {
        self.advice.get(name).copied()
    }

    /// The names of the namespaces loaded so far.
    pub fn loaded(&self) -> Vec<Arc<str>> {
        let mut loaded: Vec<Arc<str>> = self.loaded.lock().iter().cloned().collect();
        loaded.sort();
        loaded
    }
}

impl Runtime {
    /// Adds the source of a namespace, by its path (`riemann/streams`), before the runtime is
    /// shared. It is loaded when first required.
    pub fn embed(&mut self, path: &'static str, source: &'static str) {
        self.sources.embedded.insert(path, source);
    }

    /// What to say when `name` cannot be resolved: where it went, what replaced it.
    pub fn advise(&mut self, name: &'static str, hint: &'static str) {
        self.sources.advice.insert(name, hint);
    }

    /// Reads and evaluates every form of a text, in the current namespace; gives the value of the
    /// last. A change of namespace lasts to the end of the text.
    ///
    /// # Errors
    /// The first thing that cannot be read, compiled or run.
    pub fn eval_source(&self, cx: &Cx<'_>, file: &str, text: &str) -> Result {
        let namespace = self.ns_var.get().unwrap_or_default();
        let vars = vec![
            (self.ns_var.clone(), namespace),
            (self.file_var.clone(), Value::str(file)),
        ];
        dynamic::with(vars, || eval_forms(cx, file, text))
    }

    /// As [`Runtime::eval_source`], but goes on with the next form after an error: each form that
    /// can run has run. Gives all errors.
    pub fn eval_every_form(&self, cx: &Cx<'_>, file: &str, text: &str) -> Vec<Thrown> {
        let namespace = self.ns_var.get().unwrap_or_default();
        let vars = vec![
            (self.ns_var.clone(), namespace),
            (self.file_var.clone(), Value::str(file)),
        ];
        dynamic::with(vars, || {
            let file = remember(cx.rt, file, text);
            let mut reader = Reader::new(cx, file, text);
            let mut errors = Vec::new();
            loop {
                match reader.read() {
                    Ok(None) => return errors,
                    Ok(Some(form)) => errors.extend(compile::eval(cx, &form).err()),
                    Err(thrown) => {
                        errors.push(thrown);
                        reader.recover();
                    }
                }
            }
        })
    }

    /// Runs `body` with `*ns*` bound to the namespace of that name, made if missing.
    pub fn in_namespace<R>(&self, name: &str, body: impl FnOnce() -> R) -> R {
        let namespace = Value::Object(self.ensure_namespace(name));
        dynamic::with(vec![(self.ns_var.clone(), namespace)], body)
    }
}

/// Reads and evaluates every form, leaving `*ns*` as the forms do: what a session at a prompt
/// wants.
///
/// # Errors
/// As [`Runtime::eval_source`].
pub fn eval_forms(cx: &Cx<'_>, file: &str, text: &str) -> Result {
    let mut last = Value::Nil;
    eval_each(cx, file, text, &mut |value| {
        last = value;
        Ok(())
    })?;
    Ok(last)
}

/// As [`eval_forms`]; `each` gets the value of every form before the next is read.
///
/// # Errors
/// As [`Runtime::eval_source`], and what `each` throws.
pub fn eval_each(
    cx: &Cx<'_>,
    file: &str,
    text: &str,
    each: &mut dyn FnMut(Value) -> Result<()>,
) -> Result<()> {
    let file = remember(cx.rt, file, text);
    let mut reader = Reader::new(cx, file, text);
    while let Some(form) = reader.read()? {
        each(compile::eval(cx, &form)?)?;
    }
    Ok(())
}

/// Keeps a text for errors to show lines of.
pub(crate) fn remember(rt: &Runtime, file: &str, text: &str) -> Arc<str> {
    let file: Arc<str> = file.into();
    rt.sources.texts.write().insert(file.clone(), text.into());
    file
}

/// Defines the functions and macros of namespaces in `clojure.core`.
pub fn install(rt: &Runtime) {
    rt.define_natives("clojure.core", namespaces::NATIVES);
    rt.define_natives("clojure.core", vars::NATIVES);
    rt.define_natives("clojure.core", evaluation::NATIVES);
    rt.define_native_macros("clojure.core", ns_form::NATIVES);
}
