//! What a symbol that is no local stands for.

use std::sync::Arc;

use super::analyze::Analyzer;
use crate::{Namespace, Result, Runtime, Symbol, Thrown, Var, java, suggest};

pub enum Resolved {
    Var(Arc<Var>),
    /// The full name of a class.
    Class(Arc<str>),
    /// A class and one of its static members.
    Static(Arc<str>, Arc<str>),
}

impl Analyzer<'_> {
    /// The var a symbol names, if it names one.
    pub fn lookup(&self, symbol: &Symbol) -> Option<Arc<Var>> {
        match symbol.namespace() {
            None => self.namespace.find(symbol.name()),
            Some(namespace) => {
                let namespace = aliased(self.cx.rt, &self.namespace, namespace)?;
                let var = namespace.find(symbol.name())?;
                (var.namespace == namespace.name).then_some(var)
            }
        }
    }

    /// What a symbol stands for.
    ///
    /// # Errors
    /// `Unable to resolve symbol` and its like, with the nearest names.
    pub fn resolve(&self, symbol: &Symbol) -> Result<Resolved> {
        if let Some(var) = self.lookup(symbol) {
            self.check_access(&var, symbol)?;
            return Ok(Resolved::Var(var));
        }
        match symbol.namespace() {
            None => match resolve_class(self.cx.rt, &self.namespace, symbol.name()) {
                Some(class) => Ok(Resolved::Class(class)),
                None => Err(self.unresolved(symbol)),
            },
            Some(namespace) => match resolve_class(self.cx.rt, &self.namespace, namespace) {
                Some(class) => Ok(Resolved::Static(class, symbol.name().into())),
                None => Err(self.no_such_var(symbol, namespace)),
            },
        }
    }

    pub fn check_access(&self, var: &Var, symbol: &Symbol) -> Result<()> {
        if var.namespace == self.namespace.name || !var.is_private() {
            return Ok(());
        }
        let message = format!("var: #'{}/{} is not public", var.namespace, var.name);
        Err(Thrown::illegal_state(message).at(self.span_of(symbol), None))
    }

    fn unresolved(&self, symbol: &Symbol) -> Thrown {
        let name = symbol.name();
        let span = self.span_of(symbol);
        let thrown = if name.contains('.') && !name.starts_with('.') && !name.ends_with('.') {
            Thrown::new("java.lang.ClassNotFoundException", name)
        } else {
            Thrown::runtime(format!("Unable to resolve symbol: {name} in this context"))
        };
        let thrown = thrown.at(span, None);
        match self.suggestion(name) {
            Some(hint) => thrown.with_hint(hint),
            None => thrown,
        }
    }

    fn suggestion(&self, name: &str) -> Option<String> {
        if let Some(advice) = self.cx.rt.sources.advice(name) {
            return Some(advice.to_owned());
        }
        let mappings = self.namespace.mappings.read();
        let names = mappings
            .keys()
            .map(|name| &**name)
            .chain(self.scope.names());
        suggest::sentence(name, names)
    }

    fn no_such_var(&self, symbol: &Symbol, namespace: &str) -> Thrown {
        let span = self.span_of(symbol);
        let name = symbol.name();
        match aliased(self.cx.rt, &self.namespace, namespace) {
            Some(found) => {
                let message = format!("No such var: {namespace}/{name}");
                let thrown = Thrown::runtime(message).at(span, None);
                let mappings = found.mappings.read();
                let own = mappings.values().filter(|var| var.namespace == found.name);
                let names = own.filter(|var| !var.is_private()).map(|var| &*var.name);
                match suggest::sentence(name, names) {
                    Some(hint) => thrown.with_hint(hint),
                    None => thrown,
                }
            }
            None => {
                let thrown =
                    Thrown::runtime(format!("No such namespace: {namespace}")).at(span, None);
                let aliases = self.namespace.aliases.read();
                match suggest::sentence(namespace, aliases.keys().map(|alias| &**alias)) {
                    Some(hint) => thrown.with_hint(hint),
                    None => thrown.with_hint(format!(
                        "require it first, as in (require '[some.namespace :as {namespace}])"
                    )),
                }
            }
        }
    }
}

/// The namespace that an alias or a full name means.
pub fn aliased(rt: &Runtime, current: &Namespace, name: &str) -> Option<Arc<Namespace>> {
    let alias = current.aliases.read().get(name).cloned();
    rt.namespace(alias.as_deref().unwrap_or(name))
}

/// The full name of a class that is imported, always at hand, or given in full.
pub fn resolve_class(rt: &Runtime, namespace: &Namespace, name: &str) -> Option<Arc<str>> {
    if let Some(class) = namespace.imports.read().get(name) {
        return Some(class.clone());
    }
    if let Some(class) = java::resolve_class(name) {
        return Some(class);
    }
    rt.types.get(name).map(|defined| defined.class.clone())
}

impl Runtime {
    /// The symbol that a name in a syntax-quote becomes.
    pub fn qualify(&self, name: &str) -> Symbol {
        let current = self.current_namespace();
        if let Some(class) = name.strip_suffix('.').filter(|class| !class.is_empty()) {
            return match resolve_class(self, &current, class) {
                Some(class) => Symbol::new(None, &format!("{class}.")),
                None => Symbol::new(Some(&current.name), name),
            };
        }
        if name.starts_with('.') {
            return Symbol::new(None, name);
        }
        if let Some(var) = current.find(name) {
            return Symbol::new(Some(&var.namespace), &var.name);
        }
        match resolve_class(self, &current, name) {
            Some(class) => Symbol::new(None, &class),
            None if name.contains('.') => Symbol::new(None, name),
            None => Symbol::new(Some(&current.name), name),
        }
    }
}
