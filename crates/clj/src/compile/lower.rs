//! Analysed code to nodes, choosing the special node where there is one.

use super::expr::{CaseExpr, Expr, FnExpr, TryExpr};
use super::lower_call::{is_core_test, lower_call};
use super::node::Node;
use super::node::call::{LetFn, MakeFn};
use super::node::control::{And, Case, Do, If, Let, Loop, Or, RecurFn, RecurLoop, Tests};
use super::node::definition::{Def, SetVar};
use super::node::interop::{Method, New, StaticCall, StaticField};
use super::node::literal::{MapOf, SetOf, VectorOf, WithMeta};
use super::node::local::{CachedVar, Constant, Last, Local, VarValue};
use super::node::trial::{Catch, Throw, Try};
use crate::Value;

pub fn lower(expr: Expr) -> Box<dyn Node> {
    match expr {
        Expr::Constant(value) => Box::new(Constant(value)),
        Expr::Local(place) => Box::new(Local(place)),
        Expr::Last(slot) => Box::new(Last(slot)),
        Expr::Var(var, span) => Box::new(VarValue {
            var: CachedVar::new(var),
            span,
        }),
        Expr::If(test, then, otherwise) => Box::new(If {
            test: lower(*test),
            then: lower(*then),
            otherwise: lower(*otherwise),
        }),
        Expr::Do(exprs) => lower_do(exprs),
        Expr::And(..) | Expr::Or(..) if is_test(&expr) => Box::new(Tests(lower_logic(expr))),
        Expr::And(..) | Expr::Or(..) => lower_logic(expr),
        Expr::Let(bindings, body) => Box::new(Let {
            bindings: lower_bindings(bindings),
            body: lower(*body),
        }),
        Expr::Loop(bindings, body) => Box::new(Loop {
            bindings: lower_bindings(bindings),
            body: lower(*body),
        }),
        Expr::RecurLoop(bindings) => Box::new(RecurLoop(lower_bindings(bindings))),
        Expr::RecurFn(args) => Box::new(RecurFn(lower_all(args))),
        Expr::Fn(function) => Box::new(lower_fn(function)),
        Expr::LetFn(functions, body) => Box::new(LetFn {
            functions: functions
                .into_iter()
                .map(|(slot, f)| (slot, lower_fn(f)))
                .collect(),
            body: lower(*body),
        }),
        Expr::Call(function, args, head) => lower_call(*function, args, head),
        Expr::Vector(items) => Box::new(VectorOf(lower_all(items))),
        Expr::Map(entries) => {
            let pair = |(key, value)| (lower(key), lower(value));
            Box::new(MapOf(entries.into_iter().map(pair).collect()))
        }
        Expr::Set(items) => Box::new(SetOf(lower_all(items))),
        Expr::WithMeta(expr, meta) => Box::new(WithMeta {
            node: lower(*expr),
            meta,
        }),
        Expr::Def(var, value, meta) => Box::new(Def {
            var,
            value: value.map(|value| lower(*value)),
            meta: lower(*meta),
        }),
        Expr::SetVar(var, value, span) => Box::new(SetVar {
            var,
            node: lower(*value),
            span,
        }),
        Expr::Throw(value, span) => Box::new(Throw {
            node: lower(*value),
            span,
        }),
        Expr::Try(trial) => lower_try(trial),
        Expr::Case(case) => lower_case(case),
        Expr::New(class, args, span) => Box::new(New {
            class,
            args: lower_all(args),
            span,
        }),
        Expr::StaticCall(class, member, args, span) => Box::new(StaticCall {
            class,
            member,
            args: lower_all(args),
            span,
        }),
        Expr::StaticField(class, member, span) => Box::new(StaticField {
            class,
            member,
            span,
        }),
        Expr::Method(target, name, args, span) => Box::new(Method {
            target: lower(*target),
            name,
            args: lower_all(args),
            span,
        }),
    }
}

fn lower_logic(expr: Expr) -> Box<dyn Node> {
    match expr {
        Expr::And(first, last) => Box::new(And {
            first: lower_all(first),
            last: lower(*last),
        }),
        Expr::Or(first, last) => Box::new(Or {
            first: lower_all(first),
            last: lower(*last),
        }),
        other => lower(other),
    }
}

/// True for what gives true or false, and nothing else.
fn is_test(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(Value::Bool(_)) => true,
        Expr::And(first, last) | Expr::Or(first, last) => {
            first.iter().all(is_test) && is_test(last)
        }
        Expr::Call(function, args, _) => match &**function {
            Expr::Var(var, _) => is_core_test(var, args.len()),
            _ => false,
        },
        _ => false,
    }
}

pub fn lower_all(exprs: Vec<Expr>) -> Box<[Box<dyn Node>]> {
    exprs.into_iter().map(lower).collect()
}

fn lower_bindings(bindings: Vec<(usize, Expr)>) -> Box<[(usize, Box<dyn Node>)]> {
    bindings
        .into_iter()
        .map(|(slot, expr)| (slot, lower(expr)))
        .collect()
}

fn lower_do(mut exprs: Vec<Expr>) -> Box<dyn Node> {
    let Some(last) = exprs.pop() else {
        return Box::new(Constant(Value::Nil));
    };
    if exprs.is_empty() {
        return lower(last);
    }
    Box::new(Do {
        first: lower_all(exprs),
        last: lower(last),
    })
}

fn lower_fn(function: FnExpr) -> MakeFn {
    MakeFn {
        group: function.group,
        index: function.index,
        captures: function.captures.into(),
        meta: function.meta,
    }
}

fn lower_try(trial: TryExpr) -> Box<dyn Node> {
    let catches = trial.catches.into_iter().map(|catch| Catch {
        class: catch.class,
        slot: catch.slot,
        body: lower(catch.body),
    });
    Box::new(Try {
        body: lower(*trial.body),
        catches: catches.collect(),
        finally: trial.finally.map(|finally| lower(*finally)),
    })
}

fn lower_case(case: CaseExpr) -> Box<dyn Node> {
    Box::new(Case {
        subject: lower(*case.subject),
        choices: case.choices.into_iter().collect(),
        branches: lower_all(case.branches),
        default: lower(*case.default),
    })
}
