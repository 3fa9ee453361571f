//! Classes as values, and what is an instance of what.

use std::any::Any;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::{JavaClass, member};
use crate::object::Kind;
use crate::{Cx, Exception, Object, Result, Value};

/// A class: `String`, `(class x)`. Two of the same name are equal.
pub struct Class(Arc<str>);

impl Class {
    pub fn value(name: &str) -> Value {
        Value::object(Class(name.into()))
    }

    /// The full name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The name without its package.
    pub fn simple_name(&self) -> &str {
        self.0
            .rsplit_once(['.', '$'])
            .map_or(&*self.0, |(_, name)| name)
    }
}

impl Object for Class {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.lang.Class"
    }

    fn print(&self, out: &mut String, _: bool) {
        out.push_str(&self.0);
    }

    fn text(&self) -> Option<String> {
        Some(format!("class {}", self.0))
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<Class>()
            .is_some_and(|other| self.0 == other.0)
    }

    fn hash_code(&self) -> Option<u64> {
        Some(FixedState::default().hash_one(&self.0))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(Ok(match (name, args) {
            ("getName" | "getCanonicalName" | "getTypeName", []) => Value::Str(self.0.clone()),
            ("getSimpleName", []) => Value::str(self.simple_name()),
            ("isInstance", [value]) => Value::Bool(instance_of(value, &self.0)),
            ("toString", []) => Value::from(format!("class {}", self.0)),
            ("getPackage", []) => {
                Value::str(self.0.rsplit_once('.').map_or("", |(package, _)| package))
            }
            ("isArray", []) => Value::Bool(self.0.starts_with('[')),
            _ => return None,
        }))
    }
}

/// The methods of a class as a value.
pub(super) const METHODS: &[&str] = &[
    "getCanonicalName",
    "getName",
    "getPackage",
    "getSimpleName",
    "getTypeName",
    "isArray",
    "isInstance",
    "toString",
];

/// True if `value` is an instance of the class of that full name.
pub fn instance_of(value: &Value, class: &str) -> bool {
    if value.is_nil() {
        return false;
    }
    if class == "java.lang.Object" || value.class_name() == class {
        return true;
    }
    match value {
        Value::Object(object) => {
            object.is_a(class)
                || kind_is(object.kind(), class)
                || object.as_callable().is_some() && CALLABLE.contains(&class)
                || value
                    .downcast::<Exception>()
                    .is_some_and(|exception| crate::exception::is_subclass(&exception.class, class))
        }
        _ => interfaces(value).iter().any(|names| names.contains(&class)),
    }
}

const NUMBER: &[&str] = &[
    "java.lang.Number",
    "java.lang.Comparable",
    "java.io.Serializable",
];
const BIG: &[&str] = &["java.math.BigInteger"];
const TEXT: &[&str] = &[
    "java.lang.CharSequence",
    "java.lang.Comparable",
    "java.io.Serializable",
];
const COMPARABLE: &[&str] = &["java.lang.Comparable", "java.io.Serializable"];
const NAMED: &[&str] = &[
    "clojure.lang.Named",
    "java.lang.Comparable",
    "java.io.Serializable",
];
const META: &[&str] = &["clojure.lang.IObj", "clojure.lang.IMeta"];
const CALLABLE: &[&str] = &[
    "clojure.lang.IFn",
    "java.lang.Runnable",
    "java.util.concurrent.Callable",
];
const FUNCTION: &[&str] = &[
    "clojure.lang.Fn",
    "clojure.lang.AFn",
    "clojure.lang.AFunction",
    "java.util.Comparator",
];
const COLLECTION: &[&str] = &[
    "clojure.lang.IPersistentCollection",
    "clojure.lang.Seqable",
    "java.lang.Iterable",
    "clojure.lang.IHashEq",
];
const SEQUENCE: &[&str] = &[
    "clojure.lang.Sequential",
    "java.util.List",
    "java.util.Collection",
    "java.util.RandomAccess",
];
const LIST: &[&str] = &[
    "clojure.lang.ISeq",
    "clojure.lang.IPersistentList",
    "clojure.lang.ASeq",
    "clojure.lang.PersistentList",
];
const VECTOR: &[&str] = &[
    "clojure.lang.IPersistentVector",
    "clojure.lang.APersistentVector",
    "clojure.lang.Associative",
    "clojure.lang.ILookup",
    "clojure.lang.Indexed",
    "clojure.lang.Counted",
    "clojure.lang.IPersistentStack",
    "clojure.lang.Reversible",
    "clojure.lang.IEditableCollection",
    "clojure.lang.MapEntry",
];
const MAP: &[&str] = &[
    "clojure.lang.IPersistentMap",
    "clojure.lang.APersistentMap",
    "clojure.lang.Associative",
    "clojure.lang.ILookup",
    "clojure.lang.Counted",
    "java.util.Map",
    "clojure.lang.IEditableCollection",
    "clojure.lang.PersistentHashMap",
    "clojure.lang.PersistentArrayMap",
];
const RECORD: &[&str] = &["clojure.lang.IRecord"];
const SET: &[&str] = &[
    "clojure.lang.IPersistentSet",
    "clojure.lang.APersistentSet",
    "clojure.lang.Counted",
    "java.util.Set",
    "java.util.Collection",
    "clojure.lang.IEditableCollection",
];
const REFERENCE: &[&str] = &["clojure.lang.IDeref", "clojure.lang.IRef"];

