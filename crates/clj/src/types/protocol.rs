//! Protocols: functions that go by the class of their first argument.

use std::any::Any;
use std::sync::Arc;

use parking_lot::RwLock;

use super::instance::Instance;
use crate::{Callable, Cx, Map, Object, Result, Thrown, Value, java};

/// A protocol, and what was extended to it from outside.
pub struct Protocol {
    /// As it is named in code, `user/Greets`.
    pub name: Arc<str>,
    /// As an interface is named, `user.Greets`.
    pub interface: Arc<str>,
    extensions: RwLock<Vec<Extension>>,
}

struct Extension {
    /// Full class name, `nil` for nil.
    class: Arc<str>,
    /// Functions by the keyword of their name.
    functions: Map,
}

impl Protocol {
    pub fn new(name: &str, interface: &str) -> Protocol {
        Protocol {
            name: name.into(),
            interface: interface.into(),
            extensions: RwLock::default(),
        }
    }

    /// Adds functions for a class; those it has already are kept unless given anew.
    pub fn extend(&self, class: &str, functions: &Map) {
        let mut extensions = self.extensions.write();
        match extensions
            .iter_mut()
            .find(|extension| *extension.class == *class)
        {
            Some(extension) => {
                for (name, function) in functions.iter() {
                    extension.functions.insert(name.clone(), function.clone());
                }
            }
            None => {
                extensions.push(Extension {
                    class: class.into(),
                    functions: functions.clone(),
                });
            }
        }
    }

    /// The function of that name for a value.
    pub fn function(&self, value: &Value, name: &str) -> Option<Value> {
        if let Some(instance) = value.downcast::<Instance>()
            && let Some(function) = instance.defined.method_of(&self.interface, name)
        {
            return Some(function);
        }
        self.extension(value)?.get_keyword(name).cloned()
    }

    pub fn is_satisfied_by(&self, value: &Value) -> bool {
        let inline = value
            .downcast::<Instance>()
            .is_some_and(|instance| instance.defined.implements(&self.interface));
        inline || self.extension(value).is_some()
    }

    /// The functions for the class nearest to that of a value.
    fn extension(&self, value: &Value) -> Option<Map> {
        let extensions = self.extensions.read();
        let class = value.class_name();
        let exact = extensions
            .iter()
            .find(|extension| *extension.class == *class);
        let found = exact.or_else(|| {
            let mut fitting = extensions
                .iter()
                .filter(|extension| java::instance_of(value, &extension.class));
            let first = fitting.next()?;
            Some(fitting.fold(
                first,
                |best, other| if is_wider(best, other) { other } else { best },
            ))
        });
        found.map(|extension| extension.functions.clone())
    }

    /// The classes that were extended from outside.
    pub fn classes(&self) -> Vec<Arc<str>> {
        self.extensions
            .read()
            .iter()
            .map(|extension| extension.class.clone())
            .collect()
    }
}

/// True if the first is for `Object`, or for an exception above the other's.
fn is_wider(best: &Extension, other: &Extension) -> bool {
    let object = "java.lang.Object";
    *best.class == *object
        || *other.class != *object
            && best.class.ends_with("Exception")
            && crate::exception::is_subclass(&other.class, &best.class)
}

impl Object for Protocol {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.PersistentArrayMap"
    }

    fn print(&self, out: &mut String, _: bool) {
        out.push_str("#protocol[");
        out.push_str(&self.name);
        out.push(']');
    }
}

/// A function of a protocol.
pub struct ProtocolFn {
    pub protocol: Value,
    pub name: Arc<str>,
}

impl Callable for ProtocolFn {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        let Some(target) = args.first() else {
            return Err(Thrown::arity(0, &self.name));
        };
        let Some(protocol) = self.protocol.downcast::<Protocol>() else {
            return Err(Thrown::illegal_state("not a protocol"));
        };
        match protocol.function(target, &self.name) {
            Some(function) => cx.call(&function, args),
            None => Err(Thrown::illegal_argument(format!(
                "No implementation of method: :{} of protocol: #'{} found for class: {}",
                self.name,
                protocol.name,
                target.class_name()
            ))),
        }
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
