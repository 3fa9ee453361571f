//! let* and loop*.

use super::analyze::Analyzer;
use super::expr::{Expr, Place};
use super::scope::Target;
use crate::{Result, Value};

pub fn let_form(a: &mut Analyzer<'_>, args: &[Value], tail: bool) -> Result<Expr> {
    let (pairs, body) = taken_apart(a, args, "let*")?;
    let mark = a.scope.mark();
    let bindings = bind(a, &pairs)?;
    let body = a.body(body, tail)?;
    a.scope.release(&mark);
    Ok(Expr::Let(bindings, Box::new(body)))
}

pub fn loop_form(a: &mut Analyzer<'_>, args: &[Value]) -> Result<Expr> {
    let (pairs, body) = taken_apart(a, args, "loop*")?;
    let mark = a.scope.mark();
    let bindings = bind(a, &pairs)?;
    let slots = bindings.iter().map(|(slot, _)| *slot).collect();
    let outer = a.scope.current().target.replace(Target::Loop(slots));
    let body = a.body(body, true)?;
    a.scope.current().target = outer;
    a.scope.release(&mark);
    Ok(Expr::Loop(bindings, Box::new(body)))
}

/// The name and form of each binding, and the body.
type Parts<'f> = (Vec<(Value, Value)>, &'f [Value]);

fn taken_apart<'f>(a: &Analyzer<'_>, args: &'f [Value], name: &str) -> Result<Parts<'f>> {
    let [Value::Vector(bindings), body @ ..] = args else {
        return Err(a.error(format!("{name} requires a vector for its binding")));
    };
    if bindings.len() % 2 == 1 {
        return Err(a.error(format!(
            "{name} requires an even number of forms in binding vector"
        )));
    }
    let items: Vec<Value> = bindings.iter().cloned().collect();
    let pairs = items
        .chunks_exact(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect();
    Ok((pairs, body))
}

fn bind(a: &mut Analyzer<'_>, pairs: &[(Value, Value)]) -> Result<Vec<(usize, Expr)>> {
    let mut bindings = Vec::with_capacity(pairs.len());
    for (name, form) in pairs {
        let Value::Symbol(name) = name else {
            return Err(a.error(format!("Bad binding form, expected symbol, got: {name:?}")));
        };
        if name.namespace().is_some() {
            let name = Value::Symbol(name.clone());
            return Err(a.error(format!("Can't let qualified name: {name:?}")));
        }
        let expr = a.expr(form, false)?;
        let slot = a.scope.slot();
        a.scope.bind(name.clone(), Place::Slot(slot));
        bindings.push((slot, expr));
    }
    Ok(bindings)
}