fn interfaces(value: &Value) -> &'static [&'static [&'static str]] {
    match value {
        Value::Nil | Value::Object(_) => &[],
        Value::Bool(_) | Value::Char(_) => &[COMPARABLE],
        Value::Big(_) => &[NUMBER, BIG],
        Value::Int(_)
        | Value::Double(_)
        | Value::Float(_)
        | Value::Ratio(_)
        | Value::Decimal(_) => &[NUMBER],
        Value::Str(_) => &[TEXT],
        Value::Keyword(_) => &[NAMED, CALLABLE],
        Value::Symbol(_) => &[NAMED, CALLABLE, META],
        Value::List(_) | Value::Lazy(_) => &[SEQUENCE, LIST, COLLECTION, META],
        Value::Vector(_) => &[SEQUENCE, VECTOR, COLLECTION, CALLABLE, META],
        Value::Map(_) => &[MAP, COLLECTION, CALLABLE, META],
        Value::Event(event) if event.is_record() => &[MAP, RECORD, COLLECTION, META],
        Value::Event(_) => &[MAP, COLLECTION, CALLABLE, META],
        Value::Set(_) => &[SET, COLLECTION, CALLABLE, META],
        Value::Fn(_) => &[CALLABLE, FUNCTION, META],
        Value::Var(_) => &[CALLABLE, REFERENCE],
    }
}

fn kind_is(kind: Kind, class: &str) -> bool {
    let names: &[&[&str]] = match kind {
        Kind::Opaque => &[],
        Kind::Map => &[MAP, COLLECTION],
        Kind::Record => &[MAP, RECORD, COLLECTION],
        Kind::Set => &[SET, COLLECTION],
        Kind::Sequence => &[SEQUENCE, LIST, COLLECTION],
    };
    names.iter().any(|names| names.contains(&class))
}

