//! let and loop, in terms of let* and loop*.

use super::destructure::destructured;
use crate::{Cx, Result, Thrown, Value, form};

pub fn let_macro(cx: &Cx<'_>, args: &[Value]) -> Result {
    let pairs = pairs("let", &args[2..])?;
    let bindings = destructured(cx, &pairs)?;
    let body = args[3..].iter().cloned();
    Ok(form::special(
        "let*",
        std::iter::once(Value::vector(bindings)).chain(body),
    ))
}

/// The initial values are taken apart once for later ones to refer to, and at each turn.
pub fn loop_macro(cx: &Cx<'_>, args: &[Value]) -> Result {
    let pairs = pairs("loop", &args[2..])?;
    let body = args[3..].iter().cloned();
    if pairs
        .iter()
        .all(|(pattern, _)| matches!(pattern, Value::Symbol(_)))
    {
        let rest = std::iter::once(args[2].clone()).chain(body);
        return Ok(form::special("loop*", rest));
    }
    let (mut outer, mut turns, mut inner) = (Vec::new(), Vec::new(), Vec::new());
    for (pattern, init) in pairs {
        if let Value::Symbol(_) = pattern {
            outer.extend([pattern.clone(), init]);
            turns.extend([pattern.clone(), pattern]);
            continue;
        }
        let name = Value::Symbol(cx.rt.gensym("vec__"));
        outer.extend([name.clone(), init, pattern.clone(), name.clone()]);
        turns.extend([name.clone(), name.clone()]);
        inner.extend([pattern, name]);
    }
    let body = form::call("let", std::iter::once(Value::vector(inner)).chain(body));
    let turns = form::special("loop*", [Value::vector(turns), body]);
    Ok(form::call("let", [Value::vector(outer), turns]))
}

/// Patterns and the forms they are bound to.
pub fn pairs(name: &str, args: &[Value]) -> Result<Vec<(Value, Value)>> {
    let Some(Value::Vector(bindings)) = args.first() else {
        return Err(
            Thrown::illegal_argument(format!("{name} requires a vector for its binding"))
                .with_hint(format!("write ({name} [name value …] …)")),
        );
    };
    if bindings.len() % 2 == 1 {
        let message = format!("{name} requires an even number of forms in binding vector");
        return Err(Thrown::illegal_argument(message).with_hint("a name has no value"));
    }
    let items: Vec<Value> = bindings.iter().cloned().collect();
    Ok(items
        .chunks_exact(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect())
}
