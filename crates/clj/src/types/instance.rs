//! Values of types that code defines: records, which are maps, and plain ones.

use std::any::Any;
use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Weak};

use foldhash::fast::FixedState;
use parking_lot::{Mutex, RwLock};

use crate::object::Kind;
use crate::{Callable, Cx, Keyword, Map, Object, Result, Runtime, Thrown, Value};

/// A type: its fields, and what it does for which protocol or interface.
pub struct Type {
    /// Full class name, `user.Point`.
    pub class: Arc<str>,
    pub fields: Vec<Keyword>,
    pub is_record: bool,
    /// Fields whose value is kept in a `Cell`, so that methods may change it.
    pub changing: Vec<Keyword>,
    methods: RwLock<Methods>,
    /// For methods that are called where no context is at hand: printing, comparing.
    rt: Weak<Runtime>,
}

#[derive(Default)]
struct Methods {
    /// Full class names of the protocols and interfaces it implements.
    interfaces: Vec<Arc<str>>,
    /// Interface, name, function of the value and the arguments.
    functions: Vec<(Arc<str>, Arc<str>, Value)>,
}

impl Type {
    pub fn new(
        cx: &Cx<'_>,
        class: &str,
        (fields, changing): (Vec<Keyword>, Vec<Keyword>),
        is_record: bool,
    ) -> Arc<Type> {
        Arc::new(Type {
            class: class.into(),
            fields,
            is_record,
            changing,
            methods: RwLock::default(),
            rt: Arc::downgrade(cx.rt),
        })
    }

    pub fn implement(&self, interface: &str, name: &str, function: Value) {
        let mut methods = self.methods.write();
        methods
            .functions
            .retain(|(i, n, _)| !(**i == *interface && **n == *name));
        methods
            .functions
            .push((interface.into(), name.into(), function));
    }

    /// Declares that the type implements an interface, if only in name.
    pub fn declare(&self, interface: &str) {
        let mut methods = self.methods.write();
        if !methods.interfaces.iter().any(|known| **known == *interface) {
            methods.interfaces.push(interface.into());
        }
    }

    pub fn implements(&self, interface: &str) -> bool {
        self.methods
            .read()
            .interfaces
            .iter()
            .any(|known| **known == *interface)
    }

    /// The function of a method of one interface.
    pub fn method_of(&self, interface: &str, name: &str) -> Option<Value> {
        let methods = self.methods.read();
        let found = methods
            .functions
            .iter()
            .find(|(i, n, _)| **i == *interface && **n == *name);
        found.map(|(_, _, function)| function.clone())
    }

    /// The function of a method, whatever its interface.
    fn method(&self, name: &str) -> Option<Value> {
        let methods = self.methods.read();
        let found = methods.functions.iter().find(|(_, n, _)| **n == *name);
        found.map(|(_, _, function)| function.clone())
    }

    fn field(&self, name: &Value) -> Option<usize> {
        let Value::Keyword(name) = name else {
            return None;
        };
        self.fields.iter().position(|field| field == name)
    }
}

/// A value of a [`Type`].
pub struct Instance {
    pub defined: Arc<Type>,
    fields: Box<[Value]>,
    /// A record's keys beside its fields.
    more: Map,
    meta: Option<Map>,
}

impl Instance {
    pub fn value(defined: &Arc<Type>, mut fields: Vec<Value>) -> Value {
        for (value, name) in fields.iter_mut().zip(&defined.fields) {
            if defined.changing.contains(name) {
                *value = Value::object(Cell(Mutex::new(value.clone())));
            }
        }
        Value::object(Instance {
            defined: defined.clone(),
            fields: fields.into(),
            more: Map::default(),
            meta: None,
        })
    }

    fn entries(&self) -> impl Iterator<Item = (Value, Value)> {
        let fields = self.defined.fields.iter().cloned().map(Value::Keyword);
        let more = self
            .more
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()));
        fields.zip(self.fields.iter().cloned()).chain(more)
    }

    fn with_field(&self, index: usize, value: &Value) -> Value {
        let mut fields = self.fields.clone();
        fields[index] = value.clone();
        self.changed(fields, self.more.clone())
    }

    fn changed(&self, fields: Box<[Value]>, more: Map) -> Value {
        let (defined, meta) = (self.defined.clone(), self.meta.clone());
        Value::object(Instance {
            defined,
            fields,
            more,
            meta,
        })
    }

    fn copy(&self) -> Value {
        self.changed(self.fields.clone(), self.more.clone())
    }

    /// Calls one of the type's own methods where no context is at hand.
    fn own(&self, name: &str, args: &[Value]) -> Option<Value> {
        let function = self.defined.method(name)?;
        let rt = self.defined.rt.upgrade()?;
        let mut all = vec![self.copy()];
        all.extend_from_slice(args);
        Cx::new(&rt).call(&function, &all).ok()
    }
}

