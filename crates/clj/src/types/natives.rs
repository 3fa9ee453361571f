//! What `defrecord`, `deftype`, `reify`, `defprotocol` and `extend` come down to.

use std::sync::Arc;

use super::instance::{self, Instance, Type};
use super::protocol::{Protocol, ProtocolFn};
use crate::java::Class;
use crate::{Cx, Keyword, Native, Result, Thrown, Value, seq};

pub const NATIVES: &[Native] = &[
    Native {
        name: "define-type*",
        arglists: "([name fields record?])",
        doc: "Makes a type with these fields known under its name.",
        arity: (3, Some(3)),
        code: define_type,
    },
    Native {
        name: "implement*",
        arglists: "([class & impls])",
        doc: "Gives a type methods: interface, or interface, name and function.",
        arity: (1, None),
        code: implement,
    },
    Native {
        name: "constructor*",
        arglists: "([class])",
        doc: "The function that makes a value of a type from its fields in order.",
        arity: (1, Some(1)),
        code: |cx, args| Ok(instance::constructor(&type_of(cx, &args[0])?)),
    },
    Native {
        name: "map-constructor*",
        arglists: "([class m])",
        doc: "A record from a map.",
        arity: (2, Some(2)),
        code: |cx, args| {
            let defined = type_of(cx, &args[0])?;
            Ok(instance::from_map(&defined, &super::to_map(&args[1])?))
        },
    },
    Native {
        name: "reify*",
        arglists: "([& impls])",
        doc: "A value that implements interfaces.",
        arity: (0, None),
        code: reify,
    },
    Native {
        name: "set-field!*",
        arglists: "([object name value])",
        doc: "Changes a mutable field of an object.",
        arity: (3, Some(3)),
        code: |_, args| match args[0].downcast::<Instance>() {
            Some(instance) => instance.set(&args[1].to_text(), args[2].clone()),
            None => Err(Thrown::illegal_argument(format!(
                "No field {} to set in class {}",
                args[1].to_text(),
                args[0].class_name()
            ))),
        },
    },
    Native {
        name: "protocol*",
        arglists: "([name])",
        doc: "A protocol of that name in the current namespace.",
        arity: (1, Some(1)),
        code: |cx, args| {
            let namespace = cx.rt.current_namespace();
            let name = args[0].to_text();
            let full = format!("{}/{name}", namespace.name);
            Ok(Value::object(Protocol::new(
                &full,
                &class_in(&namespace.name, &name),
            )))
        },
    },
    Native {
        name: "protocol-fn*",
        arglists: "([protocol name])",
        doc: "The function of that name of a protocol.",
        arity: (2, Some(2)),
        code: |_, args| {
            let name: Arc<str> = args[1].to_text().into();
            Ok(Value::Fn(Arc::new(ProtocolFn {
                protocol: args[0].clone(),
                name,
            })))
        },
    },
    Native {
        name: "extend",
        arglists: "([atype & proto+mmaps])",
        doc: "Adds functions for a class to protocols.",
        arity: (1, None),
        code: extend,
    },
    Native {
        name: "satisfies?",
        arglists: "([protocol x])",
        doc: "True if the value implements the protocol.",
        arity: (2, Some(2)),
        code: |_, args| Ok(Value::Bool(protocol(&args[0])?.is_satisfied_by(&args[1]))),
    },
    Native {
        name: "extends?",
        arglists: "([protocol atype])",
        doc: "True if the class was extended to the protocol.",
        arity: (2, Some(2)),
        code: |cx, args| {
            let protocol = protocol(&args[0])?;
            let class = class_name(&args[1])?;
            let inline = cx
                .rt
                .types
                .get(&class)
                .is_some_and(|t| t.implements(&protocol.interface));
            Ok(Value::Bool(
                inline || protocol.classes().iter().any(|known| **known == *class),
            ))
        },
    },
    Native {
        name: "extenders",
        arglists: "([protocol])",
        doc: "The classes that were extended to the protocol.",
        arity: (1, Some(1)),
        code: |_, args| {
            let classes = protocol(&args[0])?.classes();
            Ok(Value::list(
                classes.iter().map(|class| Class::value(class)).collect(),
            ))
        },
    },
];

