//! Looking through one top-level form for everything that is wrong with it.

use std::sync::Arc;

use parking_lot::Mutex;

use super::calls;
use super::names::Names;
use super::{Checks, Warning};
use crate::compile::analyze::Analyzer;
use crate::compile::expr::{CatchExpr, Expr, Head, Place, TryExpr};
use crate::compile::{compiler_exception, execute};
use crate::{Callable, Cx, Result, Span, Thrown, Value};

/// What an analyzer notes down instead of stopping at the first error.
pub struct Examination {
    pub(super) errors: Vec<Thrown>,
    pub(super) warnings: Vec<Warning>,
    pub(super) names: Names,
    /// Also what goes wrong only when the code runs, as far as that is certain, and what is odd.
    pub(super) strict: bool,
    /// Where calls of builders that throw are kept, while the form is run.
    rescue: Option<Rescue>,
    /// Calls that are kept from ending the form.
    rescued: usize,
    pub(super) checks: Checks,
}

/// Takes what a builder threw, and gives a function that does nothing in its place.
#[derive(Clone, Default)]
struct Rescue(Arc<Mutex<Vec<Thrown>>>);

/// What stands in for code that could not be analysed.
const UNKNOWN: &str = "unknown";

/// Everything that is wrong with a form, without running it.
pub(super) fn look(
    cx: &Cx<'_>,
    checks: Checks,
    form: &Value,
    place: &Span,
) -> (Vec<Thrown>, Vec<Warning>) {
    let (_, examination, _) = analysed(cx, checks, form, place, None);
    (examination.errors, examination.warnings)
}

/// Runs a form that has thrown once more, so that one builder that throws does not keep the others
/// from being called; nothing if there is one builder at most.
pub(super) fn run(cx: &Cx<'_>, checks: Checks, form: &Value, place: &Span) -> Vec<Thrown> {
    let rescue = Rescue::default();
    let (mut analyzer, examination, expr) = analysed(cx, checks, form, place, Some(&rescue));
    if !examination.errors.is_empty() || examination.rescued < 2 {
        return examination.errors;
    }
    let last = execute(&mut analyzer, expr).err();
    let mut errors = std::mem::take(&mut *rescue.0.lock());
    errors.extend(last);
    errors
}

fn analysed<'a>(
    cx: &Cx<'a>,
    checks: Checks,
    form: &Value,
    place: &Span,
    rescue: Option<&Rescue>,
) -> (Analyzer<'a>, Examination, Expr) {
    let mut analyzer = Analyzer::new(cx);
    analyzer.span = place.clone();
    analyzer.examination = Some(Box::new(Examination {
        errors: Vec::new(),
        warnings: Vec::new(),
        names: Names::default(),
        strict: rescue.is_none() && checks.strict,
        rescue: rescue.cloned(),
        rescued: 0,
        checks,
    }));
    let expr = analyzer.expr(form, false);
    let mut examination = analyzer.examination.take().expect("put there above");
    let expr = expr.unwrap_or_else(|thrown| {
        examination.errors.push(thrown);
        unknown()
    });
    (analyzer, *examination, expr)
}

fn unknown() -> Expr {
    Expr::Constant(Value::keyword(UNKNOWN))
}

/// The expression of a form; of one that is wrong, something in its place.
pub fn expr(a: &mut Analyzer<'_>, form: &Value, tail: bool) -> Result<Expr> {
    let unused_from = before(a, form);
    let checkpoint = a.scope.checkpoint();
    let outer = a.span.clone();
    match a.expr_here(form, tail) {
        Ok(expr) => {
            after(a, unused_from);
            Ok(rescued(a, form, expr))
        }
        Err(thrown) => {
            a.scope.restore(checkpoint);
            let thrown = compiler_exception(thrown, &a.span);
            a.span = outer;
            if let Some(examination) = &mut a.examination {
                examination.names.forget();
                examination.errors.push(thrown);
            }
            Ok(unknown())
        }
    }
}

/// Looks at a form as it was written, before macros change it; gives how many names were known.
fn before(a: &mut Analyzer<'_>, form: &Value) -> Option<usize> {
    let strict = a.examination.as_ref().is_some_and(|it| it.strict);
    if !strict {
        return None;
    }
    match form {
        Value::Symbol(symbol) => {
            calls::field(a, symbol);
            a.examination.as_mut()?.names.used(symbol.name());
            None
        }
        Value::List(list) if list.span.is_some() => {
            let items = crate::form::items(form)?;
            calls::call(a, &items, list.span.as_ref()?);
            a.examination.as_mut()?.names.enter(&items)
        }
        _ => None,
    }
}

fn after(a: &mut Analyzer<'_>, unused_from: Option<usize>) {
    if let (Some(from), Some(examination)) = (unused_from, &mut a.examination) {
        let unused = examination.names.leave(from);
        examination.warnings.extend(unused);
    }
}

/// A call of a builder at the top, so that what it throws is kept and the form goes on.
fn rescued(a: &mut Analyzer<'_>, form: &Value, expr: Expr) -> Expr {
    let Some(examination) = &a.examination else {
        return expr;
    };
    let Some(rescue) = examination.rescue.clone() else {
        return expr;
    };
    let is_builder = examination.checks.is_builder;
    let builds = match form {
        Value::List(list) if list.span.is_some() && a.scope.is_top() => match list.first() {
            Some(Value::Symbol(head)) => a.lookup(head).is_some_and(|var| is_builder(&var)),
            _ => false,
        },
        _ => false,
    };
    if !builds {
        return expr;
    }
    if let Some(examination) = &mut a.examination {
        examination.rescued += 1;
    }
    let mark = a.scope.mark();
    let slot = a.scope.slot();
    a.scope.release(&mark);
    let head = Head {
        span: a.span.clone(),
        text: "".into(),
    };
    let taken = Expr::Call(
        Box::new(Expr::Constant(Value::Fn(Arc::new(rescue)))),
        vec![Expr::Local(Place::Slot(slot))],
        head,
    );
    Expr::Try(TryExpr {
        body: Box::new(expr),
        catches: vec![CatchExpr {
            class: "java.lang.Throwable".into(),
            slot,
            body: taken,
        }],
        finally: None,
    })
}

impl Callable for Rescue {
    fn call(&self, _: &Cx<'_>, args: &[Value]) -> Result {
        let thrown = args.first().cloned().map(Thrown::again);
        self.0.lock().extend(thrown);
        Ok(Value::Fn(Arc::new(Nothing)))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The function in place of what could not be built.
struct Nothing;

impl Callable for Nothing {
    fn call(&self, _: &Cx<'_>, _: &[Value]) -> Result {
        Ok(Value::Nil)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
