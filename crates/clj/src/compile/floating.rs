//! Division by a floating zero: Java's, which is infinite, where Clojure's compiler knows that a
//! number is a `double`; an error where it only finds out when it runs.

use super::analyze::Analyzer;
use crate::{Symbol, Value, form};

/// Calls within calls that are looked at.
const DEPTH_MAX: usize = 16;

/// Functions that give a `double` where one of their arguments is.
const ARITHMETIC: [&str; 8] = ["+", "-", "*", "/", "inc", "dec", "max", "min"];

/// Members of `Math` that give a `double` whatever they are given.
const MATH: [&str; 24] = [
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "expm1",
    "log",
    "log10",
    "log1p",
    "sqrt",
    "cbrt",
    "pow",
    "hypot",
    "ceil",
    "floor",
    "rint",
    "toRadians",
    "toDegrees",
];

/// The function to call instead of `/` for these arguments, if one of them is known to be a
/// `double`.
pub fn division(a: &mut Analyzer<'_>, head: &Symbol, args: &[Value]) -> Option<Value> {
    if head.name() != "/" || !(1..=2).contains(&args.len()) || !is_core(a, head) {
        return None;
    }
    let known = args.iter().any(|arg| is_double(a, arg, DEPTH_MAX));
    known.then(|| Value::Symbol(form::core("divide-double*")))
}

fn is_core(a: &Analyzer<'_>, head: &Symbol) -> bool {
    a.lookup(head)
        .is_some_and(|var| &*var.namespace == "clojure.core")
}

fn is_double(a: &mut Analyzer<'_>, value: &Value, depth: usize) -> bool {
    match value {
        Value::Double(_) => true,
        Value::Symbol(symbol) => {
            let tag = symbol.meta().and_then(|meta| meta.get_keyword("tag"));
            tag == Some(&Value::symbol("double"))
        }
        Value::List(list) if depth > 0 => {
            let (Some(Value::Symbol(head)), Some(items)) = (list.first(), form::items(value))
            else {
                return false;
            };
            if a.scope.find(head).is_some() {
                return false;
            }
            match (head.namespace(), head.name()) {
                (Some("Math" | "java.lang.Math"), name) => MATH.contains(&name),
                (None, "double" | "float") => is_core(a, head),
                (None, name) if ARITHMETIC.contains(&name) && is_core(a, head) => {
                    items[1..].iter().any(|item| is_double(a, item, depth - 1))
                }
                _ => false,
            }
        }
        _ => false,
    }
}
