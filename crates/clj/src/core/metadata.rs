//! Metadata: a map that a value carries without being changed by it.

use std::sync::Arc;

use super::maps::call_with;
use super::native;
use crate::compile::closure::Closure;
use crate::reader::Reader;
use crate::{Cx, List, Map, Native, Result, Thrown, Value, Var};

pub const NATIVES: &[Native] = &[
    native(
        "meta",
        "([obj])",
        "The metadata of a value, or nil.",
        (1, Some(1)),
        |cx, a| match &a[0] {
            Value::Var(var) => var_meta(cx, var).map(Value::Map),
            Value::List(list) => Ok(form_meta(list).map(Value::Map).into()),
            other => Ok(meta(other).map(Value::Map).into()),
        },
    ),
    native(
        "with-meta",
        "([obj m])",
        "The value with other metadata.",
        (2, Some(2)),
        |_, a| with_meta(&a[0], &a[1]),
    ),
    native(
        "vary-meta",
        "([obj f & args])",
        "The value with f applied to its metadata.",
        (2, None),
        |cx, a| {
            let meta = meta(&a[0]).map(Value::Map).into();
            with_meta(&a[0], &call_with(cx, &a[1], meta, &a[2..])?)
        },
    ),
    native(
        "alter-meta!",
        "([iref f & args])",
        "Changes the metadata of a reference with f.",
        (2, None),
        |cx, a| {
            let meta = match &a[0] {
                Value::Var(var) => Value::Map(var_meta(cx, var)?),
                other => meta(other).map(Value::Map).into(),
            };
            reset(&a[0], call_with(cx, &a[1], meta, &a[2..])?)
        },
    ),
    native(
        "reset-meta!",
        "([iref m])",
        "Replaces the metadata of a reference.",
        (2, Some(2)),
        |_, a| reset(&a[0], a[1].clone()),
    ),
];

/// The metadata of a var as code sees it: the namespace itself, and lists of parameters that can
/// be taken apart.
fn var_meta(cx: &Cx<'_>, var: &Arc<Var>) -> Result<Map> {
    crate::macros::deferred::ready(cx, var)?;
    let mut map = meta(&Value::Var(var.clone())).unwrap_or_default();
    if let Some(namespace) = cx.rt.namespace(&var.namespace) {
        map.insert(Value::keyword("ns"), Value::Object(namespace));
    }
    if let Some(Value::Str(text)) = map.get_keyword("arglists").cloned() {
        let parameters = Reader::new(cx, "arglists".into(), &text).read()?;
        map.insert(Value::keyword("arglists"), parameters.unwrap_or_default());
    }
    if var.is_macro() {
        map.insert(Value::keyword("macro"), Value::Bool(true));
    }
    if var.is_dynamic() {
        map.insert(Value::keyword("dynamic"), Value::Bool(true));
    }
    Ok(map)
}

/// The metadata of a list, with its place if it was read.
fn form_meta(list: &List) -> Option<Map> {
    let Some(span) = &list.span else {
        return list.meta.clone();
    };
    let mut map = list.meta.clone().unwrap_or_default();
    for (name, number) in [("line", span.line), ("column", span.column)] {
        let key = Value::keyword(name);
        if map.get(&key).is_none() {
            map.insert(key, Value::Int(number.into()));
        }
    }
    Some(map)
}

/// The metadata of a value.
pub fn meta(value: &Value) -> Option<Map> {
    match value {
        Value::Symbol(symbol) => symbol.meta().cloned(),
        Value::List(list) => list.meta.clone(),
        Value::Vector(vector) => vector.meta().cloned(),
        Value::Map(map) => map.meta().cloned(),
        Value::Set(set) => set.meta().cloned(),
        Value::Var(var) => {
            let meta = var.meta();
            let name = meta.assoc(Value::keyword("name"), Value::symbol(&var.name));
            Some(name.assoc(Value::keyword("ns"), Value::symbol(&var.namespace)))
        }
        Value::Object(object) => object.meta(),
        Value::Fn(function) => {
            let function = function.as_any();
            match function.downcast_ref::<WithMeta>() {
                Some(with_meta) => Some(with_meta.meta.clone()),
                None => function.downcast_ref::<Closure>()?.meta().cloned(),
            }
        }
        _ => None,
    }
}

/// `(with-meta value meta)`.
///
/// # Errors
/// `ClassCastException` for what carries none.
pub fn with_meta(value: &Value, meta: &Value) -> Result {
    let meta = match meta {
        Value::Nil => None,
        Value::Map(map) => Some(map.clone()),
        other => {
            return Err(super::arguments::not_a(
                other,
                "clojure.lang.IPersistentMap",
            ));
        }
    };
    Ok(match value {
        Value::Symbol(symbol) => Value::Symbol(symbol.with_meta(meta)),
        Value::List(list) => Value::List(Arc::new(list.with_meta(meta))),
        Value::Vector(vector) => Value::Vector(vector.with_meta(meta)),
        Value::Map(map) => Value::Map(map.with_meta(meta)),
        Value::Set(set) => Value::Set(set.with_meta(meta)),
        Value::Lazy(_) => match crate::seq::seq(value)? {
            Value::List(list) => Value::List(Arc::new(list.with_meta(meta))),
            _ => Value::list(Vec::new()),
        },
        Value::Fn(function) => Value::Fn(Arc::new(WithMeta {
            function: function.clone(),
            meta: meta.unwrap_or_default(),
        })),
        // An event has no place for it; as a map it means the same.
        Value::Event(event) if !event.is_record() => {
            Value::Map(crate::event_value::to_map(event).with_meta(meta))
        }
        Value::Event(_) => value.clone(),
        Value::Object(object) => match object.with_meta(meta) {
            Some(changed) => changed,
            None => return Err(cannot(value)),
        },
        _ => return Err(cannot(value)),
    })
}

fn cannot(value: &Value) -> Thrown {
    super::arguments::not_a(value, "clojure.lang.IObj")
}

fn reset(reference: &Value, meta: Value) -> Result {
    let Value::Map(map) = &meta else {
        return Err(super::arguments::not_a(
            &meta,
            "clojure.lang.IPersistentMap",
        ));
    };
    match reference {
        Value::Var(var) => var.set_meta(map.clone()),
        Value::Object(object) if object.set_meta(map) => {}
        _ => {
            return Err(super::arguments::not_a(
                reference,
                "clojure.lang.IReference",
            ));
        }
    }
    Ok(meta)
}

/// A function that carries metadata.
struct WithMeta {
    function: Arc<dyn crate::Callable>,
    meta: Map,
}

impl crate::Callable for WithMeta {
    fn call(&self, cx: &crate::Cx<'_>, args: &[Value]) -> Result {
        self.function.call(cx, args)
    }

    fn name(&self) -> Option<&str> {
        self.function.name()
    }

    fn is_fn(&self) -> bool {
        self.function.is_fn()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
