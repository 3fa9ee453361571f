//! Functions of functions.

use parking_lot::Mutex;

use super::native;
use crate::closure::function;
use crate::{Cx, Map, Native, Result, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "apply",
        "([f args] [f x & args])",
        "f called with the arguments and the items of the last.",
        (2, None),
        |cx, a| {
            let (last, first) = a[1..].split_last().unwrap_or((&Value::Nil, &[]));
            let mut args = first.to_vec();
            match last {
                Value::List(list) if list.as_slice().is_some() => {
                    args.extend_from_slice(list.as_slice().unwrap_or_default())
                }
                _ => {
                    for item in seq::iter(last) {
                        args.push(item?);
                    }
                }
            }
            cx.call(&a[0], &args)
        },
    ),
    native(
        "partial",
        "([f & args])",
        "f with its first arguments given.",
        (1, None),
        |_, a| {
            if a.len() == 1 {
                return Ok(a[0].clone());
            }
            let (f, given) = (a[0].clone(), a[1..].to_vec());
            Ok(function("partial", move |cx, rest| {
                let mut args = Vec::with_capacity(given.len() + rest.len());
                args.extend_from_slice(&given);
                args.extend_from_slice(rest);
                cx.call(&f, &args)
            }))
        },
    ),
    native(
        "comp",
        "([& fs])",
        "The last function, then the one before …",
        (0, None),
        |_, a| match a {
            [] => Ok(function("identity", |_, args| Ok(args[0].clone()))),
            [f] => Ok(f.clone()),
            _ => {
                let fs = a.to_vec();
                Ok(function("comp", move |cx, args| {
                    let (last, before) = fs.split_last().unwrap_or((&Value::Nil, &[]));
                    let value = cx.call(last, args)?;
                    before
                        .iter()
                        .rev()
                        .try_fold(value, |value, f| cx.call(f, &[value]))
                }))
            }
        },
    ),
    native(
        "complement",
        "([f])",
        "A function that is true where f is not.",
        (1, Some(1)),
        |_, a| {
            let f = a[0].clone();
            Ok(function("complement", move |cx, args| {
                Ok((!cx.call(&f, args)?.truthy()).into())
            }))
        },
    ),
    native(
        "juxt",
        "([f & fs])",
        "A function that gives a vector of what each gives.",
        (1, None),
        |_, a| {
            let fs = a.to_vec();
            Ok(function("juxt", move |cx, args| {
                fs.iter()
                    .map(|f| cx.call(f, args))
                    .collect::<Result<Vec<_>>>()
                    .map(Value::vector)
            }))
        },
    ),
    native(
        "constantly",
        "([x])",
        "A function that always gives x.",
        (1, Some(1)),
        |_, a| {
            let x = a[0].clone();
            Ok(function("constantly", move |_, _| Ok(x.clone())))
        },
    ),
    native("identity", "([x])", "x.", (1, Some(1)), |_, a| {
        Ok(a[0].clone())
    }),
    native(
        "fnil",
        "([f x] [f x y] [f x y z])",
        "f, with something else for its first arguments where they are nil.",
        (2, Some(4)),
        |_, a| {
            let (f, instead) = (a[0].clone(), a[1..].to_vec());
            Ok(function("fnil", move |cx, args| {
                let mut args = args.to_vec();
                for (arg, instead) in args.iter_mut().zip(&instead) {
                    if arg.is_nil() {
                        *arg = instead.clone();
                    }
                }
                cx.call(&f, &args)
            }))
        },
    ),
    native(
        "every-pred",
        "([p & ps])",
        "True if all are true for all arguments.",
        (1, None),
        |_, a| {
            let preds = a.to_vec();
            Ok(function("every-pred", move |cx, args| {
                for arg in args {
                    for pred in &preds {
                        if !cx.call(pred, std::slice::from_ref(arg))?.truthy() {
                            return Ok(Value::Bool(false));
                        }
                    }
                }
                Ok(Value::Bool(true))
            }))
        },
    ),
    native(
        "some-fn",
        "([p & ps])",
        "The first truth that any gives for any argument.",
        (1, None),
        |_, a| {
            let preds = a.to_vec();
            Ok(function("some-fn", move |cx, args| {
                let mut result = Value::Nil;
                for arg in args {
                    for pred in &preds {
                        result = cx.call(pred, std::slice::from_ref(arg))?;
                        if result.truthy() {
                            return Ok(result);
                        }
                    }
                }
                Ok(result)
            }))
        },
    ),
    native(
        "memoize",
        "([f])",
        "f, called once for the same arguments.",
        (1, Some(1)),
        memoize,
    ),
    native(
        "trampoline",
        "([f & args])",
        "Calls f, and what it gives while that is a function.",
        (1, None),
        |cx, a| {
            let mut value = cx.call(&a[0], &a[1..])?;
            while matches!(&value, Value::Fn(f) if f.is_fn()) {
                value = cx.call(&value, &[])?;
            }
            Ok(value)
        },
    ),
];

fn memoize(_: &Cx<'_>, args: &[Value]) -> Result {
    let f = args[0].clone();
    let known: Mutex<Map> = Mutex::default();
    Ok(function("memoize", move |cx, args| {
        let key = Value::vector(args.to_vec());
        if let Some(value) = known.lock().get(&key) {
            return Ok(value.clone());
        }
        let value = cx.call(&f, args)?;
        known.lock().insert(key, value.clone());
        Ok(value)
    }))
}
