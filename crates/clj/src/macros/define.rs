//! defn, defn-, defmacro.

use crate::{Cx, Map, Result, Symbol, Thrown, Value, form};

pub fn defn(_: &Cx<'_>, args: &[Value]) -> Result {
    definition("defn", args, Kind::Public)
}

pub fn defn_private(_: &Cx<'_>, args: &[Value]) -> Result {
    definition("defn-", args, Kind::Private)
}

pub fn defmacro(_: &Cx<'_>, args: &[Value]) -> Result {
    definition("defmacro", args, Kind::Macro)
}

#[derive(PartialEq)]
enum Kind {
    Public,
    Private,
    Macro,
}

fn definition(macro_name: &str, args: &[Value], kind: Kind) -> Result {
    let Some(Value::Symbol(name)) = args.get(2) else {
        let message = format!("First argument to {macro_name} must be a symbol");
        return Err(Thrown::illegal_argument(message));
    };
    let mut meta = name.meta().cloned().unwrap_or_default();
    let mut rest = &args[3..];
    if let [doc @ Value::Str(_), more @ ..] = rest
        && !more.is_empty()
    {
        meta.insert(Value::keyword("doc"), doc.clone());
        rest = more;
    }
    if let [Value::Map(attributes), more @ ..] = rest {
        merge(&mut meta, attributes);
        rest = more;
    }
    let mut arities: Vec<Value> = match rest.first() {
        Some(Value::Vector(_)) => vec![Value::list(rest.to_vec())],
        Some(Value::List(_) | Value::Lazy(_)) => rest.to_vec(),
        _ => {
            let message = "Parameter declaration missing";
            return Err(Thrown::illegal_argument(message).with_hint(format!(
                "write ({macro_name} {} [parameters] …)",
                name.name()
            )));
        }
    };
    if let Some(Value::Map(attributes)) = arities.last() {
        merge(&mut meta, &attributes.clone());
        arities.pop();
    }
    meta.insert(Value::keyword("arglists"), form::quote(arglists(&arities)));
    match kind {
        Kind::Public => {}
        Kind::Private => meta.insert(Value::keyword("private"), Value::Bool(true)),
        Kind::Macro => {
            meta.insert(Value::keyword("macro"), Value::Bool(true));
            arities = arities.iter().map(with_hidden_parameters).collect();
        }
    }
    let plain = Symbol::new(None, name.name());
    let plain = match name.span() {
        Some(span) => plain.with_span(span.clone()),
        None => plain,
    };
    let function = form::call("fn", arities);
    Ok(form::special(
        "def",
        [Value::Symbol(plain.with_meta(Some(meta))), function],
    ))
}

fn merge(meta: &mut Map, more: &Map) {
    for (key, value) in more.iter() {
        meta.insert(key.clone(), value.clone());
    }
}

fn arglists(arities: &[Value]) -> Value {
    let parameters = arities
        .iter()
        .filter_map(|arity| form::items(arity)?.into_iter().next());
    Value::list(parameters.collect())
}

/// A macro's function also takes the whole form and the locals in sight.
fn with_hidden_parameters(arity: &Value) -> Value {
    let items = form::items(arity).unwrap_or_default();
    let Some((Value::Vector(parameters), body)) = items.split_first() else {
        return arity.clone();
    };
    let hidden = [Value::symbol("&form"), Value::symbol("&env")];
    let parameters = hidden
        .into_iter()
        .chain(parameters.iter().cloned())
        .collect();
    let items = std::iter::once(Value::vector(parameters))
        .chain(body.iter().cloned())
        .collect();
    super::function::placed(items, arity)
}
