//! Arrays: a fixed number of places that can be changed.

use super::arguments::count;
use super::native;
use crate::java::Array;
use crate::java::array::array;
use crate::{Cx, Native, Result, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "byte-array",
        "([size-or-seq] [size init-val-or-seq])",
        "An array of bytes.",
        (1, Some(2)),
        |_, a| make("[B", Value::Int(0), a),
    ),
    native(
        "short-array",
        "([size-or-seq] [size init-val-or-seq])",
        "An array of shorts.",
        (1, Some(2)),
        |_, a| make("[S", Value::Int(0), a),
    ),
    native(
        "int-array",
        "([size-or-seq] [size init-val-or-seq])",
        "An array of ints.",
        (1, Some(2)),
        |_, a| make("[I", Value::Int(0), a),
    ),
    native(
        "long-array",
        "([size-or-seq] [size init-val-or-seq])",
        "An array of longs.",
        (1, Some(2)),
        |_, a| make("[J", Value::Int(0), a),
    ),
    native(
        "double-array",
        "([size-or-seq] [size init-val-or-seq])",
        "An array of doubles.",
        (1, Some(2)),
        |_, a| make("[D", Value::Double(0.0), a),
    ),
    native(
        "float-array",
        "([size-or-seq] [size init-val-or-seq])",
        "An array of floats.",
        (1, Some(2)),
        |_, a| make("[F", Value::Float(0.0), a),
    ),
    native(
        "boolean-array",
        "([size-or-seq] [size init-val-or-seq])",
        "An array of booleans.",
        (1, Some(2)),
        |_, a| make("[Z", Value::Bool(false), a),
    ),
    native(
        "char-array",
        "([size-or-seq] [size init-val-or-seq])",
        "An array of characters.",
        (1, Some(2)),
        |_, a| make("[C", Value::Char('\0'), a),
    ),
    native(
        "object-array",
        "([size-or-seq])",
        "An array of anything.",
        (1, Some(1)),
        |_, a| make(OBJECTS, Value::Nil, a),
    ),
    native(
        "make-array",
        "([type len])",
        "An array of nothing yet.",
        (2, None),
        |_, a| {
            let (class, zero) = of_items(&a[0]);
            make(class, zero, &a[1..2])
        },
    ),
    native(
        "to-array",
        "([coll])",
        "An array of the items.",
        (1, Some(1)),
        |_, a| Ok(array_value(OBJECTS, seq::to_vec(&a[0])?)),
    ),
    native(
        "into-array",
        "([aseq] [type aseq])",
        "An array of the items.",
        (1, Some(2)),
        |_, a| Ok(array_value(OBJECTS, seq::to_vec(&a[a.len() - 1])?)),
    ),
    native(
        "bytes",
        "([x])",
        "x, an array of bytes.",
        (1, Some(1)),
        same,
    ),
    native(
        "aget",
        "([array idx])",
        "The item there.",
        (2, Some(2)),
        |_, a| array(&a[0])?.at(&a[1]),
    ),
    native(
        "aset",
        "([array idx val])",
        "Changes the item there.",
        (3, Some(3)),
        aset,
    ),
    native(
        "aset-boolean",
        "([array idx val])",
        "Changes the item there.",
        (3, Some(3)),
        aset,
    ),
    native(
        "aset-byte",
        "([array idx val])",
        "Changes the item there.",
        (3, Some(3)),
        aset,
    ),
    native(
        "aset-char",
        "([array idx val])",
        "Changes the item there.",
        (3, Some(3)),
        aset,
    ),
    native(
        "aset-double",
        "([array idx val])",
        "Changes the item there.",
        (3, Some(3)),
        aset,
    ),
    native(
        "aset-float",
        "([array idx val])",
        "Changes the item there.",
        (3, Some(3)),
        aset,
    ),
    native(
        "aset-int",
        "([array idx val])",
        "Changes the item there.",
        (3, Some(3)),
        aset,
    ),
    native(
        "aset-long",
        "([array idx val])",
        "Changes the item there.",
        (3, Some(3)),
        aset,
    ),
    native(
        "aset-short",
        "([array idx val])",
        "Changes the item there.",
        (3, Some(3)),
        aset,
    ),
    native("booleans", "([x])", "x, an array.", (1, Some(1)), same),
    native("chars", "([x])", "x, an array.", (1, Some(1)), same),
    native("doubles", "([x])", "x, an array.", (1, Some(1)), same),
    native("floats", "([x])", "x, an array.", (1, Some(1)), same),
    native("ints", "([x])", "x, an array.", (1, Some(1)), same),
    native("longs", "([x])", "x, an array.", (1, Some(1)), same),
    native("shorts", "([x])", "x, an array.", (1, Some(1)), same),
    native(
        "alength",
        "([array])",
        "The number of items.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(array(&a[0])?.len() as i64)),
    ),
    native(
        "aclone",
        "([array])",
        "A copy of the array.",
        (1, Some(1)),
        |cx, a| crate::java::method(cx, &a[0], "clone", &[]),
    ),
];

const OBJECTS: &str = "[Ljava.lang.Object;";

fn aset(_: &Cx<'_>, args: &[Value]) -> Result {
    array(&args[0])?.set(&args[1], args[2].clone())?;
    Ok(args[2].clone())
}

fn same(_: &Cx<'_>, args: &[Value]) -> Result {
    array(&args[0]).map(|_| args[0].clone())
}

fn array_value(class: &'static str, items: Vec<Value>) -> Value {
    Value::object(Array::new(class, items))
}

/// The class of an array of values of a class, and what is in it at first.
fn of_items(class: &Value) -> (&'static str, Value) {
    let name = class
        .downcast::<crate::java::Class>()
        .map_or("", |it| it.name());
    match name {
        "byte" => ("[B", Value::Int(0)),
        "short" => ("[S", Value::Int(0)),
        "int" => ("[I", Value::Int(0)),
        "long" => ("[J", Value::Int(0)),
        "float" => ("[F", Value::Float(0.0)),
        "double" => ("[D", Value::Double(0.0)),
        "boolean" => ("[Z", Value::Bool(false)),
        "char" => ("[C", Value::Char('\0')),
        "java.lang.String" => ("[Ljava.lang.String;", Value::Nil),
        _ => (OBJECTS, Value::Nil),
    }
}

fn make(class: &'static str, zero: Value, args: &[Value]) -> Result {
    let items = match args {
        [size @ Value::Int(_)] => vec![zero; count(size)?],
        [items] => seq::to_vec(items)?,
        [size, init] if init.is_sequential() => {
            let mut items: Vec<Value> =
                seq::iter(init).take(count(size)?).collect::<Result<_>>()?;
            items.resize(count(size)?, zero);
            items
        }
        [size, init, ..] => vec![init.clone(); count(size)?],
        [] => Vec::new(),
    };
    Ok(array_value(class, items))
}
