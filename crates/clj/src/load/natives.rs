//! Functions of namespaces and evaluation: in-ns, require, eval, resolve, ns-* …

use std::sync::Arc;

use super::require;
use crate::java::Class;
use crate::reader::Reader;
use crate::{
    Cx, Map, Namespace, Native, Result, Symbol, Thrown, Value, Var, compile, dynamic, seq,
};

const fn native(
    name: &'static str,
    arglists: &'static str,
    doc: &'static str,
    arity: (usize, Option<usize>),
    code: crate::NativeFn,
) -> Native {
    Native {
        name,
        arglists,
        doc,
        arity,
        code,
    }
}

pub const NATIVES: &[Native] = &[
    native(
        "in-ns",
        "([name])",
        "Makes the namespace of that name current.",
        (1, Some(1)),
        in_ns,
    ),
    native(
        "ns-meta*",
        "([name meta])",
        "Sets the metadata of a namespace.",
        (2, Some(2)),
        ns_meta,
    ),
    native(
        "require",
        "([& args])",
        "Loads namespaces, with aliases and names to refer to.",
        (0, None),
        |cx, args| require::require(cx, args, false),
    ),
    native(
        "use",
        "([& args])",
        "Loads namespaces and refers to all their names.",
        (0, None),
        |cx, args| require::require(cx, args, true),
    ),
    native(
        "refer",
        "([ns-sym & filters])",
        "Refers to the public names of a namespace.",
        (1, None),
        require::refer,
    ),
    native(
        "refer-clojure*",
        "([& filters])",
        "Refers to clojure.core.",
        (0, None),
        |cx, args| {
            let core = [Value::symbol("clojure.core")];
            let args: Vec<Value> = core.iter().chain(args).cloned().collect();
            require::refer(cx, &args)
        },
    ),
    native(
        "import*",
        "([& classes])",
        "Makes the short names of classes known.",
        (0, None),
        require::import,
    ),
    native(
        "alias",
        "([alias namespace-sym])",
        "Adds an alias for a namespace.",
        (2, Some(2)),
        alias,
    ),
    native(
        "load-file",
        "([name])",
        "Reads and evaluates a file.",
        (1, Some(1)),
        load_file,
    ),
    native(
        "load-path*",
        "([path])",
        "Reads and evaluates the source at a path of the search path.",
        (1, Some(1)),
        |cx, args| {
            let path = text(&args[0])?;
            require::load_path(cx, path).unwrap_or_else(|| {
                let message = format!("Could not locate {path}.clj on classpath.");
                Err(Thrown::new("java.io.FileNotFoundException", message))
            })
        },
    ),
    native(
        "load-string",
        "([s])",
        "Reads and evaluates the forms of a string.",
        (1, Some(1)),
        |cx, args| super::eval_forms(cx, "load-string", text(&args[0])?),
    ),
    native(
        "load-reader",
        "([rdr])",
        "Reads and evaluates a text.",
        (1, Some(1)),
        |cx, args| super::eval_forms(cx, "load-reader", text(&args[0])?),
    ),
    native(
        "eval",
        "([form])",
        "Evaluates a form.",
        (1, Some(1)),
        |cx, args| compile::eval(cx, &args[0]),
    ),
    native(
        "read-string",
        "([s] [opts s])",
        "Reads the first form of a string.",
        (1, Some(2)),
        read_string,
    ),
    native(
        "macroexpand-1",
        "([form])",
        "Expands a macro call once.",
        (1, Some(1)),
        |cx, args| compile::macroexpand_1(cx, &args[0]),
    ),
    native(
        "macroexpand",
        "([form])",
        "Expands a form until it is no macro call.",
        (1, Some(1)),
        macroexpand,
    ),
    native(
        "gensym",
        "([] [prefix])",
        "A symbol that has not been used before.",
        (0, Some(1)),
        |cx, args| {
            let prefix = args.first().map_or("G__".into(), Value::to_text);
            Ok(Value::Symbol(cx.rt.gensym(&prefix)))
        },
    ),
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
        "find-ns",
        "([sym])",
        "The namespace of that name; nil if none.",
        (1, Some(1)),
        |cx, args| {
            let found = cx.rt.namespace(symbol(&args[0])?.name());
            Ok(found.map_or(Value::Nil, |namespace| Value::Object(namespace)))
        },
    ),
    native(
        "create-ns",
        "([sym])",
        "The namespace of that name, made if missing.",
        (1, Some(1)),
        |cx, args| {
            Ok(Value::Object(
                cx.rt.ensure_namespace(symbol(&args[0])?.name()),
            ))
        },
    ),
    native(
        "the-ns",
        "([x])",
        "The namespace of that name, or itself.",
        (1, Some(1)),
        |cx, args| Ok(Value::Object(namespace(cx, &args[0])?)),
    ),
    native(
        "remove-ns",
        "([sym])",
        "Forgets a namespace.",
        (1, Some(1)),
        |cx, args| {
            cx.rt.remove_namespace(symbol(&args[0])?.name());
            Ok(Value::Nil)
        },
    ),
    native(
        "all-ns",
        "([])",
        "All namespaces.",
        (0, Some(0)),
        |cx, _| {
            let all = cx.rt.namespaces();
            Ok(Value::list(
                all.into_iter()
                    .map(|namespace| Value::Object(namespace))
                    .collect(),
            ))
        },
    ),
    native(
        "ns-name",
        "([ns])",
        "The name of a namespace, a symbol.",
        (1, Some(1)),
        |cx, args| Ok(Value::symbol(&namespace(cx, &args[0])?.name)),
    ),
    native(
        "ns-publics",
        "([ns])",
        "The public vars of a namespace by their names.",
        (1, Some(1)),
        |cx, args| {
            let namespace = namespace(cx, &args[0])?;
            Ok(mapped(&namespace, |var| {
                var.namespace == namespace.name && !var.is_private()
            }))
        },
    ),
    native(
        "ns-interns",
        "([ns])",
        "The vars of a namespace by their names.",
        (1, Some(1)),
        |cx, args| {
            let namespace = namespace(cx, &args[0])?;
            Ok(mapped(&namespace, |var| var.namespace == namespace.name))
        },
    ),
    native(
        "ns-refers",
        "([ns])",
        "The vars of others that a namespace refers to.",
        (1, Some(1)),
        |cx, args| {
            let namespace = namespace(cx, &args[0])?;
            Ok(mapped(&namespace, |var| var.namespace != namespace.name))
        },
    ),
    native(
        "ns-map",
        "([ns])",
        "All names of a namespace.",
        (1, Some(1)),
        |cx, args| {
            let namespace = namespace(cx, &args[0])?;
            Ok(mapped(&namespace, |_| true))
        },
    ),
    native(
        "ns-aliases",
        "([ns])",
        "The aliases of a namespace.",
        (1, Some(1)),
        |cx, args| {
            let namespace = namespace(cx, &args[0])?;
            let aliases = namespace.aliases.read();
            let pairs = aliases.iter().filter_map(|(alias, name)| {
                Some((Value::symbol(alias), Value::Object(cx.rt.namespace(name)?)))
            });
            Ok(Value::map(pairs))
        },
    ),
    native(
        "ns-imports",
        "([ns])",
        "The classes a namespace knows by short names.",
        (1, Some(1)),
        |cx, args| {
            let namespace = namespace(cx, &args[0])?;
            let imports = namespace.imports.read();
            Ok(Value::map(imports.iter().map(|(short, full)| {
                (Value::symbol(short), Class::value(full))
            })))
        },
    ),
    native(
        "ns-unmap",
        "([ns sym])",
        "Removes a name from a namespace.",
        (2, Some(2)),
        |cx, args| {
            namespace(cx, &args[0])?
                .mappings
                .write()
                .remove(symbol(&args[1])?.name());
            Ok(Value::Nil)
        },
    ),
    native(
        "ns-unalias",
        "([ns sym])",
        "Removes an alias from a namespace.",
        (2, Some(2)),
        |cx, args| {
            namespace(cx, &args[0])?
                .aliases
                .write()
                .remove(symbol(&args[1])?.name());
            Ok(Value::Nil)
        },
    ),
    native(
        "loaded-libs",
        "([])",
        "The names of the namespaces loaded so far.",
        (0, Some(0)),
        |cx, _| {
            Ok(Value::Set(
                cx.rt
                    .sources
                    .loaded()
                    .iter()
                    .map(|name| Value::symbol(name))
                    .collect(),
            ))
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
            var.set_root(Some(value.clone()));
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
        "with-redefs-fn",
        "([binding-map func])",
        "Calls a function while the roots of vars are others.",
        (2, Some(2)),
        with_redefs,
    ),
];

