//! Analysed code to nodes, choosing the special node where there is one.

use std::sync::Arc;

use super::expr::{CaseExpr, Expr, FnExpr, Head, Place, TryExpr};
use super::node::Node;
use super::node::arithmetic::{Arithmetic, Compare, Comparison, Equal, Not, Operation, Test};
use super::node::call::{Call, CallNative, CallSibling, CallVar, LetFn, MakeFn};
use super::node::control::{And, Case, Do, If, Let, Loop, Or, RecurFn, RecurLoop};
use super::node::definition::{Def, SetVar};
use super::node::event::{Assoc, ENTRIES_MAX, FieldIs, Get, GetOr, Key};
use super::node::interop::{Method, New, StaticCall, StaticField};
use super::node::literal::{MapOf, SetOf, VectorOf, WithMeta};
use super::node::local::{CachedVar, Constant, Local, VarValue};
use super::node::trial::{Catch, Throw, Try};
use crate::{Keyword, Native, Span, Value, Var};

pub fn lower(expr: Expr) -> Box<dyn Node> {
    match expr {
        Expr::Constant(value) => Box::new(Constant(value)),
        Expr::Local(place) => Box::new(Local(place)),
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
        Expr::And(first, last) => Box::new(And {
            first: lower_all(first),
            last: lower(*last),
        }),
        Expr::Or(first, last) => Box::new(Or {
            first: lower_all(first),
            last: lower(*last),
        }),
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

fn lower_all(exprs: Vec<Expr>) -> Box<[Box<dyn Node>]> {
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

fn lower_call(function: Expr, mut args: Vec<Expr>, head: Head) -> Box<dyn Node> {
    let Head { span, text } = head;
    match function {
        Expr::Constant(Value::Keyword(keyword)) if args.len() == 1 => {
            Box::new(get(keyword, args.remove(0)))
        }
        Expr::Constant(Value::Keyword(keyword)) if args.len() == 2 => {
            let default = args.remove(1);
            Box::new(GetOr {
                get: get(keyword, args.remove(0)),
                default: lower(default),
            })
        }
        Expr::Local(Place::Sibling(index)) => Box::new(CallSibling {
            index,
            args: lower_all(args),
            span,
        }),
        Expr::Var(var, _) if is_core(&var) => lower_core_call(var, args, span),
        Expr::Var(var, _) => lower_var_call(var, args, span),
        function => Box::new(Call {
            function: lower(function),
            args: lower_all(args),
            span,
            text,
        }),
    }
}

fn is_core(var: &Var) -> bool {
    &*var.namespace == "clojure.core"
}

fn lower_var_call(var: Arc<Var>, args: Vec<Expr>, span: Span) -> Box<dyn Node> {
    let code = native_code(&var, args.len());
    let (var, args) = (CachedVar::new(var), lower_all(args));
    match code {
        Some(code) => Box::new(CallNative {
            var,
            code,
            args,
            span,
        }),
        None => Box::new(CallVar { var, args, span }),
    }
}

/// The code of the native function that a var holds, if it takes that many arguments.
fn native_code(var: &Var, args: usize) -> Option<crate::NativeFn> {
    if var.is_dynamic() {
        return None;
    }
    let Some(Value::Fn(callable)) = var.root() else {
        return None;
    };
    let native = callable.as_any().downcast_ref::<Native>()?;
    let (fewest, most) = native.arity;
    (args >= fewest && most.is_none_or(|most| args <= most)).then_some(native.code)
}

/// Calls of `clojure.core` that have a node of their own. Each falls back to the var when the var
/// has been changed since.
fn lower_core_call(var: Arc<Var>, args: Vec<Expr>, span: Span) -> Box<dyn Node> {
    let name = var.name.clone();
    match args.len() {
        1 => lower_unary(&name, var, args, span),
        2 => lower_binary(&name, var, args, span),
        _ if &*name == "assoc" => lower_assoc(var, args, span),
        _ => lower_var_call(var, args, span),
    }
}

fn lower_unary(name: &str, var: Arc<Var>, mut args: Vec<Expr>, span: Span) -> Box<dyn Node> {
    let test: fn(&Value) -> bool = match name {
        "not" => {
            let node = lower(args.remove(0));
            return Box::new(Not {
                var: CachedVar::new(var),
                node,
                span,
            });
        }
        "nil?" => Value::is_nil,
        "some?" => |value| !value.is_nil(),
        "true?" => |value| matches!(value, Value::Bool(true)),
        "false?" => |value| matches!(value, Value::Bool(false)),
        "string?" => |value| matches!(value, Value::Str(_)),
        "keyword?" => |value| matches!(value, Value::Keyword(_)),
        _ => return lower_var_call(var, args, span),
    };
    Box::new(Test {
        test,
        var: CachedVar::new(var),
        node: lower(args.remove(0)),
        span,
    })
}

fn lower_binary(name: &str, var: Arc<Var>, mut args: Vec<Expr>, span: Span) -> Box<dyn Node> {
    if name == "get"
        && let Expr::Constant(Value::Keyword(keyword)) = &args[1]
    {
        let keyword = keyword.clone();
        return Box::new(get(keyword, args.remove(0)));
    }
    let comparison = match name {
        "<" => Some(Comparison::Less),
        "<=" => Some(Comparison::LessOrEqual),
        ">" => Some(Comparison::Greater),
        ">=" => Some(Comparison::GreaterOrEqual),
        "==" => Some(Comparison::SameNumber),
        _ => None,
    };
    let operation = match name {
        "+" => Some(Operation::Add),
        "-" => Some(Operation::Subtract),
        "*" => Some(Operation::Multiply),
        _ => None,
    };
    if comparison.is_none() && operation.is_none() && !matches!(name, "=" | "not=") {
        return lower_var_call(var, args, span);
    }
    let var = CachedVar::new(var);
    let (b, a) = (lower_second(&mut args), args.remove(0));
    if let Some(comparison) = comparison {
        return Box::new(Compare {
            comparison,
            var,
            a: lower(a),
            b: lower(b),
            span,
        });
    }
    if let Some(operation) = operation {
        return Box::new(Arithmetic {
            operation,
            var,
            a: lower(a),
            b: lower(b),
            span,
        });
    }
    lower_equal(var, name == "not=", (a, b), span)
}

fn lower_second(args: &mut Vec<Expr>) -> Expr {
    args.pop().unwrap_or(Expr::Constant(Value::Nil))
}

fn lower_equal(var: CachedVar, negated: bool, sides: (Expr, Expr), span: Span) -> Box<dyn Node> {
    match sides {
        (get, Expr::Constant(text @ Value::Str(_)))
        | (Expr::Constant(text @ Value::Str(_)), get) => match keyword_get(get) {
            Ok(get) => Box::new(FieldIs {
                negated,
                var,
                get,
                text,
                span,
            }),
            Err(other) => {
                let b = Box::new(Constant(text));
                Box::new(Equal {
                    negated,
                    var,
                    a: lower(other),
                    b,
                    span,
                })
            }
        },
        (a, b) => Box::new(Equal {
            negated,
            var,
            a: lower(a),
            b: lower(b),
            span,
        }),
    }
}

/// `(:keyword target)` taken apart, or the expression back.
fn keyword_get(expr: Expr) -> std::result::Result<Get, Expr> {
    match expr {
        Expr::Call(function, mut args, head) => match *function {
            Expr::Constant(Value::Keyword(keyword)) if args.len() == 1 => {
                Ok(get(keyword, args.remove(0)))
            }
            function => Err(Expr::Call(Box::new(function), args, head)),
        },
        other => Err(other),
    }
}

fn get(keyword: Keyword, target: Expr) -> Get {
    Get {
        key: Key::new(keyword),
        target: lower(target),
    }
}

/// Changes of one thing by keyword, one around the other or side by side, are made at once.
fn lower_assoc(var: Arc<Var>, mut args: Vec<Expr>, span: Span) -> Box<dyn Node> {
    while let Some(inner) = nested_assoc(&var, &mut args) {
        args.splice(0..1, inner);
    }
    if !is_keyed(&args) || args.len() > 1 + 2 * ENTRIES_MAX {
        return lower_var_call(var, args, span);
    }
    let mut args = args.into_iter();
    let target = lower(args.next().unwrap_or(Expr::Constant(Value::Nil)));
    let mut entries = Vec::new();
    while let (Some(Expr::Constant(Value::Keyword(key))), Some(value)) = (args.next(), args.next())
    {
        entries.push((Key::new(key), lower(value)));
    }
    Box::new(Assoc {
        var: CachedVar::new(var),
        target,
        entries: entries.into(),
        span,
    })
}

/// The arguments of an `assoc` that is the target of another, if both are by keyword and together
/// not too many.
fn nested_assoc(var: &Arc<Var>, args: &mut [Expr]) -> Option<Vec<Expr>> {
    let outer = args.len();
    match args.first_mut()? {
        Expr::Call(function, inner, _) => match &**function {
            Expr::Var(known, _)
                if Arc::ptr_eq(known, var)
                    && is_keyed(inner)
                    && inner.len() + outer - 1 <= 1 + 2 * ENTRIES_MAX =>
            {
                Some(std::mem::take(inner))
            }
            _ => None,
        },
        _ => None,
    }
}

/// True for a target and pairs of a keyword and a value.
fn is_keyed(args: &[Expr]) -> bool {
    let is_keyword = |expr: &Expr| matches!(expr, Expr::Constant(Value::Keyword(_)));
    args.len() >= 3 && args.len() % 2 == 1 && args[1..].iter().step_by(2).all(is_keyword)
}
