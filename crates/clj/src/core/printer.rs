//! Printing with what `*print-level*`, `*print-meta*` and the methods of `print-method` ask for;
//! without any of them `crate::print` does it, faster.

use std::sync::Arc;

use super::collections::{is_map, is_set};
use super::io::{Sink, Writer};
use super::metadata;
use crate::closure::function;
use crate::java::Class;
use crate::object::Kind;
use crate::types::multi::Multi;
use crate::{Cx, Object, Result, Runtime, Value, deep, print, seq};

/// What is asked for, as it is when printing begins.
pub(super) struct Printer<'a> {
    cx: Cx<'a>,
    pub readably: bool,
    length: Option<usize>,
    level: Option<usize>,
    meta: bool,
    namespace_maps: bool,
    methods: Option<Value>,
}

/// Defines the multimethods that say how a class is printed.
pub(super) fn define(rt: &Runtime) {
    let core = rt.ensure_namespace("clojure.core");
    for name in ["print-method", "print-dup"] {
        let dispatch = function("print-dispatch", |_, args| Ok(dispatch_value(&args[0])));
        let default = function("print-default", |cx, args| {
            let printer = Printer::new(cx, true);
            let mut text = String::new();
            printer.plain(&args[0], 0, &mut text)?;
            crate::java::method(cx, &args[1], "write", &[Value::from(text)])
        });
        core.define(name, Value::object(Multi::new(name, dispatch, default)));
    }
}

/// The `:type` of the metadata if it is a keyword, else the class.
fn dispatch_value(value: &Value) -> Value {
    let kind = metadata::meta(value)
        .filter(|_| !matches!(value, Value::Var(_)))
        .and_then(|meta| meta.get_keyword("type").cloned());
    match kind {
        Some(keyword @ Value::Keyword(_)) => keyword,
        _ if value.is_nil() => Value::Nil,
        _ => Class::value(&value.class_name()),
    }
}

impl<'a> Printer<'a> {
    pub fn new(cx: &Cx<'a>, readably: bool) -> Printer<'a> {
        let setting = |name| cx.rt.var("clojure.core", name).and_then(|var| var.get());
        let is_set = |name| setting(name).is_some_and(|value| value.truthy());
        let limit = |name| {
            let limit = setting(name)?.as_i64()?;
            Some(usize::try_from(limit).unwrap_or(0))
        };
        let methods = if is_set("*print-dup*") {
            "print-dup"
        } else {
            "print-method"
        };
        Printer {
            cx: *cx,
            readably: readably && setting("*print-readably*").is_none_or(|it| it.truthy()),
            length: limit("*print-length*"),
            level: limit("*print-level*"),
            meta: is_set("*print-meta*"),
            namespace_maps: is_set("*print-namespace-maps*"),
            methods: setting(methods)
                .filter(|it| it.downcast::<Multi>().is_some_and(|it| it.len() > 1)),
        }
    }

    /// True if nothing is asked for.
    fn is_plain(&self) -> bool {
        self.length.is_none()
            && self.level.is_none()
            && self.methods.is_none()
            && !self.meta
            && !self.namespace_maps
    }

    /// Appends the printed form.
    ///
    /// # Errors
    /// What a lazy sequence or a method throws.
    pub fn print(&self, value: &Value, out: &mut String) -> Result<()> {
        if self.is_plain() {
            super::printing::realize(value)?;
            print::print(value, out, self.readably);
            return Ok(());
        }
        self.nested(value, 0, out)
    }

    fn nested(&self, value: &Value, depth: usize, out: &mut String) -> Result<()> {
        if let Some(methods) = &self.methods
            && let Some(multi) = methods.downcast::<Multi>()
            && let Some(method) = multi.method(&self.cx, &dispatch_value(value))?
            && !multi.is_default(&method)
        {
            let writer = Arc::new(Writer::new(Sink::Text));
            let target = Value::Object(writer.clone());
            self.cx.call(&method, &[value.clone(), target])?;
            out.push_str(&writer.text().unwrap_or_default());
            return Ok(());
        }
        deep::with_stack(|| self.plain(value, depth, out))
    }

    fn plain(&self, value: &Value, depth: usize, out: &mut String) -> Result<()> {
        let record = match value {
            Value::Object(object) if object.kind() == Kind::Record => Some(value.class_name()),
            Value::Event(event) if event.is_record() => Some(value.class_name()),
            _ => None,
        };
        let is_collection = is_map(value) || is_set(value) || value.is_sequential();
        if !is_collection && record.is_none() {
            print::print(value, out, self.readably);
            return Ok(());
        }
        self.metadata(value, depth, out)?;
        if self.level.is_some_and(|level| depth >= level) {
            out.push('#');
            return Ok(());
        }
        if let Some(class) = &record {
            out.push('#');
            out.push_str(class);
        }
        if is_map(value) || record.is_some() {
            return self.map(value, depth, out);
        }
        let (open, close) = match value {
            Value::Vector(_) => ('[', ']'),
            _ if is_set(value) => ('{', '}'),
            _ => ('(', ')'),
        };
        if is_set(value) {
            out.push('#');
        }
        out.push(open);
        for (index, item) in seq::iter(value).enumerate() {
            if index > 0 {
                out.push(' ');
            }
            if self.length.is_some_and(|length| index >= length) {
                out.push_str("...");
                break;
            }
            self.nested(&item?, depth + 1, out)?;
        }
        out.push(close);
        Ok(())
    }

    fn metadata(&self, value: &Value, depth: usize, out: &mut String) -> Result<()> {
        if let Some(meta) = metadata::meta(value).filter(|meta| !meta.is_empty())
            && self.meta
            && self.readably
        {
            out.push('^');
            self.nested(&Value::Map(meta), depth, out)?;
            out.push(' ');
        }
        Ok(())
    }

    fn map(&self, map: &Value, depth: usize, out: &mut String) -> Result<()> {
        let mut entries = Vec::new();
        for entry in seq::iter(map).take(self.length.map_or(usize::MAX, |most| most + 1)) {
            let entry = entry?;
            entries.push((seq::first(&entry)?, seq::first(&seq::rest(&entry)?)?));
        }
        let shared = if self.namespace_maps {
            shared_namespace(&entries)
        } else {
            None
        };
        if let Some(namespace) = &shared {
            out.push_str("#:");
            out.push_str(namespace);
        }
        out.push('{');
        for (index, (key, value)) in entries.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            if self.length.is_some_and(|length| index >= length) {
                out.push_str("...");
                break;
            }
            match key {
                Value::Keyword(keyword) if shared.is_some() => {
                    out.push(':');
                    out.push_str(keyword.name());
                }
                _ => self.nested(key, depth + 1, out)?,
            }
            out.push(' ');
            self.nested(value, depth + 1, out)?;
        }
        out.push('}');
        Ok(())
    }
}

/// The namespace that all keys of a map have.
fn shared_namespace(entries: &[(Value, Value)]) -> Option<String> {
    let mut namespaces = entries.iter().map(|(key, _)| match key {
        Value::Keyword(keyword) => keyword.namespace().map(str::to_owned),
        _ => None,
    });
    let first = namespaces.next()??;
    namespaces
        .all(|namespace| namespace.as_ref() == Some(&first))
        .then_some(first)
}
