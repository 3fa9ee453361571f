//! `clojure.repl`: what a name means, and what names there are.

use std::sync::Arc;

use crate::core::arguments::{not_a, text};
use crate::core::io::write_out;
use crate::core::native;
use crate::core::regex::{self, Regex};
use crate::macros::deferred;
use crate::reader::Reader;
use crate::{Cx, Namespace, Native, Result, Symbol, Thrown, Value, Var, form};

const NAMESPACE: &str = "clojure.repl";

/// The form and the environment, which every macro is handed, and one argument.
const ONE_FORM: (usize, Option<usize>) = (3, Some(3));

pub const MACROS: &[Native] = &[
    native(
        "doc",
        "([name])",
        "Prints what a name means.",
        ONE_FORM,
        |_, a| Ok(call("print-doc", a[2].clone())),
    ),
    native(
        "source",
        "([n])",
        "Prints the source of a name.",
        ONE_FORM,
        |_, a| Ok(call("print-source", a[2].clone())),
    ),
    native(
        "dir",
        "([nsname])",
        "Prints the public names of a namespace.",
        ONE_FORM,
        |_, a| Ok(call("print-dir", a[2].clone())),
    ),
];

pub const NATIVES: &[Native] = &[
    native(
        "print-doc",
        "([name])",
        "Prints what a name means.",
        (1, Some(1)),
        print_doc,
    ),
    native(
        "print-source",
        "([name])",
        "Prints the source of a name.",
        (1, Some(1)),
        |cx, a| {
            let source = source(cx, &a[0])?.unwrap_or_else(|| "Source not found".to_owned());
            write_out(cx, &format!("{source}\n"))?;
            Ok(Value::Nil)
        },
    ),
    native(
        "print-dir",
        "([ns])",
        "Prints the public names of a namespace.",
        (1, Some(1)),
        |cx, a| {
            for name in names(&*namespace(cx, &a[0])?) {
                write_out(cx, &format!("{name}\n"))?;
            }
            Ok(Value::Nil)
        },
    ),
    native(
        "dir-fn",
        "([ns])",
        "The public names of a namespace.",
        (1, Some(1)),
        |cx, a| {
            let names = names(&*namespace(cx, &a[0])?);
            Ok(Value::list(
                names.iter().map(|name| Value::symbol(name)).collect(),
            ))
        },
    ),
    native(
        "source-fn",
        "([x])",
        "The source of a name, a symbol.",
        (1, Some(1)),
        |cx, a| Ok(source(cx, &a[0])?.into()),
    ),
    native(
        "apropos",
        "([str-or-pattern])",
        "The public names in any namespace that contain a text or match an expression.",
        (1, Some(1)),
        apropos,
    ),
    native(
        "find-doc",
        "([re-string-or-pattern])",
        "Prints what every name means whose name or meaning matches an expression.",
        (1, Some(1)),
        find_doc,
    ),
    native(
        "pst",
        "([e] [e depth])",
        "Prints an exception and its causes.",
        (1, Some(2)),
        |cx, a| {
            let depth = a
                .get(1)
                .and_then(Value::as_i64)
                .and_then(|depth| usize::try_from(depth).ok());
            write_out(cx, &super::stacktrace::text(&a[0], depth.unwrap_or(12)))?;
            Ok(Value::Nil)
        },
    ),
];

/// `(clojure.repl/name 'argument)`
fn call(name: &str, argument: Value) -> Value {
    let argument = form::special("quote", [argument]);
    form::list(
        Value::Symbol(Symbol::new(Some(NAMESPACE), name)),
        [argument],
    )
}

fn print_doc(cx: &Cx<'_>, args: &[Value]) -> Result {
    if let Some(var) = resolve(cx, &args[0])? {
        write_out(cx, &description(cx, &var)?)?;
    }
    Ok(Value::Nil)
}

/// The var that a symbol names in the current namespace.
fn resolve(cx: &Cx<'_>, name: &Value) -> Result<Option<Arc<Var>>> {
    let Value::Symbol(symbol) = name else {
        return Err(not_a(name, "clojure.lang.Symbol"));
    };
    let current = cx.rt.current_namespace();
    Ok(match symbol.namespace() {
        None => current.find(symbol.name()),
        Some(namespace) => {
            let alias = current.aliases.read().get(namespace).cloned();
            cx.rt
                .var(alias.as_deref().unwrap_or(namespace), symbol.name())
        }
    })
}

