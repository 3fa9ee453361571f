//! The Java names that configurations use: a table of classes, each in the file of its subject.
//! What is not in the table is an error that names the nearest thing that is.

pub mod array;
mod atomic;
mod big;
mod boolean;
pub mod byte_stream;
mod calendar;
mod character;
pub mod class;
mod codecs;
mod collection;
pub mod date;
mod date_format;
mod decimal;
mod decimal_format;
mod digest;
mod executor;
mod file;
mod float;
mod foreign;
mod future;
mod inet_address;
mod instant;
mod integer;
mod joda;
mod language;
mod latch;
mod level;
mod lock;
mod math;
mod mutable;
mod number;
mod object;
pub mod queue;
mod random;
pub mod string;
mod string_builder;
mod system;
mod thread;
mod throwable;
mod time_unit;
mod uri;
pub mod uuid;
mod writer;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::{Cx, Exception, NativeFn, Result, Thrown, Value};

pub use array::Array;
pub use class::Class;

/// A class as code sees it: what can be called on it by name.
pub struct JavaClass {
    /// Full name, `java.util.Date`.
    pub name: &'static str,
    /// `(Class. args…)`
    pub construct: Option<Static>,
    /// `(Class/name args…)`
    pub statics: &'static [Static],
    /// `Class/NAME`
    pub fields: &'static [Field],
}

/// The name of a static field, and what gives its value.
pub type Field = (&'static str, fn() -> Value);

/// A static member, or a constructor, with the fewest and the most arguments it takes.
pub struct Static {
    name: &'static str,
    arity: (usize, usize),
    code: NativeFn,
}

/// A method of values of a kind, with the fewest and the most arguments after the value.
pub struct Method {
    name: &'static str,
    arity: (usize, usize),
    code: MethodFn,
}

/// The code of a method: it is handed the value, and the arguments.
type MethodFn = fn(&Cx<'_>, &Value, &[Value]) -> Result;

impl JavaClass {
    /// A class that is only a name: for `instance?`, `catch` and type hints.
    pub const fn named(name: &'static str) -> JavaClass {
        JavaClass {
            name,
            construct: None,
            statics: &[],
            fields: &[],
        }
    }
}

const fn member(name: &'static str, least: usize, most: usize, code: NativeFn) -> Static {
    Static {
        name,
        arity: (least, most),
        code,
    }
}

const fn constructor(least: usize, most: usize, code: NativeFn) -> Option<Static> {
    Some(member("new", least, most, code))
}

const fn method_of(name: &'static str, least: usize, most: usize, code: MethodFn) -> Method {
    Method {
        name,
        arity: (least, most),
        code,
    }
}

/// All tables, by subject.
const TABLES: &[&[JavaClass]] = &[
    array::CLASSES,
    atomic::CLASSES,
    big::CLASSES,
    boolean::CLASSES,
    byte_stream::CLASSES,
    calendar::CLASSES,
    character::CLASSES,
    class::CLASSES,
    codecs::CLASSES,
    date::CLASSES,
    date_format::CLASSES,
    decimal::CLASSES,
    decimal_format::CLASSES,
    digest::CLASSES,
    executor::CLASSES,
    file::CLASSES,
    float::CLASSES,
    inet_address::CLASSES,
    instant::CLASSES,
    integer::CLASSES,
    joda::CLASSES,
    language::CLASSES,
    latch::CLASSES,
    level::CLASSES,
    lock::CLASSES,
    math::CLASSES,
    mutable::CLASSES,
    queue::CLASSES,
    random::CLASSES,
    string::CLASSES,
    string_builder::CLASSES,
    system::CLASSES,
    thread::CLASSES,
    time_unit::CLASSES,
    uri::CLASSES,
    uuid::CLASSES,
    writer::CLASSES,
];

/// Classes of other packages than `java.lang` that need no import either.
const AUTO_IMPORTED: &[&str] = &[
    "java.math.BigInteger",
    "java.math.BigDecimal",
    "java.util.concurrent.Callable",
    "clojure.lang.Compiler",
];

#[derive(Clone, Copy)]
enum Entry {
    Class(&'static JavaClass),
    /// A class of exceptions: all are made and asked alike.
    Exception(&'static str),
}

impl Entry {
    fn name(self) -> &'static str {
        match self {
            Entry::Class(class) => class.name,
            Entry::Exception(name) => name,
        }
    }
}

fn classes() -> &'static HashMap<&'static str, Entry> {
    static CLASSES: OnceLock<HashMap<&str, Entry>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let table = TABLES
            .iter()
            .flat_map(|table| table.iter())
            .map(Entry::Class);
        let exceptions = crate::exception::classes().map(Entry::Exception);
        let mut classes = HashMap::new();
        for entry in exceptions.chain(table) {
            let name = entry.name();
            classes.insert(name, entry);
            let (package, short) = name.rsplit_once('.').unwrap_or(("", name));
            if package == "java.lang" || AUTO_IMPORTED.contains(&name) {
                classes.insert(short, entry);
            }
        }
        classes
    })
}

/// The full name of a class given by its full name, or by its short one if it needs no import.
/// A full name of Java's form that is not in the table is taken as it is: using the class fails
/// when it is tried, so that code which only mentions it can be loaded.
pub fn resolve_class(name: &str) -> Option<Arc<str>> {
    match classes().get(name) {
        Some(entry) => Some(entry.name().into()),
        None if foreign::is_class(name) => Some(name.into()),
        None => None,
    }
}

/// The full names of all classes in the table.
pub fn class_names() -> impl Iterator<Item = &'static str> {
    let table = TABLES
        .iter()
        .flat_map(|table| table.iter())
        .map(|class| class.name);
    table.chain(crate::exception::classes())
}

