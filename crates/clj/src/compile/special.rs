//! The special forms.

use std::sync::Arc;

use super::analyze::Analyzer;
use super::expr::{CaseExpr, CatchExpr, Expr, TryExpr};
use super::names::Resolved;
use super::scope::Target;
use super::{bindings, function, interop, symbol_of};
use crate::{Map, Result, Symbol, Thrown, Value, Var, form};

/// Analyses `items`, a list whose head is the special form `name`.
pub fn analyze(
    a: &mut Analyzer<'_>,
    name: &str,
    items: &[Value],
    form: &Value,
    tail: bool,
) -> Result<Expr> {
    let args = &items[1..];
    match name {
        "def" => def(a, args),
        "if" => condition(a, args, tail),
        "do" => a.body(args, tail),
        "and*" => {
            let (first, last) = all_and_last(a, args, tail)?;
            Ok(Expr::And(first, last))
        }
        "or*" => {
            let (first, last) = all_and_last(a, args, tail)?;
            Ok(Expr::Or(first, last))
        }
        "let*" => bindings::let_form(a, args, tail),
        "loop*" => bindings::loop_form(a, args),
        "letfn*" => function::letfn(a, args, tail),
        "fn*" => function::fn_form(a, items, form),
        "recur" => recur(a, args, tail),
        "quote" => Ok(Expr::Constant(args.first().cloned().unwrap_or_default())),
        "var" => the_var(a, args),
        "throw" => match args {
            [value] => {
                let span = a.span.clone();
                Ok(Expr::Throw(Box::new(a.expr(value, false)?), span))
            }
            _ => Err(a.error("Too few or too many arguments to throw, it takes 1")),
        },
        "try" => trial(a, args),
        "catch" | "finally" => Err(a
            .error(format!("Unable to resolve symbol: {name} in this context"))
            .with_hint(format!(
                "{name} belongs directly inside (try …), after its body"
            ))),
        "new" => interop::new(a, args),
        "." => interop::dot(a, args),
        "set!" => assignment(a, args),
        "case*" => case(a, args, tail),
        _ => Err(a.error(format!("Unable to resolve symbol: {name} in this context"))),
    }
}

fn condition(a: &mut Analyzer<'_>, args: &[Value], tail: bool) -> Result<Expr> {
    let (test, then, otherwise) = match args {
        [test, then] => (test, then, &Value::Nil),
        [test, then, otherwise] => (test, then, otherwise),
        [] | [_] => return Err(a.error("Too few arguments to if")),
        _ => {
            return Err(a
                .error("Too many arguments to if")
                .with_hint("if takes a test and two branches; group several forms with (do …)"));
        }
    };
    let test = a.expr(test, false)?;
    let then = a.expr(then, tail)?;
    let otherwise = a.expr(otherwise, tail)?;
    Ok(Expr::If(
        Box::new(test),
        Box::new(then),
        Box::new(otherwise),
    ))
}

fn all_and_last(
    a: &mut Analyzer<'_>,
    args: &[Value],
    tail: bool,
) -> Result<(Vec<Expr>, Box<Expr>)> {
    let Some((last, first)) = args.split_last() else {
        return Err(a.error("Too few arguments"));
    };
    let first = a.all(first)?;
    Ok((first, Box::new(a.expr(last, tail)?)))
}

