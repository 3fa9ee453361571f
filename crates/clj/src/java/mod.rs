//! The Java names that configurations use: a table of classes, each in the file of its subject.
//! What is not in the table is an error that names the nearest thing that is.

pub mod class;
mod unknown;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::{Cx, NativeFn, Result, Thrown, Value};

pub use class::Class;

/// A class as code sees it: what can be called on it by name.
pub struct JavaClass {
    /// Full name, `java.util.Date`.
    pub name: &'static str,
    /// `(Class. args…)`
    pub construct: Option<NativeFn>,
    /// `(Class/name args…)`
    pub statics: &'static [(&'static str, NativeFn)],
    /// `Class/NAME`
    pub fields: &'static [(&'static str, fn() -> Value)],
}

impl JavaClass {
    /// A class that is only a name: for `instance?`, `catch` and type hints.
    pub const fn named(name: &'static str) -> JavaClass {
        JavaClass { name, construct: None, statics: &[], fields: &[] }
    }
}

/// All tables, by subject.
const TABLES: &[&[JavaClass]] = &[class::CLASSES];

/// Packages whose classes need no import.
const AUTO_IMPORTED: &[&str] = &["java.lang."];

/// Classes of other packages that need no import either.
const AUTO_IMPORTED_CLASSES: &[&str] =
    &["java.math.BigInteger", "java.math.BigDecimal", "java.util.concurrent.Callable"];

fn classes() -> &'static HashMap<&'static str, &'static JavaClass> {
    static CLASSES: OnceLock<HashMap<&str, &JavaClass>> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let all = TABLES.iter().flat_map(|table| table.iter());
        let mut classes: HashMap<&str, &JavaClass> =
            all.clone().map(|class| (class.name, class)).collect();
        for class in all {
            let (_, short) = class.name.rsplit_once('.').unwrap_or(("", class.name));
            let auto = AUTO_IMPORTED.iter().any(|package| {
                class.name.strip_prefix(package).is_some_and(|rest| rest == short)
            });
            if auto || AUTO_IMPORTED_CLASSES.contains(&class.name) {
                classes.insert(short, class);
            }
        }
        classes
    })
}

/// The full name of a class given by its full name, or by its short one if it needs no import.
pub fn resolve_class(name: &str) -> Option<&'static str> {
    classes().get(name).map(|class| class.name)
}

/// The full names of all classes in the table.
pub fn class_names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|table| table.iter()).map(|class| class.name)
}

/// `(Class. args…)`.
///
/// # Errors
/// `ClassNotFoundException` or `IllegalArgumentException` for what is not in the table; what the
/// constructor throws.
pub fn construct(cx: &Cx<'_>, class: &str, args: &[Value]) -> Result {
    let class = find(class)?;
    match class.construct {
        Some(construct) => construct(cx, args),
        None => Err(unknown::constructor(class)),
    }
}

/// `(Class/member args…)`.
///
/// # Errors
/// As [`construct`].
pub fn static_call(cx: &Cx<'_>, class: &str, member: &str, args: &[Value]) -> Result {
    let class = find(class)?;
    if let Some((_, code)) = class.statics.iter().find(|(name, _)| *name == member) {
        return code(cx, args);
    }
    match class.fields.iter().find(|(name, _)| *name == member) {
        Some((_, value)) if args.is_empty() => Ok(value()),
        _ => Err(unknown::static_member(class, member)),
    }
}

/// `Class/MEMBER`.
pub fn static_field(class: &str, member: &str) -> Option<Value> {
    let class = classes().get(class)?;
    let (_, value) = class.fields.iter().find(|(name, _)| *name == member)?;
    Some(value())
}

/// True if `(class/member …)` can be called.
pub fn has_static(class: &str, member: &str) -> bool {
    classes()
        .get(class)
        .is_some_and(|class| class.statics.iter().any(|(name, _)| *name == member))
}

/// `(.name target args…)`, also with the name of a field: `-name`.
///
/// # Errors
/// `NullPointerException` on nil, `IllegalArgumentException` for an unknown name; what it throws.
pub fn method(cx: &Cx<'_>, target: &Value, name: &str, args: &[Value]) -> Result {
    let name = name.strip_prefix('-').unwrap_or(name);
    if target.is_nil() {
        return Err(Thrown::null_pointer(format!("Cannot call .{name} on nil")));
    }
    if let Value::Object(object) = target
        && let Some(result) = object.method(cx, name, args)
    {
        return result;
    }
    Err(unknown::method(target, name, &[]))
}

/// True if `value` is an instance of the class of that full name.
pub fn instance_of(value: &Value, class: &str) -> bool {
    class::instance_of(value, class)
}

fn find(class: &str) -> Result<&'static JavaClass> {
    classes().get(class).copied().ok_or_else(|| unknown::class(class))
}
