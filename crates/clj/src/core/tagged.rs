//! Tagged literals as data, and taps: functions that are handed what `tap>` is given.

use std::any::Any;

use parking_lot::Mutex;

use super::native;
use crate::{Cx, Native, Object, Runtime, Value};

pub const NATIVES: &[Native] = &[
    native(
        "tagged-literal",
        "([tag form])",
        "A tag with its form, unread.",
        (2, Some(2)),
        |_, a| {
            Ok(Value::object(Tagged {
                tag: a[0].clone(),
                form: a[1].clone(),
            }))
        },
    ),
    native(
        "tagged-literal?",
        "([value])",
        "True for a tag with its form.",
        (1, Some(1)),
        |_, a| Ok(a[0].downcast::<Tagged>().is_some().into()),
    ),
    native(
        "add-tap",
        "([f])",
        "Has f called with what tap> is given.",
        (1, Some(1)),
        |cx, a| {
            with_taps(cx, |taps| taps.push(a[0].clone()));
            Ok(Value::Nil)
        },
    ),
    native(
        "remove-tap",
        "([f])",
        "Takes a tap off.",
        (1, Some(1)),
        |cx, a| {
            with_taps(cx, |taps| taps.retain(|tap| *tap != a[0]));
            Ok(Value::Nil)
        },
    ),
    native(
        "tap>",
        "([x])",
        "Hands x to the taps.",
        (1, Some(1)),
        |cx, a| {
            let mut all = Vec::new();
            with_taps(cx, |taps| all.clone_from(taps));
            for tap in all {
                // What a tap throws is its own affair, as in Clojure.
                let _ = cx.call(&tap, std::slice::from_ref(&a[0]));
            }
            Ok(Value::Bool(true))
        },
    ),
];

struct Tagged {
    tag: Value,
    form: Value,
}

impl Object for Tagged {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.TaggedLiteral"
    }

    fn print(&self, out: &mut String, readably: bool) {
        out.push('#');
        crate::print::print(&self.tag, out, readably);
        out.push(' ');
        crate::print::print(&self.form, out, readably);
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<Tagged>();
        other.is_some_and(|other| self.tag == other.tag && self.form == other.form)
    }

    fn hash_code(&self) -> Option<u64> {
        Some(super::identity::hash(&self.form) as u64)
    }

    fn get(&self, key: &Value) -> Option<Value> {
        match key {
            Value::Keyword(key) if key.name() == "tag" => Some(self.tag.clone()),
            Value::Keyword(key) if key.name() == "form" => Some(self.form.clone()),
            _ => None,
        }
    }
}

/// The taps of a runtime, the value of a private var.
struct Taps(Mutex<Vec<Value>>);

impl Object for Taps {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.core$taps"
    }
}

const TAPS: &str = "taps*";

/// Defines where taps are kept.
pub(super) fn define(rt: &Runtime) {
    let core = rt.ensure_namespace("clojure.core");
    core.define(TAPS, Value::object(Taps(Mutex::default())));
}

fn with_taps(cx: &Cx<'_>, change: impl FnOnce(&mut Vec<Value>)) {
    let taps = cx
        .rt
        .var("clojure.core", TAPS)
        .and_then(|var| var.root())
        .unwrap_or_default();
    if let Some(taps) = taps.downcast::<Taps>() {
        change(&mut taps.0.lock());
    }
}
