//! The world that code runs in.

use std::any::{Any, TypeId};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

use crate::load::Sources;
use crate::namespace::Names;
use crate::types::Types;
use crate::{Callable, Host, Namespace, Native, Result, Symbol, Thrown, Value, Var};

/// All namespaces, and what the program has attached. Dropped whole at a reload.
pub struct Runtime {
    pub host: Arc<dyn Host>,
    namespaces: RwLock<Names<Arc<Namespace>>>,
    /// Things of the program, one of a type: the clock, the scheduler, the core.
    extensions: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
    /// `*ns*`, `*file*`.
    pub(crate) ns_var: Arc<Var>,
    pub(crate) file_var: Arc<Var>,
    pub(crate) sources: Sources,
    pub(crate) types: Types,
    gensyms: AtomicU64,
}

/// What running code is handed.
#[derive(Clone, Copy)]
pub struct Cx<'a> {
    pub rt: &'a Arc<Runtime>,
}

impl Runtime {
    /// A runtime with the whole language, ready to share.
    pub fn new(host: Arc<dyn Host>) -> Arc<Runtime> {
        Arc::new(Runtime::unshared(host))
    }

    /// A runtime with the whole language, to which things can still be attached and library
    /// sources added.
    pub fn unshared(host: Arc<dyn Host>) -> Runtime {
        let mut rt = Runtime::empty(host);
        crate::core::install(&rt);
        crate::types::install(&rt);
        crate::load::install(&rt);
        crate::macros::install(&rt);
        crate::library::install(&mut rt);
        let user = rt.ensure_namespace("user");
        rt.refer_core(&user);
        rt.ns_var.set_root(Some(Value::Object(user)));
        rt
    }

    /// A runtime with no names but `*ns*` and `*file*`.
    pub fn empty(host: Arc<dyn Host>) -> Runtime {
        let core = Arc::new(Namespace::new("clojure.core"));
        let dynamic = |name, value| {
            let var = core.define(name, value);
            var.set_dynamic(true);
            var
        };
        let ns_var = dynamic("*ns*", Value::Object(core.clone()));
        let file_var = dynamic("*file*", Value::str("NO_SOURCE_PATH"));
        Runtime {
            host,
            namespaces: RwLock::new([(core.name.clone(), core)].into_iter().collect()),
            extensions: Vec::new(),
            ns_var,
            file_var,
            sources: Sources::default(),
            types: Types::default(),
            gensyms: AtomicU64::new(1),
        }
    }

    /// Attaches a thing of the program, before the runtime is shared.
    pub fn attach<T: Any + Send + Sync>(&mut self, thing: Arc<T>) {
        self.extensions.push((TypeId::of::<T>(), thing));
    }

    /// The attached thing of type `T`.
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<&T> {
        let wanted = TypeId::of::<T>();
        let (_, thing) = self.extensions.iter().find(|(id, _)| *id == wanted)?;
        thing.downcast_ref()
    }

    pub fn namespace(&self, name: &str) -> Option<Arc<Namespace>> {
        self.namespaces.read().get(name).cloned()
    }

    /// The namespace of that name, made empty if missing.
    pub fn ensure_namespace(&self, name: &str) -> Arc<Namespace> {
        if let Some(namespace) = self.namespace(name) {
            return namespace;
        }
        let mut namespaces = self.namespaces.write();
        let namespace = namespaces
            .entry(name.into())
            .or_insert_with(|| Arc::new(Namespace::new(name)));
        namespace.clone()
    }

    pub fn namespaces(&self) -> Vec<Arc<Namespace>> {
        self.namespaces.read().values().cloned().collect()
    }

    pub fn remove_namespace(&self, name: &str) {
        self.namespaces.write().remove(name);
    }

    /// The var `namespace/name`.
    pub fn var(&self, namespace: &str, name: &str) -> Option<Arc<Var>> {
        self.namespace(namespace)?.find(name)
    }

    /// What `*ns*` is on this thread.
    pub fn current_namespace(&self) -> Arc<Namespace> {
        let current = self.ns_var.get();
        let name = match current.as_ref().and_then(Value::downcast::<Namespace>) {
            Some(namespace) => namespace.name.clone(),
            None => "user".into(),
        };
        self.ensure_namespace(&name)
    }

    /// A symbol that has not been used before.
    pub fn gensym(&self, prefix: &str) -> Symbol {
        let number = self.gensyms.fetch_add(1, Ordering::Relaxed);
        Symbol::new(None, &format!("{prefix}{number}"))
    }

    /// Makes the public vars of `clojure.core` visible in a namespace.
    pub fn refer_core(&self, namespace: &Namespace) {
        let Some(core) = self.namespace("clojure.core") else {
            return;
        };
        if core.name == namespace.name {
            return;
        }
        let mut mappings = namespace.mappings.write();
        let core = core.mappings.read();
        mappings.reserve(core.len());
        for (name, var) in core.iter() {
            if !var.is_private() {
                mappings.entry(name.clone()).or_insert_with(|| var.clone());
            }
        }
    }

    /// Defines native functions in a namespace, with their documentation as metadata.
    pub fn define_natives(&self, namespace: &str, natives: &[Native]) {
        self.sources.note_native(namespace);
        let namespace = self.ensure_namespace(namespace);
        for native in natives {
            let function: Arc<dyn Callable> = Arc::new(*native);
            let var = namespace.define(native.name, Value::Fn(function));
            var.set_meta(
                [
                    (Value::keyword("doc"), Value::str(native.doc)),
                    (Value::keyword("arglists"), Value::str(native.arglists)),
                ]
                .into_iter()
                .collect(),
            );
        }
    }

    /// Defines native macros: as functions, but their first two arguments are the whole form and
    /// the local environment (a map of symbols, or nil).
    pub fn define_native_macros(&self, namespace: &str, natives: &[Native]) {
        self.define_natives(namespace, natives);
        for native in natives {
            if let Some(var) = self.var(namespace, native.name) {
                var.set_macro(true);
            }
        }
    }
}

impl<'a> Cx<'a> {
    pub fn new(rt: &'a Arc<Runtime>) -> Cx<'a> {
        Cx { rt }
    }

    /// Calls any callable value: functions, keywords, maps, sets, vectors, vars, symbols, objects.
    ///
    /// # Errors
    /// What the function throws; `ClassCastException` if the value cannot be called.
    pub fn call(&self, function: &Value, args: &[Value]) -> Result {
        match function {
            Value::Fn(callable) => callable.call(self, args),
            Value::Object(object) => match object.as_callable() {
                Some(callable) => callable.call(self, args),
                None => crate::seq::call_collection(self, function, args),
            },
            _ => crate::seq::call_collection(self, function, args),
        }
    }

    /// The attached thing of type `T`.
    ///
    /// # Errors
    /// `IllegalStateException` where the program has attached none.
    pub fn get<T: Any + Send + Sync>(&self) -> Result<&'a T> {
        self.rt.extension::<T>().ok_or_else(|| {
            Thrown::illegal_state(format!("{} is not attached", std::any::type_name::<T>()))
        })
    }
}
