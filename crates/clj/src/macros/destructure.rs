//! Taking values apart by patterns: `[a & more :as all]`, `{:keys [a] :or {a 1}}`.

use crate::{Cx, Keyword, Map, Native, Result, Symbol, Thrown, Value, Vector, form, seq};

pub const NATIVES: &[Native] = &[
    Native {
        name: "seq-to-map-for-destructuring",
        arglists: "([s])",
        doc: "The map that a sequence of keys and values spells, perhaps with a map at its end.",
        arity: (1, Some(1)),
        code: sequence_to_map,
    },
    Native {
        name: "destructure",
        arglists: "([bindings])",
        doc: "The plain bindings that say the same as bindings with patterns.",
        arity: (1, Some(1)),
        code: |cx, args| {
            let items = seq::to_vec(&args[0])?;
            let pairs: Vec<(Value, Value)> = items
                .chunks_exact(2)
                .map(|pair| (pair[0].clone(), pair[1].clone()))
                .collect();
            destructured(cx, &pairs).map(Value::vector)
        },
    },
];

/// Plain bindings, name and form in turn, that do what the patterns say.
///
/// # Errors
/// `Unsupported binding form` for what is no pattern.
pub fn destructured(cx: &Cx<'_>, pairs: &[(Value, Value)]) -> Result<Vec<Value>> {
    let mut out = Vec::with_capacity(pairs.len() * 2);
    for (pattern, init) in pairs {
        bind(cx, &mut out, pattern, init.clone())?;
    }
    Ok(out)
}

fn bind(cx: &Cx<'_>, out: &mut Vec<Value>, pattern: &Value, init: Value) -> Result<()> {
    match pattern {
        Value::Symbol(_) => {
            out.extend([pattern.clone(), init]);
            Ok(())
        }
        Value::Vector(items) => bind_sequence(cx, out, items, init),
        Value::Map(map) => bind_map(cx, out, map, init),
        _ => Err(Thrown::illegal_argument(format!(
            "Unsupported binding form: {}",
            pattern.to_readable()
        ))
        .with_hint("a name, a vector or a map is bound")),
    }
}

fn bind_sequence(cx: &Cx<'_>, out: &mut Vec<Value>, items: &Vector, init: Value) -> Result<()> {
    let whole = Value::Symbol(cx.rt.gensym("vec__"));
    out.extend([whole.clone(), init]);
    let items: Vec<Value> = items.iter().cloned().collect();
    let mut rest = &items[..];
    let mut index = 0;
    while let Some((item, more)) = rest.split_first() {
        if *item == Value::symbol("&") {
            let [pattern, more @ ..] = more else {
                return Err(unfinished("&"));
            };
            let tail = form::call("nthnext", [whole.clone(), Value::Int(index)]);
            bind(cx, out, pattern, tail)?;
            rest = more;
        } else if *item == Value::keyword("as") {
            let [name, more @ ..] = more else {
                return Err(unfinished(":as"));
            };
            bind(cx, out, name, whole.clone())?;
            rest = more;
        } else {
            let element = form::call("nth", [whole.clone(), Value::Int(index), Value::Nil]);
            bind(cx, out, item, element)?;
            index += 1;
            rest = more;
        }
    }
    Ok(())
}

fn unfinished(marker: &str) -> Thrown {
    Thrown::illegal_argument(format!(
        "Unsupported binding form: nothing follows {marker}"
    ))
}

fn bind_map(cx: &Cx<'_>, out: &mut Vec<Value>, pattern: &Map, init: Value) -> Result<()> {
    let whole = Value::Symbol(cx.rt.gensym("map__"));
    out.extend([whole.clone(), init]);
    let as_map = form::call("seq-to-map-for-destructuring", [whole.clone()]);
    let is_seq = form::call("seq?", [whole.clone()]);
    out.extend([
        whole.clone(),
        form::special("if", [is_seq, as_map, whole.clone()]),
    ]);
    if let Some(name) = pattern.get_keyword("as") {
        bind(cx, out, name, whole.clone())?;
    }
    let defaults = match pattern.get_keyword("or") {
        Some(Value::Map(defaults)) => defaults.clone(),
        _ => Map::default(),
    };
    for (key, value) in pattern.iter() {
        match key {
            Value::Keyword(key) if matches!(key.name(), "keys" | "strs" | "syms") => {
                for name in seq::to_vec(value)? {
                    let (local, lookup) = named(key, &name)?;
                    let init = looked_up(&whole, lookup, &local, &defaults);
                    out.extend([Value::Symbol(local), init]);
                }
            }
            Value::Keyword(key) if matches!(key.name(), "as" | "or") => {}
            Value::Symbol(local) => {
                let init = looked_up(&whole, value.clone(), local, &defaults);
                out.extend([key.clone(), init]);
            }
            _ => {
                let init = form::call("get", [whole.clone(), value.clone()]);
                bind(cx, out, key, init)?;
            }
        }
    }
    Ok(())
}

/// The local and the key of one name under `:keys`, `:strs` or `:syms`.
fn named(group: &Keyword, name: &Value) -> Result<(Symbol, Value)> {
    let (namespace, name, symbol) = match name {
        Value::Symbol(symbol) => (symbol.namespace(), symbol.name(), Some(symbol)),
        Value::Keyword(keyword) => (keyword.namespace(), keyword.name(), None),
        _ => {
            let message = format!("Unsupported binding form: {}", name.to_readable());
            return Err(Thrown::illegal_argument(message));
        }
    };
    let namespace = namespace.or(group.namespace());
    let lookup = match group.name() {
        "keys" => Value::Keyword(Keyword::new(namespace, name)),
        "strs" => Value::str(name),
        _ => form::quote(Value::Symbol(Symbol::new(namespace, name))),
    };
    let local = Symbol::new(None, name);
    let local = match symbol.and_then(Symbol::span) {
        Some(span) => local.with_span(span.clone()),
        None => local,
    };
    Ok((local, lookup))
}

fn looked_up(whole: &Value, key: Value, local: &Symbol, defaults: &Map) -> Value {
    let default = defaults.get(&Value::Symbol(Symbol::new(None, local.name())));
    form::call(
        "get",
        [whole.clone(), key].into_iter().chain(default.cloned()),
    )
}

fn sequence_to_map(_: &Cx<'_>, args: &[Value]) -> Result {
    let items = seq::to_vec(&args[0])?;
    if let [map @ (Value::Map(_) | Value::Event(_))] = &items[..] {
        return Ok(map.clone());
    }
    let mut map = Map::default();
    for pair in items.chunks(2) {
        match pair {
            [key, value] => map.insert(key.clone(), value.clone()),
            [Value::Map(more)] => {
                for (key, value) in more.iter() {
                    map.insert(key.clone(), value.clone());
                }
            }
            _ => {
                return Err(Thrown::illegal_argument(format!(
                    "No value supplied for key: {}",
                    pair[0].to_readable()
                )));
            }
        }
    }
    Ok(Value::Map(map))
}