/// A function with the bindings it was made under.
struct BoundFn {
    bindings: dynamic::Bindings,
    function: Value,
}

impl crate::Callable for BoundFn {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        dynamic::within(self.bindings.clone(), || cx.call(&self.function, args))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn symbol(value: &Value) -> Result<&Symbol> {
    match value {
        Value::Symbol(symbol) => Ok(symbol),
        _ => Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class clojure.lang.Symbol",
            value.class_name()
        ))),
    }
}

fn var(value: &Value) -> Result<&Arc<Var>> {
    match value {
        Value::Var(var) => Ok(var),
        _ => Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class clojure.lang.Var",
            value.class_name()
        ))),
    }
}

fn text(value: &Value) -> Result<&str> {
    value.as_str().ok_or_else(|| {
        Thrown::class_cast(format!(
            "class {} cannot be cast to class java.lang.String",
            value.class_name()
        ))
    })
}

/// A namespace given as itself or by its name.
fn namespace(cx: &Cx<'_>, value: &Value) -> Result<Arc<Namespace>> {
    let name = match value.downcast::<Namespace>() {
        Some(namespace) => &*namespace.name,
        None => symbol(value)?.name(),
    };
    let missing = || Thrown::new("java.lang.Exception", format!("No namespace: {name} found"));
    cx.rt.namespace(name).ok_or_else(missing)
}