/// `(Class. args…)`.
///
/// # Errors
/// `ClassNotFoundException` or `IllegalArgumentException` for what is not in the table; what the
/// constructor throws.
pub fn construct(cx: &Cx<'_>, class: &str, args: &[Value]) -> Result {
    match classes().get(class) {
        Some(Entry::Exception(name)) => throwable::construct(name, args),
        Some(Entry::Class(JavaClass {
            construct: Some(made),
            ..
        })) if made.takes(args) => (made.code)(cx, args),
        Some(entry) => Err(foreign::no_constructor(entry.name())),
        None => match record_constructor(cx, class) {
            Some(constructor) => cx.call(&constructor, args),
            None => Err(foreign::no_class(class)),
        },
    }
}

/// `->Name` of the namespace that a class is named after: records that are native have no more.
fn record_constructor(cx: &Cx<'_>, class: &str) -> Option<Value> {
    let (package, short) = class.rsplit_once('.')?;
    cx.rt
        .var(&package.replace('_', "-"), &format!("->{short}"))?
        .get()
}

/// `(Class/member args…)`. Where there is no such member it is a method of the class as a value:
/// `(.getName String)`.
///
/// # Errors
/// As [`construct`].
pub fn static_call(cx: &Cx<'_>, class: &str, member: &str, args: &[Value]) -> Result {
    let found = classes().get(class);
    let (statics, fields) = match found {
        Some(Entry::Class(class)) => (class.statics, class.fields),
        _ => (&[][..], &[][..]),
    };
    if let Some(found) = statics
        .iter()
        .find(|it| it.name == member && it.takes(args))
    {
        return (found.code)(cx, args);
    }
    if let Some((_, value)) = fields.iter().find(|(name, _)| *name == member)
        && args.is_empty()
    {
        return Ok(value());
    }
    let class_value = Class::value(class);
    let of_class = match &class_value {
        Value::Object(object) => object.method(cx, member, args),
        _ => None,
    };
    match (of_class, found) {
        (Some(result), _) => result,
        (None, Some(entry)) => Err(foreign::no_static(
            entry.name(),
            (statics, fields),
            member,
            args.len(),
        )),
        (None, None) => Err(foreign::no_class(class)),
    }
}

/// `Class/MEMBER`.
pub fn static_field(class: &str, member: &str) -> Option<Value> {
    let Some(Entry::Class(class)) = classes().get(class) else {
        return None;
    };
    let (_, value) = class.fields.iter().find(|(name, _)| *name == member)?;
    Some(value())
}

/// What `Class/MEMBER` throws where there is none.
pub fn no_field(class: &str, member: &str) -> Thrown {
    match classes().get(class) {
        Some(Entry::Class(class)) => foreign::no_field(class.name, class.fields, member),
        Some(Entry::Exception(name)) => foreign::no_field(name, &[], member),
        None => foreign::no_class(class),
    }
}

/// True for a class in the table.
pub fn is_known(class: &str) -> bool {
    classes().contains_key(class)
}

/// What `(class/member …)` throws whatever the arguments, if the class is known and has no such
/// member.
pub fn missing(class: &str, member: &str, args: usize) -> Option<Thrown> {
    let Some(Entry::Class(class)) = classes().get(class) else {
        return None;
    };
    let named = class.statics.iter().any(|it| it.name == member)
        || class.fields.iter().any(|(name, _)| *name == member)
        || class::METHODS.contains(&member);
    if named {
        return None;
    }
    let members = (class.statics, class.fields);
    Some(foreign::no_static(class.name, members, member, args))
}

