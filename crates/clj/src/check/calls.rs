//! Calls that are certain to throw when they run, and definitions that hide others.

use std::sync::Arc;

use super::{Checks, Warning};
use crate::compile::analyze::Analyzer;
use crate::compile::closure::Closure;
use crate::compile::names::Resolved;
use crate::{Cx, Span, Symbol, Thrown, Value, Var, diagnostics, form, java};

/// Looks at a call as it was written.
pub fn call(a: &mut Analyzer<'_>, items: &[Value], span: &Span) {
    let Some((Value::Symbol(head), args)) = items.split_first() else {
        return;
    };
    if a.scope.find(head).is_some() {
        return;
    }
    let mut found = Vec::new();
    if head.namespace().is_none() && head.name() == "def" {
        found.extend(args.first().and_then(|name| hides(a, name)));
    }
    let thrown = match a.lookup(head) {
        Some(var) => {
            found.extend(hidden(a, &var, args));
            if let Some(examination) = &a.examination {
                found.extend((examination.checks.review)(&var, items));
            }
            wrong_count(&var, args.len())
        }
        None => match a.resolve(head) {
            Ok(Resolved::Static(class, member)) => java::missing(&class, &member, args.len()),
            _ => None,
        },
    };
    let Some(examination) = &mut a.examination else {
        return;
    };
    examination
        .errors
        .extend(thrown.map(|it| it.at(span.clone(), None)));
    examination
        .warnings
        .extend(found.into_iter().map(|remark| Warning {
            span: remark.span.unwrap_or_else(|| span.clone()),
            message: remark.message,
            hint: remark.hint,
        }));
}

/// Looks at `Class/NAME` where it is not called.
pub fn field(a: &mut Analyzer<'_>, symbol: &Symbol) {
    if symbol.namespace().is_none() || a.lookup(symbol).is_some() {
        return;
    }
    let Ok(Resolved::Static(class, member)) = a.resolve(symbol) else {
        return;
    };
    if java::static_field(&class, &member).is_some() || !java::is_known(&class) {
        return;
    }
    let thrown = java::no_field(&class, &member).at(a.span_of(symbol), None);
    if let Some(examination) = &mut a.examination {
        examination.errors.push(thrown);
    }
}

/// What is noticed about a call; its place where it is not that of the call.
#[derive(Clone, Debug, Default)]
pub struct Remark {
    pub span: Option<Span>,
    pub message: String,
    pub hint: Option<String>,
}

/// The error of a call with a number of arguments that the function does not take.
fn wrong_count(var: &Arc<Var>, count: usize) -> Option<Thrown> {
    let Some(Value::Fn(function)) = var.root().filter(|_| !var.is_dynamic()) else {
        return None;
    };
    let hidden = if var.is_macro() { 2 } else { 0 };
    let given = count + hidden;
    let taken = if let Some((fewest, most)) = function.arity() {
        given >= fewest && most.is_none_or(|most| given <= most)
    } else if let Some(closure) = function.as_any().downcast_ref::<Closure>() {
        let mut methods = closure.template().methods.iter();
        methods.any(|method| match method.rest {
            Some(_) => given >= method.fixed,
            None => given == method.fixed,
        })
    } else {
        true
    };
    if taken {
        return None;
    }
    let thrown = Thrown::arity(count, &format!("{}/{}", var.namespace, var.name));
    Some(match takes(var) {
        Some(hint) => thrown.with_hint(hint),
        None => thrown,
    })
}

/// `rate takes [interval & children]`, from what the var says of itself.
fn takes(var: &Var) -> Option<String> {
    let meta = var.meta();
    let arglists = match meta.get_keyword("arglists")? {
        Value::Str(text) => text.to_string(),
        lists => lists.to_readable(),
    };
    let inner = arglists.trim_start_matches('(').trim_end_matches(')');
    if inner.is_empty() {
        return None;
    }
    Some(format!(
        "{} takes {}",
        var.name,
        inner.replace("] [", "] or [")
    ))
}

/// An exception that a builder threw at its arguments, with what it takes.
pub fn explained(cx: &Cx<'_>, checks: Checks, form: &Value, thrown: Thrown) -> Thrown {
    const OF_ARGUMENTS: &[&str] = &[
        "java.lang.AssertionError",
        "java.lang.ClassCastException",
        "java.lang.IllegalArgumentException",
        "java.lang.NullPointerException",
    ];
    if thrown.hint().is_some() || !OF_ARGUMENTS.contains(&thrown.class()) {
        return thrown;
    }
    let namespace = cx.rt.current_namespace();
    let place = thrown.trace().iter().map(|frame| &frame.span);
    let head = place
        .filter(|span| span.file.as_ref() == file_of(form))
        .find_map(|span| head_at(form, span));
    let var = head.and_then(|head| match head.namespace() {
        None => namespace.find(head.name()),
        Some(other) => crate::compile::names::aliased(cx.rt, &namespace, other)?.find(head.name()),
    });
    let Some(takes) = var
        .filter(|var| (checks.is_builder)(var))
        .and_then(|var| takes(&var))
    else {
        return thrown;
    };
    let diagnostic = diagnostics::diagnose(&thrown);
    match diagnostic.hint {
        Some(remedy) => thrown.with_hint(format!("{remedy}; {takes}")),
        None => thrown.with_hint(takes),
    }
}

fn file_of(form: &Value) -> &str {
    match form {
        Value::List(list) => list.span.as_ref().map_or("", |span| &span.file),
        _ => "",
    }
}

/// The head of the call at a place of a form.
fn head_at(form: &Value, span: &Span) -> Option<Symbol> {
    let items = match form {
        Value::List(list) => {
            let items = form::items(form)?;
            if list.span.as_ref() == Some(span)
                && let Some(Value::Symbol(head)) = items.first()
            {
                return Some(head.clone());
            }
            items
        }
        Value::Vector(vector) => vector.iter().cloned().collect(),
        Value::Map(map) => map.iter().map(|(_, value)| value.clone()).collect(),
        _ => return None,
    };
    items.iter().find_map(|item| head_at(item, span))
}

/// A definition of a name that meant something else here.
fn hidden(a: &Analyzer<'_>, definer: &Var, args: &[Value]) -> Option<Remark> {
    let defines = matches!(
        &*definer.name,
        "defn" | "defn-" | "defmacro" | "defonce" | "defmulti"
    );
    if !defines || *definer.namespace != *"clojure.core" {
        return None;
    }
    hides(a, args.first()?)
}

/// The remark on a symbol that a definition takes from another namespace.
fn hides(a: &Analyzer<'_>, symbol: &Value) -> Option<Remark> {
    let Value::Symbol(symbol) = symbol else {
        return None;
    };
    let other = a.namespace.find(symbol.name())?;
    if other.namespace == a.namespace.name {
        return None;
    }
    let (name, namespace) = (symbol.name(), &other.namespace);
    Some(Remark {
        span: symbol.span().cloned(),
        message: format!("{name} hides {namespace}/{name} in what follows"),
        hint: Some(format!(
            "choose another name, or write {namespace}/{name} where that is meant"
        )),
    })
}
