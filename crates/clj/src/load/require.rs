//! require, use, refer, import.

use std::sync::Arc;

use crate::{Cx, Namespace, Result, Symbol, Thrown, Value, seq};

/// Loads a namespace unless it has been loaded: from the program, from the search path; one that
/// is all native is there already, whatever lies on the search path: what a library of that name
/// needs of Java could not be loaded.
///
/// # Errors
/// `FileNotFoundException` if there is no such source; what is wrong with it.
pub fn load_namespace(cx: &Cx<'_>, name: &str, reload: bool) -> Result<()> {
    let sources = &cx.rt.sources;
    let fresh = sources.loaded.lock().insert(name.into());
    if !fresh && !reload {
        return Ok(());
    }
    let path = name.replace('-', "_").replace('.', "/");
    let is_native = sources.native.lock().contains(name);
    if is_native && !sources.embedded.contains_key(&*path) {
        return Ok(());
    }
    let loaded = match load_path(cx, &path) {
        Some(result) => result,
        None if cx.rt.namespace(name).is_some() => return Ok(()),
        None => Err(not_found(cx, name, &path)),
    };
    let loaded = loaded.and_then(|_| match cx.rt.namespace(name) {
        Some(_) => Ok(()),
        None => Err(Thrown::runtime(format!(
            "namespace '{name}' not found after loading '/{path}'"
        ))),
    });
    if loaded.is_err() {
        sources.loaded.lock().remove(name);
    }
    loaded
}

/// Evaluates the source at a path of the program or of the search path; `None` if there is none.
pub fn load_path(cx: &Cx<'_>, path: &str) -> Option<Result> {
    if let Some(text) = cx.rt.sources.embedded.get(path) {
        return Some(cx.rt.eval_source(cx, &format!("{path}.clj"), text));
    }
    let (file, text) = cx.rt.host.find_source(path)?;
    Some(cx.rt.eval_included(cx, &file, &text))
}

fn not_found(cx: &Cx<'_>, name: &str, path: &str) -> Thrown {
    let message =
        format!("Could not locate {path}__init.class, {path}.clj or {path}.cljc on classpath.");
    let thrown = Thrown::new("java.io.FileNotFoundException", message);
    let loaded = cx.rt.namespaces();
    let embedded = cx
        .rt
        .sources
        .embedded
        .keys()
        .map(|path| path.replace('/', "."));
    let names: Vec<String> = loaded
        .iter()
        .map(|namespace| namespace.name.to_string())
        .chain(embedded)
        .collect();
    match crate::suggest::sentence(name, names.iter().map(String::as_str)) {
        Some(hint) => thrown.with_hint(hint),
        None => thrown.with_hint(crate::library::absent::reason(name)),
    }
}

/// What a library specification asks for: `[name :as alias :refer [names]]`.
struct Library {
    name: Arc<str>,
    options: Vec<(Arc<str>, Value)>,
}

impl Library {
    fn option(&self, name: &str) -> Option<&Value> {
        self.options
            .iter()
            .find(|(key, _)| **key == *name)
            .map(|(_, value)| value)
    }
}

/// `(require …)` or, with `use_all`, `(use …)`.
pub fn require(cx: &Cx<'_>, args: &[Value], use_all: bool) -> Result {
    let flag = |name: &str| args.contains(&Value::keyword(name));
    let reload = flag("reload") || flag("reload-all");
    let mut outcome = Ok(());
    for arg in args {
        for library in libraries(arg, None)? {
            // The others are loaded all the same, for whoever goes on after the error.
            let loaded = require_one(cx, &library, reload, use_all);
            outcome = outcome.and(loaded);
        }
    }
    outcome.map(|()| Value::Nil)
}

fn require_one(cx: &Cx<'_>, library: &Library, reload: bool, use_all: bool) -> Result<()> {
    let current = cx.rt.current_namespace();
    if let Some(Value::Symbol(alias)) = library.option("as-alias") {
        cx.rt.ensure_namespace(&library.name);
        current
            .aliases
            .write()
            .insert(alias.name().into(), library.name.clone());
        return Ok(());
    }
    load_namespace(cx, &library.name, reload)?;
    if let Some(Value::Symbol(alias)) = library.option("as") {
        current
            .aliases
            .write()
            .insert(alias.name().into(), library.name.clone());
    }
    let Some(source) = cx.rt.namespace(&library.name) else {
        return Ok(());
    };
    let exclude = library.option("exclude");
    let rename = library.option("rename");
    match library.option("refer").or_else(|| library.option("only")) {
        Some(Value::Keyword(_)) => refer_vars(&current, &source, None, exclude, rename),
        Some(only) => refer_vars(&current, &source, Some(only), exclude, rename),
        None if use_all => refer_vars(&current, &source, None, exclude, rename),
        None => Ok(()),
    }
}

/// `(refer 'name :only [names] :exclude [names] :rename {name other})`
pub fn refer(cx: &Cx<'_>, args: &[Value]) -> Result {
    let Some((Value::Symbol(name), options)) = args.split_first() else {
        return Err(Thrown::illegal_argument(
            "refer needs the name of a namespace",
        ));
    };
    let Some(source) = cx.rt.namespace(name.name()) else {
        return Err(Thrown::new(
            "java.lang.Exception",
            format!("No namespace: {}", name.name()),
        ));
    };
    let option = |name: &str| {
        let key = Value::keyword(name);
        options
            .chunks_exact(2)
            .find(|pair| pair[0] == key)
            .map(|pair| &pair[1])
    };
    let current = cx.rt.current_namespace();
    refer_vars(
        &current,
        &source,
        option("only"),
        option("exclude"),
        option("rename"),
    )?;
    Ok(Value::Nil)
}