/// Classes that are only names here.
pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.lang.Class",
        construct: None,
        statics: &[member("forName", 1, 1, |_, a| {
            let name = a[0].to_text();
            match super::classes().get(&*name) {
                Some(entry) => Ok(Class::value(entry.name())),
                // A class of arrays, `[B`.
                None if name.starts_with('[') => Ok(Class::value(&name)),
                None => Err(super::foreign::no_class(&name)),
            }
        })],
        fields: &[],
    },
    JavaClass::named("java.lang.Number"),
    JavaClass::named(crate::histogram_value::CLASS),
    JavaClass::named("java.lang.Appendable"),
    JavaClass::named("java.lang.Cloneable"),
    JavaClass::named("java.io.Reader"),
    JavaClass::named("java.io.Writer"),
    JavaClass::named("java.io.InputStream"),
    JavaClass::named("java.io.OutputStream"),
    JavaClass::named("java.io.Flushable"),
    JavaClass::named("java.util.Iterator"),
    JavaClass::named("java.util.Queue"),
    JavaClass::named("java.util.Map$Entry"),
    JavaClass::named("java.util.concurrent.BlockingQueue"),
    JavaClass::named("java.util.concurrent.ConcurrentMap"),
    JavaClass::named("java.util.concurrent.ScheduledExecutorService"),
    JavaClass::named("java.lang.Comparable"),
    JavaClass::named("java.lang.CharSequence"),
    JavaClass::named("java.lang.Iterable"),
    JavaClass::named("java.lang.Runnable"),
    JavaClass::named("java.lang.Void"),
    JavaClass::named("java.lang.ClassLoader"),
    JavaClass::named("java.lang.AutoCloseable"),
    JavaClass::named("java.io.Serializable"),
    JavaClass::named("java.io.Closeable"),
    JavaClass::named("java.util.concurrent.Callable"),
    JavaClass::named("java.util.concurrent.Executor"),
    JavaClass::named("java.util.concurrent.ExecutorService"),
    JavaClass::named("java.util.concurrent.Future"),
    JavaClass::named("java.util.Comparator"),
    JavaClass::named("java.util.Collection"),
    JavaClass::named("java.util.List"),
    JavaClass::named("java.util.Map"),
    JavaClass::named("java.util.Set"),
    JavaClass::named("java.util.RandomAccess"),
    JavaClass::named("clojure.lang.APersistentMap"),
    JavaClass::named("clojure.lang.ARef"),
    JavaClass::named("clojure.lang.Cons"),
    JavaClass::named("clojure.lang.IAtom"),
    JavaClass::named("clojure.lang.IExceptionInfo"),
    JavaClass::named("clojure.lang.IMapEntry"),
    JavaClass::named("clojure.lang.IPending"),
    JavaClass::named("clojure.lang.Obj"),
    JavaClass::named("clojure.lang.APersistentSet"),
    JavaClass::named("clojure.lang.APersistentVector"),
    JavaClass::named("clojure.lang.ASeq"),
    JavaClass::named("clojure.lang.Agent"),
    JavaClass::named("clojure.lang.AFn"),
    JavaClass::named("clojure.lang.AFunction"),
    JavaClass::named("clojure.lang.Associative"),
    JavaClass::named("clojure.lang.Atom"),
    JavaClass::named("clojure.lang.BigInt"),
    JavaClass::named("clojure.lang.Counted"),
    JavaClass::named("clojure.lang.Delay"),
    JavaClass::named("clojure.lang.Fn"),
    JavaClass::named("clojure.lang.IDeref"),
    JavaClass::named("clojure.lang.IFn"),
    JavaClass::named("clojure.lang.ILookup"),
    JavaClass::named("clojure.lang.IMeta"),
    JavaClass::named("clojure.lang.IObj"),
    JavaClass::named("clojure.lang.IPersistentCollection"),
    JavaClass::named("clojure.lang.IPersistentList"),
    JavaClass::named("clojure.lang.IPersistentMap"),
    JavaClass::named("clojure.lang.IPersistentSet"),
    JavaClass::named("clojure.lang.IPersistentStack"),
    JavaClass::named("clojure.lang.IPersistentVector"),
    JavaClass::named("clojure.lang.IRecord"),
    JavaClass::named("clojure.lang.IRef"),
    JavaClass::named("clojure.lang.ISeq"),
    JavaClass::named("clojure.lang.Indexed"),
    JavaClass::named("clojure.lang.LazySeq"),
    JavaClass::named("clojure.lang.MultiFn"),
    JavaClass::named("clojure.lang.Named"),
    JavaClass::named("clojure.lang.Namespace"),
    JavaClass::named("clojure.lang.PersistentHashSet"),
    JavaClass::named("clojure.lang.PersistentList"),
    JavaClass::named("clojure.lang.PersistentTreeMap"),
    JavaClass::named("clojure.lang.PersistentTreeSet"),
    JavaClass::named("clojure.lang.Ratio"),
    JavaClass::named("clojure.lang.Ref"),
    JavaClass::named("clojure.lang.Reversible"),
    JavaClass::named("clojure.lang.Seqable"),
    JavaClass::named("clojure.lang.Sequential"),
    JavaClass::named("clojure.lang.Var"),
    JavaClass::named("clojure.lang.Volatile"),
];
