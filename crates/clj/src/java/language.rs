//! Clojure's own classes as code reaches for them through Java: names, vars, `clojure.lang.RT`.

use super::{JavaClass, Method, member, method_of};
use crate::core::arguments::{int, string};
use crate::{Keyword, Namespace, Symbol, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "clojure.lang.Keyword",
        construct: None,
        statics: &[member("intern", 1, 2, |_, a| match a {
            [namespace, name] => Ok(Value::Keyword(Keyword::new(
                namespace.as_str(),
                string(name)?,
            ))),
            _ => {
                let symbol = Symbol::parse(&a[0].to_text());
                Ok(Value::Keyword(Keyword::new(
                    symbol.namespace(),
                    symbol.name(),
                )))
            }
        })],
        fields: &[],
    },
    JavaClass {
        name: "clojure.lang.Symbol",
        construct: None,
        statics: &[member("intern", 1, 2, |_, a| match a {
            [namespace, name] => Ok(Value::Symbol(Symbol::new(
                namespace.as_str(),
                string(name)?,
            ))),
            _ => Ok(Value::Symbol(Symbol::parse(&a[0].to_text()))),
        })],
        fields: &[],
    },
    JavaClass {
        name: "clojure.lang.PersistentQueue",
        construct: None,
        statics: &[],
        fields: &[("EMPTY", super::queue::empty_persistent)],
    },
    JavaClass {
        name: "clojure.lang.PersistentHashMap",
        construct: None,
        statics: &[],
        fields: &[("EMPTY", || Value::map([]))],
    },
    JavaClass {
        name: "clojure.lang.PersistentArrayMap",
        construct: None,
        statics: &[],
        fields: &[("EMPTY", || Value::map([]))],
    },
    JavaClass {
        name: "clojure.lang.PersistentVector",
        construct: None,
        statics: &[],
        fields: &[("EMPTY", || Value::vector(Vec::new()))],
    },
    JavaClass {
        name: "clojure.lang.MapEntry",
        construct: super::constructor(2, 2, |_, a| Ok(Value::vector(a.to_vec()))),
        statics: &[member("create", 2, 2, |_, a| Ok(Value::vector(a.to_vec())))],
        fields: &[],
    },
    JavaClass {
        name: "clojure.lang.RT",
        construct: None,
        statics: &[
            member("count", 1, 1, |cx, a| super::core(cx, "count", a)),
            member("get", 2, 3, |cx, a| super::core(cx, "get", a)),
            member("nth", 2, 3, |cx, a| super::core(cx, "nth", a)),
            member("seq", 1, 1, |cx, a| super::core(cx, "seq", a)),
            member("longCast", 1, 1, |_, a| Ok(Value::Int(int(&a[0])?))),
        ],
        fields: &[],
    },
];

pub(super) const METHODS: &[Method] = &[
    method_of("getName", 0, 0, |_, it, _| {
        Ok(match it {
            Value::Keyword(keyword) => Value::str(keyword.name()),
            Value::Symbol(symbol) => Value::str(symbol.name()),
            Value::Var(var) => Value::str(&var.name),
            other => match other.downcast::<Namespace>() {
                Some(namespace) => Value::symbol(&namespace.name),
                None => Value::Nil,
            },
        })
    }),
    method_of("name", 0, 0, |_, it, _| match it.downcast::<Namespace>() {
        Some(namespace) => Ok(Value::symbol(&namespace.name)),
        None => Ok(Value::str(match it {
            Value::Keyword(keyword) => keyword.name(),
            Value::Symbol(symbol) => symbol.name(),
            _ => "",
        })),
    }),
    method_of("getNamespace", 0, 0, |_, it, _| {
        Ok(match it {
            Value::Keyword(keyword) => keyword.namespace().map(Value::str).into(),
            Value::Symbol(symbol) => symbol.namespace().map(Value::str).into(),
            Value::Var(var) => Value::str(&var.namespace),
            _ => Value::Nil,
        })
    }),
    method_of("sym", 0, 0, |_, it, _| {
        Ok(match it {
            Value::Keyword(keyword) => {
                Value::Symbol(Symbol::new(keyword.namespace(), keyword.name()))
            }
            Value::Var(var) => Value::symbol(&var.name),
            _ => Value::Nil,
        })
    }),
    method_of("ns", 0, 0, |cx, it, _| {
        Ok(match it {
            Value::Var(var) => match cx.rt.namespace(&var.namespace) {
                Some(namespace) => Value::Object(namespace),
                None => Value::Nil,
            },
            _ => Value::Nil,
        })
    }),
    method_of("get", 0, 0, |cx, it, a| super::core_of(cx, "deref", it, a)),
    method_of("isBound", 0, 0, |cx, it, a| {
        super::core_of(cx, "bound?", it, a)
    }),
    method_of("setDynamic", 0, 1, |_, it, _| {
        if let Value::Var(var) = it {
            var.set_dynamic(true);
        }
        Ok(it.clone())
    }),
];