/// As doc prints it: the full name, the arguments, what kind of thing it is, what it means.
fn description(cx: &Cx<'_>, var: &Var) -> Result<String> {
    deferred::ready(cx, var)?;
    let meta = var.meta();
    let line = |name: &str| {
        meta.get_keyword(name)
            .map(|value| format!("{}\n", value.to_text()))
    };
    let arglists = line("arglists").unwrap_or_default();
    let kind = if var.is_macro() { "Macro\n" } else { "" };
    let doc = line("doc")
        .map(|doc| format!("  {doc}"))
        .unwrap_or_default();
    let rule = "-------------------------";
    Ok(format!(
        "{rule}\n{}/{}\n{arglists}{kind}{doc}",
        var.namespace, var.name
    ))
}

fn source(cx: &Cx<'_>, name: &Value) -> Result<Option<String>> {
    let Some(var) = resolve(cx, name)? else {
        return Ok(None);
    };
    deferred::ready(cx, &var)?;
    let meta = var.meta();
    let file = meta.get_keyword("file").and_then(Value::as_str);
    let line = meta.get_keyword("line").and_then(Value::as_i64);
    let (Some(file), Some(line)) = (file, line.and_then(|line| usize::try_from(line).ok())) else {
        return Ok(None);
    };
    let Some(text) = cx.rt.sources.text(file) else {
        return Ok(None);
    };
    let start = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let rest = &text[start..];
    let mut reader = Reader::new(cx, file.into(), rest);
    reader.read()?;
    Ok(Some(rest[..reader.position()].to_owned()))
}

fn namespace(cx: &Cx<'_>, name: &Value) -> Result<Arc<Namespace>> {
    let name = text(name)?;
    let alias = cx
        .rt
        .current_namespace()
        .aliases
        .read()
        .get(name.as_str())
        .cloned();
    let found = cx.rt.namespace(alias.as_deref().unwrap_or(&name));
    found.ok_or_else(|| Thrown::new("java.lang.Exception", format!("No namespace: {name} found")))
}

fn names(namespace: &Namespace) -> Vec<String> {
    publics(namespace)
        .iter()
        .map(|var| var.name.to_string())
        .collect()
}

/// A namespace's own public vars, by name.
fn publics(namespace: &Namespace) -> Vec<Arc<Var>> {
    let mappings = namespace.mappings.read();
    let own = mappings
        .values()
        .filter(|var| var.namespace == namespace.name && !var.is_private());
    let mut own: Vec<Arc<Var>> = own.cloned().collect();
    own.sort_by(|a, b| a.name.cmp(&b.name));
    own
}

fn all(cx: &Cx<'_>) -> Vec<Arc<Var>> {
    let mut namespaces = cx.rt.namespaces();
    namespaces.sort_by(|a, b| a.name.cmp(&b.name));
    namespaces
        .iter()
        .flat_map(|namespace| publics(namespace))
        .collect()
}

fn apropos(cx: &Cx<'_>, args: &[Value]) -> Result {
    let mut found = Vec::new();
    for var in all(cx) {
        let matches = match args[0].downcast::<Regex>() {
            Some(regex) => regex.is_match(&var.name)?,
            None => var.name.contains(&text(&args[0])?),
        };
        if matches {
            found.push(Value::Symbol(Symbol::new(Some(&var.namespace), &var.name)));
        }
    }
    Ok(Value::list(found))
}

fn find_doc(cx: &Cx<'_>, args: &[Value]) -> Result {
    let pattern = regex::pattern(&args[0])?;
    let Some(regex) = pattern.downcast::<Regex>() else {
        return Ok(Value::Nil);
    };
    for var in all(cx) {
        deferred::ready(cx, &var)?;
        let doc = var.meta().get_keyword("doc").map(Value::to_text);
        let Some(doc) = doc else {
            continue;
        };
        if regex.is_match(&var.name)? || regex.is_match(&doc)? {
            write_out(cx, &description(cx, &var)?)?;
        }
    }
    Ok(Value::Nil)
}
