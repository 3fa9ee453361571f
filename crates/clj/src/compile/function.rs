//! fn* and letfn*.

use std::sync::Arc;

use super::analyze::Analyzer;
use super::closure::{Group, Method, Template};
use super::expr::{Expr, FnExpr, Place};
use super::scope::Target;
use super::{last_use, lower, symbol_of};
use crate::{Map, Result, Symbol, Value, form};

/// `(fn* name? [parameters] body…)` or `(fn* name? ([parameters] body…) …)`.
pub fn fn_form(a: &mut Analyzer<'_>, items: &[Value], form: &Value) -> Result<Expr> {
    let (name, arities) = match items.get(1).and_then(symbol_of) {
        Some(name) => (Some(name.clone()), &items[2..]),
        None => (None, &items[1..]),
    };
    let title = title(a, name.as_ref());
    a.scope.enter(title.clone());
    let siblings: Vec<Symbol> = name.into_iter().collect();
    let template = template(a, title, &siblings, arities);
    let captures = a.scope.leave();
    let group = Arc::new(Group {
        functions: vec![template?],
    });
    Ok(Expr::Fn(FnExpr {
        group,
        index: 0,
        captures,
        meta: form_meta(form),
    }))
}

/// `(letfn* [name (fn* …) …] body…)`
pub fn letfn(a: &mut Analyzer<'_>, args: &[Value], tail: bool) -> Result<Expr> {
    let [Value::Vector(bindings), body @ ..] = args else {
        return Err(a.error("letfn* requires a vector for its binding"));
    };
    let items: Vec<Value> = bindings.iter().cloned().collect();
    let names: Vec<Symbol> = items
        .iter()
        .step_by(2)
        .filter_map(symbol_of)
        .cloned()
        .collect();
    if names.len() * 2 != items.len() {
        return Err(a.error("letfn* requires a name and a function, pair by pair"));
    }
    a.scope.enter("letfn".into());
    let functions = siblings(a, &names, &items);
    let captures = a.scope.leave();
    let group = Arc::new(Group {
        functions: functions?,
    });
    let mark = a.scope.mark();
    let mut made = Vec::with_capacity(names.len());
    for (index, name) in names.into_iter().enumerate() {
        let slot = a.scope.slot();
        a.scope.bind(name, Place::Slot(slot));
        let function = FnExpr {
            group: group.clone(),
            index,
            captures: captures.clone(),
            meta: None,
        };
        made.push((slot, function));
    }
    let body = a.body(body, tail)?;
    a.scope.release(&mark);
    Ok(Expr::LetFn(made, Box::new(body)))
}

fn siblings(a: &mut Analyzer<'_>, names: &[Symbol], items: &[Value]) -> Result<Vec<Template>> {
    let mut functions = Vec::with_capacity(names.len());
    for (name, function) in names.iter().zip(items.iter().skip(1).step_by(2)) {
        let expanded = expanded(a, function)?;
        let items = form::items(&expanded).unwrap_or_default();
        if items.first() != Some(&Value::symbol("fn*")) {
            return Err(a.error("letfn* binds functions only"));
        }
        let named = items.get(1).and_then(symbol_of).is_some();
        let arities = &items[if named { 2 } else { 1 }..];
        let title = format!("{}/{}", a.namespace.name, name.name());
        functions.push(template(a, title, names, arities)?);
    }
    Ok(functions)
}

fn expanded(a: &mut Analyzer<'_>, form: &Value) -> Result {
    let mut form = form.clone();
    while let Some(next) = a.expand(&form)? {
        form = next;
    }
    Ok(form)
}

/// What errors call the function.
fn title(a: &mut Analyzer<'_>, name: Option<&Symbol>) -> String {
    let hint = a.name_hint.take();
    match (hint, name) {
        (Some(hint), _) => hint,
        (None, Some(name)) => format!("{}/{}", a.namespace.name, name.name()),
        (None, None) => format!("{}/fn", a.namespace.name),
    }
}

/// The code of one function; `siblings` are the names of the functions of its group.
fn template(
    a: &mut Analyzer<'_>,
    title: String,
    siblings: &[Symbol],
    arities: &[Value],
) -> Result<Template> {
    let mut methods: Vec<Method> = Vec::new();
    if let Some(Value::Vector(_)) = arities.first() {
        methods.push(method(a, siblings, arities)?);
    } else {
        for arity in arities {
            let place = a.enter(arity);
            let items = form::items(arity).unwrap_or_default();
            let method = method(a, siblings, &items)?;
            a.span = place;
            let clash = methods.iter().any(|known| match (known.rest, method.rest) {
                (None, None) => known.fixed == method.fixed,
                (Some(_), Some(_)) => true,
                _ => false,
            });
            if clash {
                return Err(a.error("Can't have 2 overloads with same arity"));
            }
            methods.push(method);
        }
        methods.sort_by_key(|method| method.rest.is_some());
    }
    if methods.is_empty() {
        return Err(a.error("A function needs a vector of parameters"));
    }
    Ok(Template {
        name: title.into(),
        methods,
    })
}

fn method(a: &mut Analyzer<'_>, siblings: &[Symbol], items: &[Value]) -> Result<Method> {
    let Some(Value::Vector(parameters)) = items.first() else {
        let shown = items.first().cloned().unwrap_or_default();
        return Err(a.error(format!(
            "Parameter declaration {shown:?} should be a vector"
        )));
    };
    a.scope.restart();
    for (index, name) in siblings.iter().enumerate() {
        a.scope.bind(name.clone(), Place::Sibling(index));
    }
    let parameters: Vec<Value> = parameters.iter().cloned().collect();
    let (fixed, rest) = bind_parameters(a, &parameters)?;
    let count = fixed + usize::from(rest.is_some());
    a.scope.current().target = Some(Target::Head(count));
    let mut body = a.body(&items[1..], true)?;
    let mut slots = a.scope.slots_max();
    let moved = last_use::mark(&mut body, fixed, &mut slots);
    let recurs = a.scope.current().recurs;
    Ok(Method {
        fixed,
        rest,
        slots,
        moved,
        recurs,
        body: lower::lower(body),
    })
}

/// The number of fixed parameters and the slot of the rest.
fn bind_parameters(a: &mut Analyzer<'_>, parameters: &[Value]) -> Result<(usize, Option<usize>)> {
    let ampersand = Value::symbol("&");
    let fixed = parameters
        .iter()
        .position(|name| *name == ampersand)
        .unwrap_or(parameters.len());
    for (index, parameter) in parameters[..fixed].iter().enumerate() {
        let name = parameter_name(a, parameter)?;
        a.scope.bind(name, Place::Argument(index));
    }
    let rest = match &parameters[fixed..] {
        [] => None,
        [_, rest] => {
            let name = parameter_name(a, rest)?;
            let slot = a.scope.slot();
            a.scope.bind(name, Place::Slot(slot));
            Some(slot)
        }
        _ => return Err(a.error("Unexpected parameter: one name follows &")),
    };
    Ok((fixed, rest))
}

fn parameter_name(a: &Analyzer<'_>, parameter: &Value) -> Result<Symbol> {
    match symbol_of(parameter) {
        Some(name) if name.namespace().is_none() => Ok(name.clone()),
        Some(_) => Err(a.error(format!(
            "Can't use qualified name as parameter: {parameter:?}"
        ))),
        None => Err(a.error(format!("fn params must be Symbols, not {parameter:?}"))),
    }
}

fn form_meta(form: &Value) -> Option<Map> {
    match form {
        Value::List(list) => list.meta.clone(),
        _ => None,
    }
}