/// Where a field that can be changed has its value.
struct Cell(Mutex<Value>);

impl Object for Cell {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.Volatile"
    }
}

impl Instance {
    /// `(set! field value)`.
    ///
    /// # Errors
    /// `IllegalArgumentException` if there is no such field, or it is not a mutable one.
    pub fn set(&self, name: &str, value: Value) -> Result {
        let index = self.defined.fields.iter().position(|it| it.name() == name);
        let cell = index.and_then(|index| self.fields[index].downcast::<Cell>());
        let Some(cell) = cell else {
            let message = format!("Cannot assign to non-mutable: {name}");
            return Err(Thrown::illegal_argument(message)
                .with_hint("mark the field ^:volatile-mutable, or keep an atom in it"));
        };
        drop(std::mem::replace(&mut *cell.0.lock(), value.clone()));
        Ok(value)
    }
}

impl Object for Instance {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        &self.defined.class
    }

    fn text(&self) -> Option<String> {
        self.own("toString", &[]).map(|text| text.to_text())
    }

    fn print(&self, out: &mut String, readably: bool) {
        if self.defined.is_record {
            out.push('#');
            out.push_str(&self.defined.class);
            let map: Map = self.entries().collect();
            crate::print::print(&Value::Map(map), out, readably);
            return;
        }
        out.push_str("#object[");
        out.push_str(&self.defined.class);
        if let Some(text) = self.text() {
            out.push(' ');
            out.push_str(&Value::from(text).to_readable());
        }
        out.push(']');
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let Some(other) = other.as_any().downcast_ref::<Instance>() else {
            return false;
        };
        if self.defined.is_record {
            return Arc::ptr_eq(&self.defined, &other.defined)
                && self.fields == other.fields
                && Value::Map(self.more.clone()) == Value::Map(other.more.clone());
        }
        self.own("equals", &[other.copy()])
            .is_some_and(|value| value.truthy())
    }

    fn kind(&self) -> Kind {
        if self.defined.is_record {
            Kind::Record
        } else {
            Kind::Opaque
        }
    }

    fn is_a(&self, class: &str) -> bool {
        self.defined.implements(class)
    }

    fn hash_code(&self) -> Option<u64> {
        if self.defined.is_record {
            let hash = |(key, value): (Value, Value)| {
                FixedState::default().hash_one((HashOf(&key), HashOf(&value)))
            };
            return Some(self.entries().map(hash).fold(0, u64::wrapping_add));
        }
        match self.own("hashCode", &[])? {
            Value::Int(hash) => Some(hash as u64),
            _ => None,
        }
    }

    fn as_callable(&self) -> Option<&dyn Callable> {
        let callable = CALLED
            .iter()
            .any(|name| self.defined.method(name).is_some());
        callable.then_some(self)
    }

    fn deref(&self, cx: &Cx<'_>) -> Option<Result> {
        let function = self.defined.method("deref")?;
        Some(cx.call(&function, &[self.copy()]))
    }

    fn deref_within(&self, cx: &Cx<'_>, timeout_ms: i64, instead: &Value) -> Option<Result> {
        if !self.is_a("clojure.lang.IBlockingDeref") {
            return None;
        }
        let function = self.defined.method("deref")?;
        let args = [self.copy(), Value::Int(timeout_ms), instead.clone()];
        Some(cx.call(&function, &args))
    }

    fn get(&self, key: &Value) -> Option<Value> {
        if !self.defined.is_record {
            return self.own("valAt", std::slice::from_ref(key));
        }
        match self.defined.field(key) {
            Some(index) => Some(self.fields[index].clone()),
            None => self.more.get(key).cloned(),
        }
    }

    fn assoc(&self, key: &Value, value: &Value) -> Option<Result> {
        if !self.defined.is_record {
            return None;
        }
        Some(Ok(match self.defined.field(key) {
            Some(index) => self.with_field(index, value),
            None => self.changed(
                self.fields.clone(),
                self.more.assoc(key.clone(), value.clone()),
            ),
        }))
    }

    /// A record that loses a field becomes a plain map.
    fn dissoc(&self, key: &Value) -> Option<Result> {
        if !self.defined.is_record {
            return None;
        }
        Some(Ok(match self.defined.field(key) {
            Some(_) => Value::map(self.entries().filter(|(k, _)| k != key)),
            None => self.changed(self.fields.clone(), self.more.dissoc(key)),
        }))
    }

    fn conj(&self, item: &Value) -> Option<Result> {
        if !self.defined.is_record {
            return None;
        }
        let pairs: Vec<(Value, Value)> = match item {
            Value::Nil => Vec::new(),
            Value::Map(map) => map.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            Value::Vector(pair) if pair.len() == 2 => {
                vec![(pair.get(0)?.clone(), pair.get(1)?.clone())]
            }
            Value::Object(object) if object.kind() == Kind::Record => {
                match object.as_any().downcast_ref::<Instance>() {
                    Some(other) => other.entries().collect(),
                    None => return None,
                }
            }
            _ => {
                let message = "Vector arg to map conj must be a pair";
                return Some(Err(Thrown::illegal_argument(message)));
            }
        };
        let mut result = self.copy();
        for (key, value) in pairs {
            let Value::Object(object) = &result else {
                break;
            };
            result = match object.assoc(&key, &value)? {
                Ok(changed) => changed,
                Err(thrown) => return Some(Err(thrown)),
            };
        }
        Some(Ok(result))
    }

    fn count(&self) -> Option<usize> {
        self.defined
            .is_record
            .then(|| self.fields.len() + self.more.len())
    }

    fn meta(&self) -> Option<Map> {
        self.meta.clone()
    }

    fn with_meta(&self, meta: Option<Map>) -> Option<Value> {
        let (defined, fields) = (self.defined.clone(), self.fields.clone());
        Some(Value::object(Instance {
            defined,
            fields,
            more: self.more.clone(),
            meta,
        }))
    }

    fn seq(&self) -> Option<Result> {
        if !self.defined.is_record {
            return self.own("seq", &[]).map(Ok);
        }
        let pairs = self
            .entries()
            .map(|(key, value)| Value::vector(vec![key, value]));
        Some(Ok(Value::list(pairs.collect())))
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        if args.is_empty()
            && let Some(index) = self
                .defined
                .fields
                .iter()
                .position(|field| field.name() == name)
        {
            let field = &self.fields[index];
            return Some(Ok(match field.downcast::<Cell>() {
                Some(cell) => cell.0.lock().clone(),
                None => field.clone(),
            }));
        }
        let function = self.defined.method(name)?;
        let mut all = vec![self.copy()];
        all.extend_from_slice(args);
        Some(cx.call(&function, &all))
    }
}