fn def(a: &mut Analyzer<'_>, args: &[Value]) -> Result<Expr> {
    let (symbol, doc, init) = match args {
        [Value::Symbol(symbol)] => (symbol, None, None),
        [Value::Symbol(symbol), init] => (symbol, None, Some(init)),
        [Value::Symbol(symbol), Value::Str(doc), init] => (symbol, Some(doc.clone()), Some(init)),
        [] => return Err(a.error("Too few arguments to def")),
        [Value::Symbol(_), ..] => {
            return Err(a
                .error("Too many arguments to def")
                .with_hint("to define a function write (defn name [arguments] …)"));
        }
        _ => return Err(a.error("First argument to def must be a Symbol")),
    };
    if symbol
        .namespace()
        .is_some_and(|namespace| *namespace != *a.namespace.name)
    {
        let message = "Can't refer to qualified var that doesn't exist";
        return Err(a.error(message));
    }
    let var = a.namespace.intern(symbol.name());
    let meta = def_meta(a, symbol, doc);
    if meta.get_keyword("dynamic").is_some_and(Value::truthy) {
        var.set_dynamic(true);
    }
    let meta = a.expr(&Value::Map(meta), false)?;
    let value = match init {
        None => None,
        Some(init) => {
            a.name_hint = Some(format!("{}/{}", a.namespace.name, symbol.name()));
            let value = a.expr(init, false);
            a.name_hint = None;
            Some(Box::new(value?))
        }
    };
    Ok(Expr::Def(var, value, Box::new(meta)))
}

/// What the symbol says, its place, its namespace and its name.
fn def_meta(a: &Analyzer<'_>, symbol: &Symbol, doc: Option<Arc<str>>) -> Map {
    let mut meta = symbol.meta().cloned().unwrap_or_default();
    let span = a.span_of(symbol);
    if let Some(doc) = doc {
        meta.insert(Value::keyword("doc"), Value::Str(doc));
    }
    meta.insert(Value::keyword("line"), Value::Int(i64::from(span.line)));
    meta.insert(Value::keyword("column"), Value::Int(i64::from(span.column)));
    meta.insert(Value::keyword("file"), Value::Str(span.file));
    meta
}

fn recur(a: &mut Analyzer<'_>, args: &[Value], tail: bool) -> Result<Expr> {
    let target = a.scope.current().target.clone();
    let expected = match &target {
        Some(Target::Barred) => return Err(a.error("Cannot recur across try")),
        Some(Target::Head(expected)) if tail => *expected,
        Some(Target::Loop(slots)) if tail => slots.len(),
        _ => return Err(a.error("Can only recur from tail position")),
    };
    if args.len() != expected {
        let message = format!(
            "Mismatched argument count to recur, expected: {expected} args, got: {}",
            args.len()
        );
        return Err(a.error(message));
    }
    let args = a.all(args)?;
    match target {
        Some(Target::Loop(slots)) => Ok(Expr::RecurLoop(slots.into_iter().zip(args).collect())),
        _ => {
            a.scope.current().recurs = true;
            Ok(Expr::RecurFn(args))
        }
    }
}

fn the_var(a: &mut Analyzer<'_>, args: &[Value]) -> Result<Expr> {
    let Some(symbol) = args.first().and_then(symbol_of) else {
        return Err(a.error("var needs a symbol"));
    };
    match a.lookup(symbol) {
        Some(var) => Ok(Expr::Constant(Value::Var(var))),
        None => match a.resolve(symbol) {
            Err(thrown) => Err(thrown),
            Ok(_) => Err(a.error(format!(
                "Unable to resolve var: {} in this context",
                symbol.name()
            ))),
        },
    }
}

fn trial(a: &mut Analyzer<'_>, args: &[Value]) -> Result<Expr> {
    let clause = |form: &Value, name: &str| {
        form::items(form).is_some_and(|items| items.first() == Some(&Value::symbol(name)))
    };
    let is_clause = |form: &&Value| clause(form, "catch") || clause(form, "finally");
    let split = args
        .iter()
        .position(|form| is_clause(&form))
        .unwrap_or(args.len());
    let (body, clauses) = args.split_at(split);
    let outer = a.scope.current().target.replace(Target::Barred);
    let body = a.body(body, false)?;
    let (mut catches, mut finally) = (Vec::new(), None);
    for (index, form) in clauses.iter().enumerate() {
        let items = form::items(form).unwrap_or_default();
        if clause(form, "catch") {
            let place = a.enter(form);
            catches.push(catch(a, &items)?);
            a.span = place;
        } else if clause(form, "finally") && index + 1 == clauses.len() {
            finally = Some(Box::new(a.body(&items[1..], false)?));
        } else if clause(form, "finally") {
            return Err(a.error("finally clause must be last in try expression"));
        } else {
            return Err(a.error("Only catch or finally clause can follow catch in try expression"));
        }
    }
    a.scope.current().target = outer;
    Ok(Expr::Try(TryExpr {
        body: Box::new(body),
        catches,
        finally,
    }))
}

