//! Calls to nodes: those of `clojure.core` that have a node of their own, and all others.

use std::sync::Arc;

use super::expr::{Expr, Head, Place};
use super::last_use::takes;
use super::lower::{lower, lower_all};
use super::node::Node;
use super::node::arithmetic::{Arithmetic, Compare, Comparison, Equal, Not, Operation, Step, Test};
use super::node::call::{Call, CallNative, CallSibling, CallVar};
use super::node::event::{Assoc, ENTRIES_MAX, FieldCompare, FieldIs, Get, GetOr, Key};
use super::node::local::CachedVar;
use super::node::operand::Operand;
use crate::{Keyword, Native, Span, Value, Var};

pub fn lower_call(function: Expr, mut args: Vec<Expr>, head: Head) -> Box<dyn Node> {
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

/// True for a call that a node of tests does.
pub fn is_core_test(var: &Var, args: usize) -> bool {
    let tests: &[&str] = match args {
        1 => &[
            "not", "nil?", "some?", "true?", "false?", "string?", "keyword?",
        ],
        2 => &["<", "<=", ">", ">=", "==", "=", "not="],
        _ => &[],
    };
    is_core(var) && tests.contains(&&*var.name)
}

fn is_core(var: &Var) -> bool {
    &*var.namespace == "clojure.core"
}

fn lower_var_call(var: Arc<Var>, args: Vec<Expr>, span: Span) -> Box<dyn Node> {
    let code = native_code(&var, args.len());
    let walks = is_core(&var) && walks(&var.name, args.len());
    let (var, args) = (CachedVar::new(var), lower_all(args));
    match code {
        Some(code) => Box::new(CallNative {
            var,
            code,
            args,
            walks,
            span,
        }),
        None => Box::new(CallVar { var, args, span }),
    }
}

/// True for a function of `clojure.core` that walks its last argument once, from front to back, and
/// gives nothing that holds it.
fn walks(name: &str, args: usize) -> bool {
    match name {
        "count" | "dorun" | "every?" | "filterv" | "frequencies" | "group-by" | "into" | "last"
        | "not-any?" | "not-every?" | "reduce" | "run!" | "some" | "transduce" => true,
        "mapv" => args == 2,
        _ => false,
    }
}

/// True for a call that may go through a long sequence that it is handed.
pub fn hands_on(function: &Expr) -> bool {
    match function {
        Expr::Var(var, _) => !is_core(var) || walks(&var.name, 2),
        Expr::Local(Place::Sibling(_)) => true,
        _ => false,
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
        "inc" | "dec" => {
            return Box::new(Step {
                by: if name == "inc" { 1 } else { -1 },
                var: CachedVar::new(var),
                node: operand(args.remove(0)),
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
        node: operand(args.remove(0)),
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
        return lower_compare(comparison, var, (a, b), span);
    }
    match operation {
        Some(operation) => {
            let (a, b) = operands(a, b);
            Box::new(Arithmetic {
                operation,
                var,
                a,
                b,
                span,
            })
        }
        None => lower_equal(var, name == "not=", (a, b), span),
    }
}

fn lower_second(args: &mut Vec<Expr>) -> Expr {
    args.pop().unwrap_or(Expr::Constant(Value::Nil))
}

fn lower_compare(
    comparison: Comparison,
    var: CachedVar,
    sides: (Expr, Expr),
    span: Span,
) -> Box<dyn Node> {
    let (turned, side, limit) = match sides {
        (side, Expr::Constant(limit)) => (false, side, limit),
        (Expr::Constant(limit), side) => (true, side, limit),
        (a, b) => return compare(comparison, var, (a, b), span),
    };
    match keyword_get(side) {
        Ok(get) => Box::new(FieldCompare {
            comparison,
            var,
            get,
            limit,
            turned,
            span,
        }),
        Err(side) => {
            let limit = Expr::Constant(limit);
            let sides = if turned { (limit, side) } else { (side, limit) };
            compare(comparison, var, sides, span)
        }
    }
}

fn compare(
    comparison: Comparison,
    var: CachedVar,
    (a, b): (Expr, Expr),
    span: Span,
) -> Box<dyn Node> {
    let (a, b) = operands(a, b);
    Box::new(Compare {
        comparison,
        var,
        a,
        b,
        span,
    })
}

fn lower_equal(var: CachedVar, negated: bool, sides: (Expr, Expr), span: Span) -> Box<dyn Node> {
    let (a, b) = match sides {
        (side, Expr::Constant(text @ Value::Str(_)))
        | (Expr::Constant(text @ Value::Str(_)), side) => match keyword_get(side) {
            Ok(get) => {
                return Box::new(FieldIs {
                    negated,
                    var,
                    get,
                    text,
                    span,
                });
            }
            Err(side) => (side, Expr::Constant(text)),
        },
        sides => sides,
    };
    let (a, b) = operands(a, b);
    Box::new(Equal {
        negated,
        var,
        a,
        b,
        span,
    })
}

/// The operands of a node that works on two.
fn operands(a: Expr, mut b: Expr) -> (Operand, Operand) {
    let b_takes_a = slot_of(&a).is_some_and(|slot| takes(&mut b, slot));
    (if b_takes_a { copied(a) } else { operand(a) }, operand(b))
}

/// The slot of a local that an operand looks at only when it is needed.
fn slot_of(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Local(Place::Slot(slot)) => Some(*slot),
        _ => None,
    }
}

/// An operand that is worked out in its turn, since one after it empties its slot.
fn copied(expr: Expr) -> Operand {
    Operand::Node(lower(expr))
}

fn operand(expr: Expr) -> Operand {
    match expr {
        Expr::Constant(value) => Operand::Constant(value),
        Expr::Local(place) => match Operand::local(place) {
            Some(operand) => operand,
            None => Operand::Node(lower(Expr::Local(place))),
        },
        Expr::Last(slot) => Operand::Slot(slot),
        expr => Operand::Node(lower(expr)),
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
        target: operand(target),
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
    let mut operands = Vec::with_capacity(args.len());
    while !args.is_empty() {
        let first = args.remove(0);
        let is_taken =
            slot_of(&first).is_some_and(|slot| args.iter_mut().any(|later| takes(later, slot)));
        operands.push(match first {
            Expr::Constant(Value::Keyword(key)) if operands.len() % 2 == 1 => Err(Key::new(key)),
            first if is_taken => Ok(copied(first)),
            first => Ok(operand(first)),
        });
    }
    let mut operands = operands.into_iter();
    let target = match operands.next() {
        Some(Ok(target)) => target,
        _ => Operand::Constant(Value::Nil),
    };
    let mut entries = Vec::new();
    while let (Some(Err(key)), Some(Ok(value))) = (operands.next(), operands.next()) {
        entries.push((key, value));
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
