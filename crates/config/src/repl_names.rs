//! What names there are, and what they mean: for completion and documentation.

use std::collections::BTreeMap;
use std::sync::Arc;

use clj::{Cx, Namespace, Runtime, Value, Var};

use crate::load::Configuration;
use crate::repl_session::see_everything;
use crate::words;

/// Completions given at once; a longer list helps nobody.
const COMPLETIONS_MAX: usize = 1_000;

/// A name that a prefix can become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    pub name: String,
    /// `function`, `macro`, `var`, `namespace`.
    pub kind: &'static str,
}

/// What a name means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    pub namespace: String,
    pub name: String,
    pub is_macro: bool,
    pub arglists: Option<String>,
    pub doc: Option<String>,
    pub file: Option<String>,
    pub line: Option<i64>,
    pub column: Option<i64>,
}

impl Configuration {
    /// Names that begin with the prefix, as they can be written in a namespace, in lexical order.
    pub fn completions(&self, namespace: &str, prefix: &str) -> Vec<Completion> {
        let Some(current) = self.seen_from(namespace) else {
            return Vec::new();
        };
        let mut found = BTreeMap::new();
        match prefix.split_once('/') {
            Some((alias, start)) if !alias.is_empty() => {
                let Some(there) = aliased(&self.rt, &current, alias) else {
                    return Vec::new();
                };
                for (name, var) in there.mappings.read().iter() {
                    let own = var.namespace == there.name && is_shown(var);
                    if own && name.starts_with(start) {
                        found.insert(format!("{alias}/{name}"), kind(var));
                    }
                }
            }
            _ => {
                for namespace in self.rt.namespaces() {
                    found.insert(namespace.name.to_string(), "namespace");
                }
                for alias in current.aliases.read().keys() {
                    found.insert(alias.to_string(), "namespace");
                }
                for (name, var) in current.mappings.read().iter() {
                    if is_shown(var) || var.namespace == current.name {
                        found.insert(name.to_string(), kind(var));
                    }
                }
                found.retain(|name, _| name.starts_with(prefix));
            }
        }
        let found = found.into_iter().take(COMPLETIONS_MAX);
        found
            .map(|(name, kind)| Completion { name, kind })
            .collect()
    }

    fn seen_from(&self, namespace: &str) -> Option<Arc<Namespace>> {
        if namespace == "user" {
            see_everything(&Cx::new(&self.rt));
        }
        self.rt.namespace(namespace)
    }

    /// What a name means in a namespace.
    pub fn meaning(&self, namespace: &str, name: &str) -> Option<Meaning> {
        let current = self.seen_from(namespace)?;
        let var = match name.split_once('/') {
            Some((alias, name)) if !alias.is_empty() && !name.is_empty() => {
                aliased(&self.rt, &current, alias)?.find(name)?
            }
            _ => current.find(name)?,
        };
        let meta = words::call(&Cx::new(&self.rt), "meta", &[Value::Var(var.clone())]).ok()?;
        let Value::Map(meta) = meta else {
            return None;
        };
        let text = |name: &str| meta.get_keyword(name).map(Value::to_text);
        let number = |name: &str| meta.get_keyword(name).and_then(Value::as_i64);
        Some(Meaning {
            namespace: var.namespace.to_string(),
            name: var.name.to_string(),
            is_macro: var.is_macro(),
            arglists: text("arglists"),
            doc: text("doc"),
            file: text("file"),
            line: number("line"),
            column: number("column"),
        })
    }
}

fn aliased(rt: &Runtime, current: &Namespace, alias: &str) -> Option<Arc<Namespace>> {
    let name = current.aliases.read().get(alias).cloned();
    rt.namespace(name.as_deref().unwrap_or(alias))
}

/// A dash and a letter begin the names of a namespace's inside.
fn is_shown(var: &Var) -> bool {
    let inside = var.name.strip_prefix('-');
    !var.is_private() && !inside.is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}

fn kind(var: &Var) -> &'static str {
    match var.root() {
        _ if var.is_macro() => "macro",
        Some(Value::Fn(_)) => "function",
        _ => "var",
    }
}
