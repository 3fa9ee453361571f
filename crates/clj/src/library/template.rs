//! `clojure.template`: an expression with other things in place of some of its symbols.

use super::walk::replace_all;
use crate::core::native;
use crate::{Cx, Map, Native, Result, Value, form, seq};

pub const NATIVES: &[Native] = &[native(
    "apply-template",
    "([argv expr values])",
    "The expression with each symbol of argv replaced by the value at its place.",
    (3, Some(3)),
    |_, a| apply(&a[0], &a[1], &seq::to_vec(&a[2])?),
)];

pub const MACROS: &[Native] = &[native(
    "do-template",
    "([argv expr & values])",
    "Evaluates the expression once for as many values as argv has symbols, and again for the next.",
    (4, None),
    do_template,
)];

fn apply(names: &Value, expr: &Value, values: &[Value]) -> Result {
    let names = seq::to_vec(names)?;
    let replacements: Map = names.into_iter().zip(values.iter().cloned()).collect();
    replace_all(&Value::Map(replacements), expr.clone())
}

fn do_template(_: &Cx<'_>, args: &[Value]) -> Result {
    let (names, expr, values) = (&args[2], &args[3], &args[4..]);
    let len = seq::to_vec(names)?.len().max(1);
    let bodies = values
        .chunks_exact(len)
        .map(|values| apply(names, expr, values));
    Ok(form::special("do", bodies.collect::<Result<Vec<_>>>()?))
}
