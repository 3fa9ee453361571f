//! Definitions in the dialect that are compiled when they are first used, so that starting costs
//! nothing for those that are not.

use std::any::Any;
use std::sync::{Arc, Weak};

use parking_lot::ReentrantMutex;

use crate::reader::Reader;
use crate::{Callable, Cx, Result, Runtime, Thrown, Value, Var, compile, dynamic};

/// A function or macro whose source has not been compiled yet. Compiling replaces it in its var.
pub struct Deferred {
    namespace: &'static str,
    file: &'static str,
    line: u32,
    source: &'static str,
    var: Weak<Var>,
    /// One thread compiles; its own macros may come back here.
    compiling: ReentrantMutex<()>,
}

/// Defines every `(defn …)` and `(defmacro …)` of a source in a namespace. Each begins at the start
/// of a line.
pub fn define(rt: &Runtime, namespace: &'static str, file: &'static str, source: &'static str) {
    let home = rt.ensure_namespace(namespace);
    for (line, source) in definitions(source) {
        let mut words = source.split_whitespace();
        let (head, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let var = home.intern(name);
        var.set_macro(head == "(defmacro");
        if head == "(defn-" {
            var.set_meta(
                [(Value::keyword("private"), Value::Bool(true))]
                    .into_iter()
                    .collect(),
            );
        }
        let deferred = Deferred {
            namespace,
            file,
            line,
            source,
            var: Arc::downgrade(&var),
            compiling: ReentrantMutex::new(()),
        };
        var.set_root(Some(Value::Fn(Arc::new(deferred))));
    }
}

/// The line and text of each definition.
fn definitions(source: &'static str) -> Vec<(u32, &'static str)> {
    let mut starts = Vec::new();
    let (mut line, mut offset) = (1, 0);
    for text in source.split_inclusive('\n') {
        if text.starts_with("(def") {
            starts.push((line, offset));
        }
        line += 1;
        offset += text.len();
    }
    let ends = starts
        .iter()
        .skip(1)
        .map(|(_, offset)| *offset)
        .chain([source.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((line, from), to)| (*line, &source[*from..to]))
        .collect()
}

impl Deferred {
    /// What the source defines.
    fn compiled(&self, cx: &Cx<'_>) -> Result {
        let _one = self.compiling.lock();
        let var = self.var.upgrade();
        let Some(var) = var else {
            return Err(Thrown::illegal_state("the var of this function is gone"));
        };
        if let Some(root) = var.root()
            && !is_deferred(&root)
        {
            return Ok(root);
        }
        let namespace = Value::Object(cx.rt.ensure_namespace(self.namespace));
        let vars = vec![
            (cx.rt.ns_var.clone(), namespace),
            (cx.rt.file_var.clone(), Value::str(self.file)),
        ];
        dynamic::with(vars, || {
            let mut reader = Reader::new(cx, self.file.into(), self.source).from_line(self.line);
            match reader.read()? {
                Some(form) => compile::eval(cx, &form),
                None => Ok(Value::Nil),
            }
        })?;
        Ok(var.root().unwrap_or_default())
    }
}

/// True for a function that will be replaced when it is first called.
pub fn is_deferred(value: &Value) -> bool {
    matches!(value, Value::Fn(callable) if callable.as_any().is::<Deferred>())
}

/// Compiles what a var holds if that waits to be used, so that its metadata is there.
///
/// # Errors
/// What is wrong with the definition.
pub fn ready(cx: &Cx<'_>, var: &Var) -> Result<()> {
    if let Some(Value::Fn(function)) = var.root()
        && let Some(deferred) = function.as_any().downcast_ref::<Deferred>()
    {
        deferred.compiled(cx)?;
    }
    Ok(())
}

impl Callable for Deferred {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        let function = self.compiled(cx)?;
        cx.call(&function, args)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
