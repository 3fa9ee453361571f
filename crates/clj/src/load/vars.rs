//! Vars as values: resolve, intern, alter-var-root, bindings.

use std::any::Any;
use std::sync::Arc;

use super::arguments::{namespace, native, symbol, var};
use super::require;
use crate::java::Class;
use crate::{Callable, Cx, Map, Namespace, Native, Result, Thrown, Value, Var, compile, dynamic};

pub const NATIVES: &[Native] = &[
    native(
        "resolve",
        "([sym] [env sym])",
        "The var or class that a symbol means here; nil if none.",
        (1, Some(2)),
        |cx, args| {
            let current = cx.rt.current_namespace();
            resolve(cx, &current, args.last().unwrap_or(&Value::Nil))
        },
    ),
    native(
        "ns-resolve",
        "([ns sym] [ns env sym])",
        "The var or class that a symbol means in a namespace; nil if none.",
        (2, Some(3)),
        |cx, args| {
            let namespace = namespace(cx, &args[0])?;
            resolve(cx, &namespace, args.last().unwrap_or(&Value::Nil))
        },
    ),
    native(
        "requiring-resolve",
        "([sym])",
        "The var of a qualified symbol, its namespace loaded if need be.",
        (1, Some(1)),
        requiring_resolve,
    ),
    native(
        "find-var",
        "([sym])",
        "The var of a qualified symbol.",
        (1, Some(1)),
        |cx, args| {
            let symbol = symbol(&args[0])?;
            let namespace = symbol.namespace().and_then(|name| cx.rt.namespace(name));
            match namespace {
                Some(namespace) => Ok(namespace.find(symbol.name()).map(Value::Var).into()),
                None => Err(Thrown::illegal_argument(format!(
                    "No such namespace: {}",
                    symbol.namespace().unwrap_or_default()
                ))),
            }
        },
    ),
    native(
        "intern",
        "([ns name] [ns name val])",
        "The var of a namespace, made if missing, with a root if one is given.",
        (2, Some(3)),
        intern,
    ),
    native(
        "var-get",
        "([x])",
        "The value of a var.",
        (1, Some(1)),
        |_, args| {
            let var = var(&args[0])?;
            var.get().ok_or_else(|| {
                Thrown::illegal_state(format!("Var {}/{} is unbound.", var.namespace, var.name))
            })
        },
    ),
    native(
        "var-set",
        "([x val])",
        "Changes what a var is bound to on this thread.",
        (2, Some(2)),
        |_, args| {
            let var = var(&args[0])?;
            if dynamic::set(var, args[1].clone()) {
                return Ok(args[1].clone());
            }
            Err(Thrown::illegal_state(format!(
                "Can't change/establish root binding of: {} with set",
                var.name
            )))
        },
    ),
    native(
        "bound?",
        "([& vars])",
        "True if all the vars have a value.",
        (0, None),
        |_, args| {
            for arg in args {
                if var(arg)?.get().is_none() {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        },
    ),
    native(
        "thread-bound?",
        "([& vars])",
        "True if all the vars are bound on this thread.",
        (0, None),
        |_, args| {
            for arg in args {
                if dynamic::lookup(var(arg)?).is_none() {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        },
    ),
    native(
        "alter-var-root",
        "([v f & args])",
        "Changes the root of a var by a function of it.",
        (2, None),
        |cx, args| {
            let var = var(&args[0])?;
            let mut all = vec![var.root().unwrap_or_default()];
            all.extend_from_slice(&args[2..]);
            let value = cx.call(&args[1], &all)?;
            var.change_root(cx, value.clone())?;
            Ok(value)
        },
    ),
    native(
        "with-bindings*",
        "([binding-map f & args])",
        "Calls a function with vars bound.",
        (2, None),
        with_bindings,
    ),
    native(
        "bound-fn*",
        "([f])",
        "A function that runs with the bindings in effect now.",
        (1, Some(1)),
        |_, args| {
            Ok(Value::Fn(Arc::new(BoundFn {
                bindings: dynamic::capture(),
                function: args[0].clone(),
            })))
        },
    ),
    native(
        "get-thread-bindings",
        "([])",
        "The vars bound on this thread, with their values.",
        (0, Some(0)),
        |_, _| {
            Ok(Value::map(
                dynamic::all()
                    .into_iter()
                    .map(|(var, value)| (Value::Var(var), value)),
            ))
        },
    ),
    native(
        "push-thread-bindings",
        "([bindings])",
        "Binds the vars of a map on this thread, until pop-thread-bindings.",
        (1, Some(1)),
        |_, args| {
            dynamic::push(bound(&args[0])?);
            Ok(Value::Nil)
        },
    ),
    native(
        "pop-thread-bindings",
        "([])",
        "Undoes the last push-thread-bindings.",
        (0, Some(0)),
        |_, _| {
            if dynamic::pop() {
                Ok(Value::Nil)
            } else {
                Err(Thrown::illegal_state("Pop without matching push"))
            }
        },
    ),
    native(
        "local-var*",
        "([])",
        "A dynamic var without a name.",
        (0, Some(0)),
        |_, _| {
            let var = Var::new("", "--unnamed--");
            var.set_dynamic(true);
            Ok(Value::Var(Arc::new(var)))
        },
    ),
    native(
        "with-redefs-fn",
        "([binding-map func])",
        "Calls a function while the roots of vars are others.",
        (2, Some(2)),
        with_redefs,
    ),
];

fn resolve(cx: &Cx<'_>, current: &Arc<Namespace>, name: &Value) -> Result {
    let symbol = symbol(name)?;
    let var = match symbol.namespace() {
        None => current.find(symbol.name()),
        Some(namespace) => {
            let alias = current.aliases.read().get(namespace).cloned();
            let found = cx.rt.namespace(alias.as_deref().unwrap_or(namespace));
            found.and_then(|namespace| namespace.find(symbol.name()))
        }
    };
    if let Some(var) = var {
        return Ok(Value::Var(var));
    }
    let class = compile::resolve_class(cx.rt, current, symbol.name());
    Ok(class
        .filter(|_| symbol.namespace().is_none())
        .map_or(Value::Nil, |name| Class::value(&name)))
}

fn requiring_resolve(cx: &Cx<'_>, args: &[Value]) -> Result {
    let symbol = symbol(&args[0])?;
    let Some(namespace) = symbol.namespace() else {
        return Err(Thrown::illegal_argument(format!(
            "Not a qualified symbol: {}",
            symbol.name()
        )));
    };
    if cx.rt.var(namespace, symbol.name()).is_none() {
        require::load_namespace(cx, namespace, false)?;
    }
    Ok(cx.rt.var(namespace, symbol.name()).map(Value::Var).into())
}

fn intern(cx: &Cx<'_>, args: &[Value]) -> Result {
    let var = namespace(cx, &args[0])?.intern(symbol(&args[1])?.name());
    if let Some(value) = args.get(2) {
        var.set_root(Some(value.clone()));
    }
    if let Some(meta) = symbol(&args[1])?.meta() {
        var.set_meta(meta.clone());
    }
    Ok(Value::Var(var))
}

/// A function with the bindings it was made under.
struct BoundFn {
    bindings: dynamic::Bindings,
    function: Value,
}

impl Callable for BoundFn {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        dynamic::within(self.bindings.clone(), || cx.call(&self.function, args))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn with_bindings(cx: &Cx<'_>, args: &[Value]) -> Result {
    dynamic::with(bound(&args[0])?, || cx.call(&args[1], &args[2..]))
}

/// The vars of a map with the values to bind them to.
fn bound(map: &Value) -> Result<Vec<(Arc<Var>, Value)>> {
    let mut vars = Vec::new();
    for (key, value) in entries(map)?.iter() {
        let var = var(key)?;
        if !var.is_dynamic() {
            let message = format!(
                "Can't dynamically bind non-dynamic var: {}/{}",
                var.namespace, var.name
            );
            return Err(Thrown::illegal_state(message)
                .with_hint(format!("define it as (def ^:dynamic {} …)", var.name)));
        }
        vars.push((var.clone(), value.clone()));
    }
    Ok(vars)
}

fn entries(value: &Value) -> Result<&Map> {
    match value {
        Value::Map(map) => Ok(map),
        _ => Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class clojure.lang.IPersistentMap",
            value.class_name()
        ))),
    }
}

fn with_redefs(cx: &Cx<'_>, args: &[Value]) -> Result {
    let mut vars = Vec::new();
    for (key, value) in entries(&args[0])?.iter() {
        vars.push((var(key)?.clone(), Some(value.clone())));
    }
    let _restore = Restore(
        vars.into_iter()
            .map(|(var, value)| (var.clone(), var.set_root(value)))
            .collect(),
    );
    cx.call(&args[1], &[])
}

/// Puts roots back, also when the function panics.
struct Restore(Vec<(Arc<Var>, Option<Value>)>);

impl Drop for Restore {
    fn drop(&mut self) {
        for (var, root) in self.0.drain(..).rev() {
            var.set_root(root);
        }
    }
}
