//! The compiler: forms to running code.
//!
//! `analyze` resolves names and expands macros ([`expr::Expr`]), `lower` picks nodes, and
//! [`node::Node`] runs them. A closure holds its captures and shares its code.

pub mod analyze;
mod bindings;
pub mod closure;
pub mod expr;
mod floating;
mod function;
mod interop;
mod last_use;
mod lower;
mod lower_call;
pub mod names;
pub mod node;
pub mod scope;
mod special;

use std::sync::Arc;

use crate::{Cx, Result, Span, Symbol, Thrown, Value, form};
use analyze::Analyzer;
use closure::{Closure, Group, Method, Template};

pub use analyze::macroexpand_1;
pub use names::resolve_class;

/// In order. `and*` and `or*` are what the macros and and or come down to.
const SPECIAL: &[&str] = &[
    "&", ".", "and*", "case*", "catch", "def", "do", "finally", "fn*", "if", "let*", "letfn*",
    "loop*", "new", "or*", "quote", "recur", "set!", "throw", "try", "var",
];

/// True for the names that the compiler itself gives meaning to.
pub fn is_special(name: &str) -> bool {
    SPECIAL.binary_search(&name).is_ok()
}

/// Evaluates a form in the current namespace. The forms of a top-level `do` are evaluated one by
/// one, so that each sees what those before it defined.
///
/// # Errors
/// What is wrong with the form, as a `CompilerException` with its cause; what it throws.
pub fn eval(cx: &Cx<'_>, form: &Value) -> Result {
    let mut analyzer = Analyzer::new(cx);
    analyzer.enter(form);
    let place = analyzer.span;
    let form = expanded_top(cx, form, &place)?;
    if let Some(items) = items_of_do(&form) {
        let mut last = Value::Nil;
        for item in &items {
            last = eval(cx, item)?;
        }
        return Ok(last);
    }
    run(cx, &form, place)
}

/// The forms that [`eval`] runs one after the other, if this one is or expands to a `do`.
pub(crate) fn top_forms(cx: &Cx<'_>, form: &Value) -> Option<Vec<Value>> {
    let mut analyzer = Analyzer::new(cx);
    analyzer.enter(form);
    let form = expanded_top(cx, form, &analyzer.span).ok()?;
    items_of_do(&form)
}

fn items_of_do(form: &Value) -> Option<Vec<Value>> {
    let items = form::items(form)?;
    let is_do = items.first() == Some(&Value::symbol("do"));
    is_do.then(|| items[1..].to_vec())
}

fn expanded_top(cx: &Cx<'_>, form: &Value, place: &Span) -> Result {
    let mut form = form.clone();
    while let Some(expanded) = expand_top(cx, &form, place)? {
        form = expanded;
    }
    Ok(form)
}

fn expand_top(cx: &Cx<'_>, form: &Value, place: &Span) -> Result<Option<Value>> {
    let mut analyzer = Analyzer::new(cx);
    analyzer.span = place.clone();
    let expanded = analyzer.expand(form);
    expanded.map_err(|thrown| compiler_exception(thrown, &analyzer.span))
}

fn run(cx: &Cx<'_>, form: &Value, place: Span) -> Result {
    let mut analyzer = Analyzer::new(cx);
    analyzer.span = place;
    match analyzer.expr(form, false) {
        Ok(expr) => execute(&mut analyzer, expr),
        Err(thrown) => Err(compiler_exception(thrown, &analyzer.span)),
    }
}

/// Runs the code of a top-level form.
pub(crate) fn execute(analyzer: &mut Analyzer<'_>, mut expr: expr::Expr) -> Result {
    let mut slots = analyzer.scope.slots_max();
    last_use::mark(&mut expr, 0, &mut slots);
    let method = Method {
        fixed: 0,
        rest: None,
        slots,
        moved: Vec::new(),
        recurs: false,
        body: lower::lower(expr),
    };
    let name: Arc<str> = "eval".into();
    let group = Group {
        functions: vec![Template {
            name,
            methods: vec![method],
        }],
    };
    let closure = Closure::new(Arc::new(group), 0, Arc::new([]));
    closure.template().methods[0].run(&analyzer.cx, &closure, &[])
}

/// Wraps what was found wrong while compiling, unless it is wrapped already.
pub(crate) fn compiler_exception(thrown: Thrown, fallback: &Span) -> Thrown {
    const CLASS: &str = "clojure.lang.Compiler$CompilerException";
    if thrown.class() == CLASS {
        return thrown;
    }
    let thrown = if thrown.trace().is_empty() {
        thrown.at(fallback.clone(), None)
    } else {
        thrown
    };
    let span = thrown.trace().first().map_or(fallback, |frame| &frame.span);
    let place = format!("{}:{}:{}", span.file, span.line, span.column);
    thrown.wrapped(CLASS, format!("Syntax error compiling at ({place})."))
}

/// The name of a symbol form.
fn symbol_of(form: &Value) -> Option<&Symbol> {
    match form {
        Value::Symbol(symbol) => Some(symbol),
        _ => None,
    }
}
