//! fn, in terms of fn*: parameters taken apart, conditions before and after.

use std::sync::Arc;

use super::destructure::destructured;
use crate::list::Cells;
use crate::{Cx, List, Map, Result, Thrown, Value, form};

pub fn fn_macro(cx: &Cx<'_>, args: &[Value]) -> Result {
    let mut rest = &args[2..];
    let mut out = vec![Value::symbol("fn*")];
    if let [name @ Value::Symbol(_), more @ ..] = rest {
        out.push(name.clone());
        rest = more;
    }
    match rest.first() {
        Some(Value::Vector(_)) => out.extend(arity(cx, rest)?),
        Some(Value::List(_) | Value::Lazy(_)) => {
            for form in rest {
                let items = form::items(form).unwrap_or_default();
                out.push(placed(arity(cx, &items)?, form));
            }
        }
        _ => {
            return Err(Thrown::illegal_argument("fn needs a vector of parameters")
                .with_hint("write (fn [x] …)"));
        }
    }
    Ok(placed(out, &args[0]))
}

/// Parameters and body of one arity, with nothing but names as parameters.
pub fn arity(cx: &Cx<'_>, items: &[Value]) -> Result<Vec<Value>> {
    let Some((Value::Vector(parameters), body)) = items.split_first() else {
        let shown = items.first().cloned().unwrap_or_default();
        return Err(Thrown::illegal_argument(format!(
            "Parameter declaration {} should be a vector",
            shown.to_readable()
        )));
    };
    let body = match body {
        [Value::Map(conditions), forms @ ..] if !forms.is_empty() && is_conditions(conditions) => {
            conditioned(conditions, forms)?
        }
        _ => body.to_vec(),
    };
    let (mut names, mut patterns) = (Vec::new(), Vec::new());
    for parameter in parameters.iter() {
        match parameter {
            Value::Vector(_) | Value::Map(_) => {
                let name = Value::Symbol(cx.rt.gensym("p__"));
                patterns.push((parameter.clone(), name.clone()));
                names.push(name);
            }
            _ => names.push(parameter.clone()),
        }
    }
    let mut out = vec![Value::vector(names)];
    if patterns.is_empty() {
        out.extend(body);
    } else {
        let bindings = Value::vector(destructured(cx, &patterns)?);
        out.push(form::special("let*", std::iter::once(bindings).chain(body)));
    }
    Ok(out)
}

fn is_conditions(map: &Map) -> bool {
    map.get_keyword("pre").is_some() || map.get_keyword("post").is_some()
}

/// The body with `:pre` asserted before it, and `:post` after it of its value `%`.
fn conditioned(conditions: &Map, forms: &[Value]) -> Result<Vec<Value>> {
    let asserts = |key: &str| -> Result<Vec<Value>> {
        let tests = match conditions.get_keyword(key) {
            Some(tests) => crate::seq::to_vec(tests)?,
            None => Vec::new(),
        };
        Ok(tests
            .into_iter()
            .map(|test| form::call("assert", [test]))
            .collect())
    };
    let mut out = asserts("pre")?;
    let after = asserts("post")?;
    if after.is_empty() {
        out.extend_from_slice(forms);
        return Ok(out);
    }
    let result = Value::symbol("%");
    let value = match forms {
        [form] => form.clone(),
        _ => form::special("do", forms.iter().cloned()),
    };
    let body = std::iter::once(Value::vector(vec![result.clone(), value]))
        .chain(after)
        .chain([result]);
    out.push(form::special("let*", body));
    Ok(out)
}

/// The items as a list at the place, and with the metadata, of another.
pub fn placed(items: Vec<Value>, original: &Value) -> Value {
    let (span, meta) = match original {
        Value::List(list) => (list.span.clone(), list.meta.clone()),
        _ => (None, None),
    };
    let cells = Cells::Array {
        items: items.into(),
        from: 0,
    };
    Value::List(Arc::new(List { cells, meta, span }))
}
