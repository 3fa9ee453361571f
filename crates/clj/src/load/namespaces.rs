//! Namespaces as values: in-ns, require, find-ns, ns-publics …

use super::arguments::{namespace, native, symbol};
use super::require;
use crate::java::Class;
use crate::{Cx, Namespace, Native, Result, Value, Var, dynamic};

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
];

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

fn mapped(namespace: &Namespace, keep: impl Fn(&Var) -> bool) -> Value {
    let mappings = namespace.mappings.read();
    let kept = mappings.iter().filter(|(_, var)| keep(var));
    Value::map(kept.map(|(name, var)| (Value::symbol(name), Value::Var(var.clone()))))
}
