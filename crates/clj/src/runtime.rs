//! The world that code runs in.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::{Callable, Host, Namespace, Native, Result, Thrown, Value, Var};

/// All namespaces, and what the program has attached. Dropped whole at a reload.
pub struct Runtime {
    pub host: Arc<dyn Host>,
    namespaces: RwLock<HashMap<Arc<str>, Arc<Namespace>>>,
    /// Things of the program, one of a type: the clock, the scheduler, the core.
    extensions: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
}

/// What running code is handed.
#[derive(Clone, Copy)]
pub struct Cx<'a> {
    pub rt: &'a Arc<Runtime>,
}

impl Runtime {
    /// A runtime with no namespace yet.
    pub fn empty(host: Arc<dyn Host>) -> Runtime {
        Runtime {
            host,
            namespaces: RwLock::default(),
            extensions: Vec::new(),
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

    /// Defines native functions in a namespace, with their documentation as metadata.
    pub fn define_natives(&self, namespace: &str, natives: &[Native]) {
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
            Value::Object(object) if object.as_callable().is_some() => match object.as_callable() {
                Some(callable) => callable.call(self, args),
                None => Ok(Value::Nil),
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
