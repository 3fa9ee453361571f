//! Functions that `clojure/test.clj` stands on, defined in its namespace.

use super::Collector;
use crate::core::native;
use crate::{Exception, Native, Span, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "collect!",
        "([event contexts])",
        "Hands an event of the run to the program, if it runs the tests.",
        (2, Some(2)),
        |cx, a| {
            let collector = cx
                .rt
                .var(super::NAMESPACE, "*collector*")
                .and_then(|var| var.get());
            if let Some(collector) = collector.as_ref().and_then(Value::downcast::<Collector>) {
                collector.note(&a[0], &a[1])?;
            }
            Ok(Value::Nil)
        },
    ),
    native(
        "form-location",
        "([& forms])",
        "The file and line of the first form that knows them.",
        (0, None),
        |_, a| {
            Ok(a.iter()
                .find_map(span)
                .map(|span| place(&span))
                .unwrap_or_default())
        },
    ),
    native(
        "exception-location",
        "([e])",
        "The file and line that an exception was thrown from, nil if unknown.",
        (1, Some(1)),
        |_, a| {
            let exception = a[0].downcast::<Exception>();
            let first = exception.and_then(|e| e.trace.lock().first().map(|at| at.span.clone()));
            Ok(first.map(|span| place(&span)).unwrap_or_default())
        },
    ),
    native(
        "var-namespace",
        "([v])",
        "The name of a var's namespace.",
        (1, Some(1)),
        |_, a| {
            Ok(match &a[0] {
                Value::Var(var) => Value::symbol(&var.namespace),
                _ => Value::Nil,
            })
        },
    ),
    native(
        "in-order",
        "([vars])",
        "Vars in the order of the file and line they are defined at.",
        (1, Some(1)),
        |_, a| {
            let mut vars = seq::to_vec(&a[0])?;
            vars.sort_by_cached_key(|var| match var {
                Value::Var(var) => {
                    let meta = var.meta();
                    let file = meta
                        .get_keyword("file")
                        .map(Value::to_text)
                        .unwrap_or_default();
                    let number = |name| meta.get_keyword(name).and_then(Value::as_i64);
                    (file, number("line"), number("column"), var.name.to_string())
                }
                _ => (String::new(), None, None, String::new()),
            });
            Ok(Value::list(vars))
        },
    ),
];

fn span(form: &Value) -> Option<Span> {
    match form {
        Value::List(list) => list.span.clone(),
        Value::Symbol(symbol) => symbol.span().cloned(),
        _ => None,
    }
}

/// `{:file … :line …}`, the file without its folders.
fn place(span: &Span) -> Value {
    let file = span
        .file
        .rsplit_once('/')
        .map_or(&*span.file, |(_, name)| name);
    Value::map([
        (Value::keyword("file"), Value::str(file)),
        (Value::keyword("line"), Value::Int(i64::from(span.line))),
    ])
}
