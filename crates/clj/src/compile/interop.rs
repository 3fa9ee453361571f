//! Forms that name Java's things.

use std::sync::Arc;

use super::analyze::Analyzer;
use super::expr::Expr;
use super::names::resolve_class;
use super::symbol_of;
use crate::list::Cells;
use crate::{List, Result, Symbol, Thrown, Value, form};

/// `(.method target …)` as `(. target method …)`, and `(Class. …)` as `(new Class …)`.
pub fn rewrite(head: &Symbol, call: &Value) -> Result<Option<Value>> {
    let name = head.name();
    if let Some(method) = name.strip_prefix('.')
        && head.namespace().is_none()
        && !method.is_empty()
        && !method.starts_with('.')
    {
        let items = form::items(call).unwrap_or_default();
        let Some(target) = items.get(1) else {
            let message = "Malformed member expression, expecting (.member target ...)";
            return Err(Thrown::illegal_argument(message));
        };
        let start = [target.clone(), Value::Symbol(Symbol::new(None, method))];
        let rest = items[2..].iter().cloned();
        let dotted = form::special(".", start.into_iter().chain(rest));
        return Ok(Some(placed(dotted, call)));
    }
    if let Some(class) = name.strip_suffix('.')
        && head.namespace().is_none()
        && !class.is_empty()
        && !class.ends_with('.')
    {
        let class = Symbol::new(None, class);
        let class = match head.span() {
            Some(span) => class.with_span(span.clone()),
            None => class,
        };
        let items = form::items(call).unwrap_or_default();
        let arguments = std::iter::once(Value::Symbol(class)).chain(items[1..].iter().cloned());
        return Ok(Some(placed(form::special("new", arguments), call)));
    }
    Ok(None)
}

/// `(new Class args…)`
pub fn new(a: &mut Analyzer<'_>, args: &[Value]) -> Result<Expr> {
    let Some(symbol) = args.first().and_then(symbol_of) else {
        return Err(a.error("new needs the name of a class"));
    };
    let span = a.span.clone();
    let class = class_named(a, symbol).ok_or_else(|| unknown_class(a, symbol))?;
    let args = a.all(&args[1..])?;
    Ok(Expr::New(class, args, span))
}

/// `(. target member args…)` and `(. target (member args…))`; the target may be a class.
pub fn dot(a: &mut Analyzer<'_>, args: &[Value]) -> Result<Expr> {
    let [target, member, rest @ ..] = args else {
        return Err(a.error("Malformed member expression, expecting (. target member ...)"));
    };
    let (name, args) = match form::items(member) {
        Some(items) => {
            let Some(name) = items.first().and_then(symbol_of) else {
                return Err(a.error("Malformed member expression"));
            };
            (name.clone(), items[1..].to_vec())
        }
        None => match symbol_of(member) {
            Some(name) => (name.clone(), rest.to_vec()),
            None => return Err(a.error("Malformed member expression")),
        },
    };
    let name: Arc<str> = name.name().into();
    let span = a.span.clone();
    if let Some(symbol) = symbol_of(target)
        && a.scope.find(symbol).is_none()
        && a.lookup(symbol).is_none()
        && let Some(class) = class_named(a, symbol)
    {
        let args = a.all(&args)?;
        return Ok(match name.strip_prefix('-') {
            Some(field) => Expr::StaticField(class, field.into(), span),
            None => Expr::StaticCall(class, name, args, span),
        });
    }
    let target = a.expr(target, false)?;
    let args = a.all(&args)?;
    Ok(Expr::Method(Box::new(target), name, args, span))
}

fn class_named(a: &Analyzer<'_>, symbol: &Symbol) -> Option<Arc<str>> {
    if symbol.namespace().is_some() {
        return None;
    }
    resolve_class(a.cx.rt, &a.namespace, symbol.name())
}

fn unknown_class(a: &Analyzer<'_>, symbol: &Symbol) -> Thrown {
    let name = symbol.name();
    let thrown = if name.contains('.') {
        Thrown::new("java.lang.ClassNotFoundException", name)
    } else {
        Thrown::illegal_argument(format!("Unable to resolve classname: {name}"))
    };
    let short = |class: &'static str| class.rsplit_once('.').map_or(class, |(_, short)| short);
    let wanted = name.rsplit_once('.').map_or(name, |(_, short)| short);
    let thrown = thrown.at(a.span_of(symbol), None);
    let classes: Vec<&str> = crate::java::class_names().collect();
    let same = classes.iter().find(|class| short(class) == wanted);
    match same {
        Some(class) => thrown.with_hint(format!("import it, or write {class}")),
        None => match crate::suggest::sentence(wanted, classes.iter().map(|class| short(class))) {
            Some(hint) => thrown.with_hint(hint),
            None => thrown,
        },
    }
}

/// The form at the place of the one it replaces.
fn placed(form: Value, original: &Value) -> Value {
    match (form, original) {
        (Value::List(list), Value::List(original)) => {
            let cells: Cells = list.cells.clone();
            let meta = original.meta.clone();
            Value::List(Arc::new(List {
                cells,
                meta,
                span: original.span.clone(),
            }))
        }
        (form, _) => form,
    }
}
