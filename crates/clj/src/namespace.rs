//! Namespaces: names to vars, aliases to namespaces.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use parking_lot::RwLock;

use crate::{Cx, Map, Object, Result, Symbol, Value, Var};

/// Things by name. Only what a configuration writes gets in, so that a quick hash will do.
pub type Names<T> = HashMap<Arc<str>, T, FixedState>;

/// A namespace: its own vars, those it refers to, aliases, and imported class names.
pub struct Namespace {
    pub name: Arc<str>,
    /// Own and referred vars, by the name they are used under.
    pub mappings: RwLock<Names<Arc<Var>>>,
    pub aliases: RwLock<Names<Arc<str>>>,
    /// Short class name to full class name.
    pub imports: RwLock<Names<Arc<str>>>,
    pub meta: RwLock<Option<Map>>,
}

impl Namespace {
    pub fn new(name: &str) -> Namespace {
        Namespace {
            name: name.into(),
            mappings: RwLock::default(),
            aliases: RwLock::default(),
            imports: RwLock::default(),
            meta: RwLock::default(),
        }
    }

    /// The var of that name, own or referred.
    pub fn find(&self, name: &str) -> Option<Arc<Var>> {
        self.mappings.read().get(name).cloned()
    }

    /// The namespace's own var of that name, made if missing; a referred one is shadowed.
    pub fn intern(&self, name: &str) -> Arc<Var> {
        let mut mappings = self.mappings.write();
        if let Some(var) = mappings.get(name)
            && var.namespace == self.name
        {
            return var.clone();
        }
        let var = Arc::new(Var::new(&self.name, name));
        mappings.insert(var.name.clone(), var.clone());
        var
    }

    /// Interns `name` and sets its root.
    pub fn define(&self, name: &str, value: Value) -> Arc<Var> {
        let var = self.intern(name);
        var.set_root(Some(value));
        var
    }

    /// Makes all public vars of another namespace visible under their names.
    pub fn refer_all(&self, source: &Namespace) {
        let theirs: Vec<Arc<Var>> = source
            .mappings
            .read()
            .values()
            .filter(|var| var.namespace == source.name && !var.is_private())
            .cloned()
            .collect();
        let mut mappings = self.mappings.write();
        mappings.extend(theirs.into_iter().map(|var| (var.name.clone(), var)));
    }

    /// Makes another namespace's var visible under `name`.
    pub fn refer(&self, name: &str, var: Arc<Var>) {
        self.mappings.write().insert(name.into(), var);
    }
}

impl Object for Namespace {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.Namespace"
    }

    fn print(&self, out: &mut String, _: bool) {
        out.push_str("#namespace[");
        out.push_str(&self.name);
        out.push(']');
    }

    fn text(&self) -> Option<String> {
        Some(self.name.to_string())
    }

    fn meta(&self) -> Option<Map> {
        self.meta.read().clone()
    }

    fn set_meta(&self, meta: &Map) -> bool {
        *self.meta.write() = Some(meta.clone());
        true
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("getName" | "name", []) => Some(Ok(Value::Symbol(Symbol::new(None, &self.name)))),
            ("toString", []) => Some(Ok(Value::Str(self.name.clone()))),
            _ => None,
        }
    }
}