fn in_ns(cx: &Cx<'_>, args: &[Value]) -> Result {
    let namespace = Value::Object(cx.rt.ensure_namespace(symbol(&args[0])?.name()));
    if !dynamic::set(&cx.rt.ns_var, namespace.clone()) {
        cx.rt.ns_var.set_root(Some(namespace.clone()));
    }
    Ok(namespace)
}

fn ns_meta(cx: &Cx<'_>, args: &[Value]) -> Result {
    let namespace = namespace(cx, &args[0])?;
    if let Value::Map(meta) = &args[1] {
        *namespace.meta.write() = Some(meta.clone());
    }
    cx.rt.sources.loaded.lock().insert(namespace.name.clone());
    Ok(Value::Nil)
}

fn alias(cx: &Cx<'_>, args: &[Value]) -> Result {
    let target = namespace(cx, &args[1])?;
    let alias = symbol(&args[0])?.name();
    cx.rt
        .current_namespace()
        .aliases
        .write()
        .insert(alias.into(), target.name.clone());
    Ok(Value::Nil)
}

fn load_file(cx: &Cx<'_>, args: &[Value]) -> Result {
    let path = text(&args[0])?;
    let read = cx.rt.host.read_file(path).map_err(|error| {
        Thrown::new("java.io.FileNotFoundException", format!("{path} ({error})"))
    })?;
    cx.rt.eval_source(cx, path, &read)
}

fn read_string(cx: &Cx<'_>, args: &[Value]) -> Result {
    let text = text(args.last().unwrap_or(&Value::Nil))?;
    let mut reader = Reader::new(cx, "string".into(), text);
    match reader.read()? {
        Some(form) => Ok(form),
        None => {
            let eof = seq::get(&args[0], &Value::keyword("eof")).filter(|_| args.len() == 2);
            eof.ok_or_else(|| Thrown::runtime("EOF while reading"))
        }
    }
}

fn macroexpand(cx: &Cx<'_>, args: &[Value]) -> Result {
    let mut form = args[0].clone();
    loop {
        let expanded = compile::macroexpand_1(cx, &form)?;
        let same = match (&expanded, &form) {
            (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b),
            (Value::List(_), _) => false,
            _ => true,
        };
        if same {
            return Ok(expanded);
        }
        form = expanded;
    }
}

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

fn mapped(namespace: &Namespace, keep: impl Fn(&Var) -> bool) -> Value {
    let mappings = namespace.mappings.read();
    let kept = mappings.iter().filter(|(_, var)| keep(var));
    Value::map(kept.map(|(name, var)| (Value::symbol(name), Value::Var(var.clone()))))
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

fn with_bindings(cx: &Cx<'_>, args: &[Value]) -> Result {
    let mut vars = Vec::new();
    for (key, value) in entries(&args[0])?.iter() {
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
    dynamic::with(vars, || cx.call(&args[1], &args[2..]))
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