/// True if `(class/member …)` can be called.
pub fn has_static(class: &str, member: &str) -> bool {
    match classes().get(class) {
        Some(Entry::Class(class)) => class.statics.iter().any(|it| it.name == member),
        _ => false,
    }
}

/// `(.name target args…)`, also with the name of a field: `-name`.
///
/// # Errors
/// `NullPointerException` on nil, `IllegalArgumentException` for an unknown name; what it throws.
pub fn method(cx: &Cx<'_>, target: &Value, name: &str, args: &[Value]) -> Result {
    let name = name.strip_prefix('-').unwrap_or(name);
    if let Value::Object(object) = target
        && let Some(result) = object.method(cx, name, args)
    {
        return result;
    }
    if target.is_nil() {
        let message = "Cannot invoke \"Object.getClass()\" because \"target\" is null";
        return Err(Thrown::null_pointer(message).with_hint(format!("nil has no method {name}")));
    }
    let tables = tables(target);
    let methods = tables.iter().flat_map(|table| table.iter());
    match methods
        .clone()
        .find(|method| method.name == name && method.takes(args))
    {
        Some(method) => (method.code)(cx, target, args),
        None => Err(foreign::no_method(
            target,
            methods.map(|method| method.name),
            name,
            args,
        )),
    }
}

/// The methods of a value, by what it is.
fn tables(value: &Value) -> &'static [&'static [Method]] {
    match value {
        Value::Str(_) => &[string::METHODS, object::METHODS],
        Value::Int(_) | Value::Double(_) | Value::Float(_) | Value::Ratio(_) => {
            &[number::METHODS, object::METHODS]
        }
        Value::Big(_) => &[big::METHODS, number::METHODS, object::METHODS],
        Value::Decimal(_) => &[decimal::METHODS, number::METHODS, object::METHODS],
        Value::Bool(_) => &[boolean::METHODS, object::METHODS],
        Value::Char(_) => &[character::METHODS, object::METHODS],
        Value::Keyword(_) | Value::Symbol(_) | Value::Var(_) => {
            &[language::METHODS, object::CALLS, object::METHODS]
        }
        Value::Fn(_) => &[object::CALLS, object::METHODS],
        Value::Map(_) | Value::Event(_) => &[
            collection::MAP,
            collection::ANY,
            object::CALLS,
            object::METHODS,
        ],
        Value::Set(_) => &[
            collection::SET,
            collection::ANY,
            object::CALLS,
            object::METHODS,
        ],
        Value::Vector(_) | Value::List(_) | Value::Lazy(_) => &[
            collection::SEQUENCE,
            collection::ANY,
            object::CALLS,
            object::METHODS,
        ],
        Value::Nil => &[],
        Value::Object(object) => object_tables(value, object.kind()),
    }
}

fn object_tables(value: &Value, kind: crate::object::Kind) -> &'static [&'static [Method]] {
    use crate::object::Kind::{Map, Opaque, Record, Sequence, Set};
    match kind {
        Map | Record => &[
            collection::MAP,
            collection::ANY,
            object::CALLS,
            object::METHODS,
        ],
        Set => &[
            collection::SET,
            collection::ANY,
            object::CALLS,
            object::METHODS,
        ],
        Sequence => &[
            collection::SEQUENCE,
            collection::ANY,
            object::CALLS,
            object::METHODS,
        ],
        Opaque if value.downcast::<Exception>().is_some() => &[throwable::METHODS, object::METHODS],
        Opaque if value.downcast::<crate::Namespace>().is_some() => {
            &[language::METHODS, object::METHODS]
        }
        Opaque => &[object::CALLS, object::METHODS],
    }
}

/// True if `value` is an instance of the class of that full name.
pub fn instance_of(value: &Value, class: &str) -> bool {
    class::instance_of(value, class)
}

impl Static {
    fn takes(&self, args: &[Value]) -> bool {
        (self.arity.0..=self.arity.1).contains(&args.len())
    }
}

impl Method {
    fn takes(&self, args: &[Value]) -> bool {
        (self.arity.0..=self.arity.1).contains(&args.len())
    }
}

/// A function of `clojure.core`, called by name.
fn core(cx: &Cx<'_>, name: &str, args: &[Value]) -> Result {
    crate::core::call_var(cx, "clojure.core", name, args)
}

/// The same, with a value before the arguments.
fn core_of(cx: &Cx<'_>, name: &str, first: &Value, args: &[Value]) -> Result {
    let all: Vec<Value> = std::iter::once(first).chain(args).cloned().collect();
    core(cx, name, &all)
}