/// The full class name of a type of a namespace.
fn class_in(namespace: &str, name: &str) -> String {
    format!("{}.{name}", namespace.replace('-', "_"))
}

fn define_type(cx: &Cx<'_>, args: &[Value]) -> Result {
    let namespace = cx.rt.current_namespace();
    let name = args[0].to_text();
    let class = class_in(&namespace.name, &name);
    let (mut fields, mut changing) = (Vec::new(), Vec::new());
    for field in seq::to_vec(&args[1])? {
        let name = Keyword::new(None, &field.to_text());
        if is_changing(&field) {
            changing.push(name.clone());
        }
        fields.push(name);
    }
    let defined = Type::new(cx, &class, (fields, changing), args[2].truthy());
    cx.rt.types.add(&defined);
    namespace
        .imports
        .write()
        .insert(name.into(), defined.class.clone());
    Ok(Class::value(&class))
}

/// True for a field marked `^:volatile-mutable` or `^:unsynchronized-mutable`.
fn is_changing(field: &Value) -> bool {
    crate::core::metadata::meta(field).is_some_and(|meta| {
        ["volatile-mutable", "unsynchronized-mutable"]
            .iter()
            .any(|mark| meta.get_keyword(mark).is_some_and(Value::truthy))
    })
}

fn type_of(cx: &Cx<'_>, class: &Value) -> Result<Arc<Type>> {
    let name = class_name(class)?;
    cx.rt
        .types
        .get(&name)
        .ok_or_else(|| Thrown::illegal_argument(format!("{name} is not defined")))
}

fn implement(cx: &Cx<'_>, args: &[Value]) -> Result {
    add_all(&*type_of(cx, &args[0])?, &args[1..])?;
    Ok(args[0].clone())
}

fn reify(cx: &Cx<'_>, args: &[Value]) -> Result {
    let class = format!("{}$reify", cx.rt.current_namespace().name);
    let defined = Type::new(cx, &class, (Vec::new(), Vec::new()), false);
    add_all(&defined, args)?;
    Ok(Instance::value(&defined, Vec::new()))
}

/// Each implementation is a vector: an interface, or an interface, a name and a function.
fn add_all(defined: &Type, implementations: &[Value]) -> Result<()> {
    for implementation in implementations {
        let parts = seq::to_vec(implementation)?;
        let Some(target) = parts.first() else {
            continue;
        };
        let interface = match target.downcast::<Protocol>() {
            Some(protocol) => protocol.interface.to_string(),
            None => class_name(target)?,
        };
        defined.declare(&interface);
        if let [_, name, function] = &parts[..] {
            defined.implement(&interface, &name.to_text(), function.clone());
        }
    }
    Ok(())
}

/// `nil` for nil, which protocols may be extended to.
fn class_name(class: &Value) -> Result<String> {
    match class.downcast::<Class>() {
        Some(class) => Ok(class.name().to_owned()),
        None if class.is_nil() => Ok("nil".into()),
        None => Err(Thrown::class_cast(format!(
            "class {} cannot be cast to class java.lang.Class",
            class.class_name()
        ))
        .with_hint("name a protocol, an interface or a class here")),
    }
}

fn protocol(value: &Value) -> Result<&Protocol> {
    value.downcast::<Protocol>().ok_or_else(|| {
        Thrown::illegal_argument(format!("{} is not a protocol", value.to_readable()))
    })
}

fn extend(_: &Cx<'_>, args: &[Value]) -> Result {
    let class = class_name(&args[0])?;
    for pair in args[1..].chunks_exact(2) {
        protocol(&pair[0])?.extend(&class, &super::to_map(&pair[1])?);
    }
    Ok(Value::Nil)
}