fn refer_vars(
    current: &Namespace,
    source: &Arc<Namespace>,
    only: Option<&Value>,
    exclude: Option<&Value>,
    rename: Option<&Value>,
) -> Result<()> {
    if current.name == source.name {
        return Ok(());
    }
    if let (None, None, None) = (only, exclude, rename) {
        current.refer_all(source);
        return Ok(());
    }
    let excluded = match exclude {
        Some(names) => seq::to_vec(names)?,
        None => Vec::new(),
    };
    let names = match only {
        Some(names) => seq::to_vec(names)?,
        None => public_names(source),
    };
    for name in names {
        let Value::Symbol(symbol) = &name else {
            return Err(Thrown::illegal_argument(
                ":only/:refer value must be a sequential collection of symbols",
            ));
        };
        if excluded.contains(&name) {
            continue;
        }
        let var = source
            .find(symbol.name())
            .filter(|var| var.namespace == source.name);
        let Some(var) = var.filter(|var| !var.is_private()) else {
            return Err(missing(source, symbol));
        };
        let renamed = rename.and_then(|names| seq::get(names, &name));
        let name = match &renamed {
            Some(Value::Symbol(renamed)) => renamed.name(),
            _ => symbol.name(),
        };
        current.refer(name, var);
    }
    Ok(())
}

fn public_names(namespace: &Namespace) -> Vec<Value> {
    let mappings = namespace.mappings.read();
    let own = mappings
        .values()
        .filter(|var| var.namespace == namespace.name && !var.is_private());
    own.map(|var| Value::symbol(&var.name)).collect()
}

fn missing(source: &Namespace, symbol: &Symbol) -> Thrown {
    let name = symbol.name();
    let thrown = Thrown::new(
        "java.lang.IllegalAccessError",
        format!("{name} does not exist"),
    );
    let names = public_names(source);
    let names = names.iter().filter_map(|name| match name {
        Value::Symbol(symbol) => Some(symbol.name()),
        _ => None,
    });
    let thrown = match symbol.span() {
        Some(span) => thrown.at(span.clone(), None),
        None => thrown,
    };
    match crate::suggest::sentence(name, names) {
        Some(hint) => thrown.with_hint(hint),
        None => thrown.with_hint(format!(
            "it is not among the public names of {}",
            source.name
        )),
    }
}

/// The libraries of one argument: `name`, `[name options…]`, `(prefix name [name …])`.
fn libraries(spec: &Value, prefix: Option<&str>) -> Result<Vec<Library>> {
    let full = |name: &str| match prefix {
        Some(prefix) => format!("{prefix}.{name}").into(),
        None => Arc::from(name),
    };
    match spec {
        Value::Keyword(_) => Ok(Vec::new()),
        Value::Symbol(name) => Ok(vec![Library {
            name: full(name.name()),
            options: Vec::new(),
        }]),
        Value::Vector(_) | Value::List(_) | Value::Lazy(_) => {
            let items = seq::to_vec(spec)?;
            let Some((Value::Symbol(name), rest)) = items.split_first() else {
                return Err(unsupported(spec));
            };
            let is_options = rest
                .first()
                .is_none_or(|item| matches!(item, Value::Keyword(_)));
            if is_options {
                return Ok(vec![Library {
                    name: full(name.name()),
                    options: options(rest, spec)?,
                }]);
            }
            let mut found = Vec::new();
            for item in rest {
                found.extend(libraries(item, Some(&full(name.name())))?);
            }
            Ok(found)
        }
        _ => Err(unsupported(spec)),
    }
}

fn options(items: &[Value], spec: &Value) -> Result<Vec<(Arc<str>, Value)>> {
    let mut options = Vec::new();
    for pair in items.chunks(2) {
        match pair {
            [Value::Keyword(key), value] => options.push((key.name().into(), value.clone())),
            _ => return Err(unsupported(spec)),
        }
    }
    Ok(options)
}

fn unsupported(spec: &Value) -> Thrown {
    Thrown::illegal_argument(format!("not a libspec: {}", spec.to_readable()))
        .with_hint("write [some.namespace :as alias :refer [names]]")
}

/// `(import* 'java.util.Date '(java.util Date UUID))`. A class nobody knows is an error where it
/// is used, not here.
pub fn import(cx: &Cx<'_>, args: &[Value]) -> Result {
    let current = cx.rt.current_namespace();
    let mut imports = current.imports.write();
    let mut last = Value::Nil;
    let mut add = |package: Option<&str>, name: &str| {
        let full = match package {
            Some(package) => format!("{package}.{name}"),
            None => name.to_owned(),
        };
        let short = full.rsplit_once('.').map_or(&*full, |(_, short)| short);
        imports.insert(short.into(), full.as_str().into());
        last = crate::java::Class::value(&full);
    };
    for arg in args {
        if let Value::Symbol(class) = arg {
            add(None, class.name());
            continue;
        }
        let items = seq::to_vec(arg)?;
        let Some((Value::Symbol(package), classes)) = items.split_first() else {
            return Err(Thrown::illegal_argument(
                "import needs a package and names of classes",
            ));
        };
        for class in classes {
            if let Value::Symbol(class) = class {
                add(Some(package.name()), class.name());
            }
        }
    }
    Ok(last)
}
