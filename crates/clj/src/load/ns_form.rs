//! The macros ns and import.

use crate::{Cx, Native, Result, Symbol, Thrown, Value, form, seq};

pub const NATIVES: &[Native] = &[
    Native {
        name: "ns",
        arglists: "([name docstring? attr-map? references*])",
        doc: "Makes a namespace of that name current, and loads and refers to what the references name.",
        arity: (3, None),
        code: ns,
    },
    Native {
        name: "import",
        arglists: "([& import-symbols-or-lists])",
        doc: "Makes the short names of classes known in the current namespace.",
        arity: (2, None),
        code: import,
    },
];

fn ns(_: &Cx<'_>, args: &[Value]) -> Result {
    let Value::Symbol(name) = &args[2] else {
        return Err(Thrown::illegal_argument("ns needs a symbol for its name"));
    };
    let mut meta = name.meta().cloned().unwrap_or_default();
    let mut clauses = &args[3..];
    if let [doc @ Value::Str(_), rest @ ..] = clauses {
        meta.insert(Value::keyword("doc"), doc.clone());
        clauses = rest;
    }
    if let [Value::Map(more), rest @ ..] = clauses {
        for (key, value) in more.iter() {
            meta.insert(key.clone(), value.clone());
        }
        clauses = rest;
    }
    let quoted = form::quote(Value::Symbol(Symbol::new(None, name.name())));
    let mut steps = vec![form::call("in-ns", [quoted.clone()])];
    steps.push(form::call(
        "ns-meta*",
        [quoted, form::quote(Value::Map(meta))],
    ));
    steps.push(refer_core(clauses)?);
    let mut wanted = Vec::new();
    for clause in clauses {
        wanted.extend(step(clause)?);
    }
    steps.extend(each_of(wanted));
    steps.push(Value::Nil);
    Ok(form::special("do", steps))
}

/// A form that takes every step, also after one that throws: whoever goes on after the error then
/// has the rest of the names.
fn each_of(steps: Vec<Value>) -> Option<Value> {
    let mut steps = steps.into_iter().rev();
    let last = steps.next()?;
    Some(steps.fold(last, |rest, step| {
        form::special("try", [step, form::special("finally", [rest])])
    }))
}

/// `(refer 'clojure.core …)` with the filters of a `:refer-clojure` clause.
fn refer_core(clauses: &[Value]) -> Result {
    let core = form::quote(Value::symbol("clojure.core"));
    for clause in clauses {
        if let Some((name, args)) = taken_apart(clause)?
            && name == "refer-clojure"
        {
            let args = args.into_iter().map(form::quote);
            return Ok(form::call("refer", std::iter::once(core).chain(args)));
        }
    }
    Ok(form::call("refer", [core]))
}

fn step(clause: &Value) -> Result<Option<Value>> {
    let Some((name, args)) = taken_apart(clause)? else {
        let message = format!("not a clause of ns: {}", clause.to_readable());
        return Err(Thrown::illegal_argument(message).with_hint("write (:require [a.b :as b])"));
    };
    let quoted = args.into_iter().map(form::quote);
    Ok(match &*name {
        "require" => Some(form::call("require", quoted)),
        "require-macros" | "gen-class" | "refer-clojure" => None,
        "use" => Some(form::call("use", quoted)),
        "import" => Some(form::call("import*", quoted)),
        "refer" => Some(form::call("refer", quoted)),
        "load" => Some(form::call("load", quoted)),
        _ => {
            let message = format!("not a clause of ns: :{name}");
            return Err(Thrown::illegal_argument(message)
                .with_hint("known are :require, :use, :import, :refer and :refer-clojure"));
        }
    })
}

fn taken_apart(clause: &Value) -> Result<Option<(String, Vec<Value>)>> {
    if !clause.is_sequential() {
        return Ok(None);
    }
    let items = seq::to_vec(clause)?;
    Ok(match items.split_first() {
        Some((Value::Keyword(name), args)) => Some((name.name().to_owned(), args.to_vec())),
        Some((Value::Symbol(name), args)) => Some((name.name().to_owned(), args.to_vec())),
        _ => None,
    })
}

fn import(_: &Cx<'_>, args: &[Value]) -> Result {
    let unquoted = |arg: &Value| match form::items(arg).as_deref() {
        Some([head, quoted]) if *head == Value::symbol("quote") => quoted.clone(),
        _ => arg.clone(),
    };
    let args = args[2..].iter().map(|arg| form::quote(unquoted(arg)));
    Ok(form::call("import*", args))
}