fn catch(a: &mut Analyzer<'_>, items: &[Value]) -> Result<CatchExpr> {
    let [_, Value::Symbol(class), Value::Symbol(name), body @ ..] = items else {
        return Err(a.error("catch needs a class, a name and a body, as in (catch Exception e …)"));
    };
    let class = match a.resolve(class)? {
        Resolved::Class(class) => class,
        _ => return Err(a.error(format!("{} is not a class of exceptions", class.name()))),
    };
    let mark = a.scope.mark();
    let slot = a.scope.slot();
    a.scope.bind(name.clone(), super::expr::Place::Slot(slot));
    let body = a.body(body, false)?;
    a.scope.release(&mark);
    Ok(CatchExpr { class, slot, body })
}

/// The object and the field's name of `(.-field object)` and `(. object -field)`.
fn field_of(target: &Value) -> Option<(Value, Value)> {
    let items = form::items(target).filter(|_| matches!(target, Value::List(_)))?;
    let (object, name) = match &items[..] {
        [Value::Symbol(dot), object, Value::Symbol(name)] if dot.name() == "." => {
            (object, name.name())
        }
        [Value::Symbol(access), object] => (object, access.name().strip_prefix('.')?),
        _ => return None,
    };
    let name = name.strip_prefix('-').unwrap_or(name);
    Some((object.clone(), Value::symbol(name)))
}

fn assignment(a: &mut Analyzer<'_>, args: &[Value]) -> Result<Expr> {
    let [target, value] = args else {
        return Err(a.error("Malformed assignment, expecting (set! target val)"));
    };
    if let Some((object, field)) = field_of(target) {
        let field = form::list(Value::symbol("quote"), [field]);
        return a.expr(
            &form::call("set-field!*", [object, field, value.clone()]),
            false,
        );
    }
    let span = a.span.clone();
    let var: Option<Arc<Var>> = match symbol_of(target) {
        Some(symbol) if a.scope.find(symbol).is_none() => match a.resolve(symbol)? {
            Resolved::Var(var) => Some(var),
            _ => None,
        },
        _ => None,
    };
    match var {
        Some(var) => Ok(Expr::SetVar(var, Box::new(a.expr(value, false)?), span)),
        None => Err(a
            .error("Invalid assignment target")
            .with_hint("set! changes a dynamic var that is bound; use an atom for anything else")),
    }
}

/// `(case* subject default constant form constant form …)`, the constants taken as they are; a
/// list of constants chooses the same branch.
fn case(a: &mut Analyzer<'_>, args: &[Value], tail: bool) -> Result<Expr> {
    let [subject, default, clauses @ ..] = args else {
        return Err(Thrown::illegal_argument("case needs an expression").at(a.span.clone(), None));
    };
    let subject = Box::new(a.expr(subject, false)?);
    let default = Box::new(a.expr(default, tail)?);
    let (mut choices, mut branches) = (Vec::new(), Vec::new());
    for clause in clauses.chunks_exact(2) {
        let constants = form::items(&clause[0]).unwrap_or_else(|| vec![clause[0].clone()]);
        for constant in constants {
            if choices.iter().any(|(known, _)| *known == constant) {
                let message = format!("Duplicate case test constant: {}", constant.to_readable());
                return Err(Thrown::illegal_argument(message).at(a.span.clone(), None));
            }
            choices.push((constant, branches.len()));
        }
        branches.push(a.expr(&clause[1], tail)?);
    }
    Ok(Expr::Case(CaseExpr {
        subject,
        choices,
        branches,
        default,
    }))
}