/// The methods by which a value is called, as a function or where Java wants one.
const CALLED: [&str; 7] = [
    "invoke", "call", "run", "compare", "apply", "accept", "test",
];

/// A type that implements `IFn`, `Callable` or `Runnable` is called by that method.
impl Callable for Instance {
    fn call(&self, cx: &Cx<'_>, args: &[Value]) -> Result {
        match CALLED.iter().find_map(|name| self.defined.method(name)) {
            Some(function) => {
                let mut all = vec![self.copy()];
                all.extend_from_slice(args);
                cx.call(&function, &all)
            }
            None => Err(Thrown::class_cast(format!(
                "class {} cannot be cast to class clojure.lang.IFn",
                self.defined.class
            ))),
        }
    }

    fn name(&self) -> Option<&str> {
        Some(&self.defined.class)
    }

    fn is_fn(&self) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct HashOf<'a>(&'a Value);

impl Hash for HashOf<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// `->Point`: a value of the type from its fields in order.
pub fn constructor(defined: &Arc<Type>) -> Value {
    Value::Fn(Arc::new(Constructor(defined.clone())))
}

struct Constructor(Arc<Type>);

impl Callable for Constructor {
    fn call(&self, _: &Cx<'_>, args: &[Value]) -> Result {
        if args.len() != self.0.fields.len() {
            let (namespace, name) = self.0.class.rsplit_once('.').unwrap_or(("", &self.0.class));
            return Err(Thrown::arity(args.len(), &format!("{namespace}/->{name}")));
        }
        Ok(Instance::value(&self.0, args.to_vec()))
    }

    fn name(&self) -> Option<&str> {
        Some(&self.0.class)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// `(map->Point map)`: fields that the map lacks are nil.
pub fn from_map(defined: &Arc<Type>, map: &Map) -> Value {
    let mut more = map.clone();
    let mut fields = Vec::with_capacity(defined.fields.len());
    for field in &defined.fields {
        let key = Value::Keyword(field.clone());
        fields.push(map.get(&key).cloned().unwrap_or_default());
        more.remove(&key);
    }
    let more = more.with_meta(None);
    let (defined, meta) = (defined.clone(), map.meta().cloned());
    Value::object(Instance {
        defined,
        fields: fields.into(),
        more,
        meta,
    })
}
