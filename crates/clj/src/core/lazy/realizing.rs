//! Working sequences out.

use super::mapping::map_many;
use crate::closure::function;
use crate::core::arguments::count;
use crate::core::{native, transducers};
use crate::{Cx, Native, Result, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "sequence",
        "([coll] [xform coll] [xform & colls])",
        "A sequence of the items that xform passes on.",
        (1, None),
        sequence,
    ),
    native(
        "eduction",
        "([xform* coll])",
        "The items that all xforms pass on.",
        (1, None),
        |cx, a| {
            let (coll, xforms) = a.split_last().unwrap_or((&Value::Nil, &[]));
            xforms.iter().try_fold(coll.clone(), |coll, xform| {
                sequence(cx, &[xform.clone(), coll])
            })
        },
    ),
    native(
        "doall",
        "([coll] [n coll])",
        "The sequence, all worked out.",
        (1, Some(2)),
        |_, a| {
            let coll = a.last().unwrap_or(&Value::Nil);
            walk(
                coll,
                if a.len() > 1 {
                    count(&a[0])?
                } else {
                    usize::MAX
                },
            )?;
            Ok(coll.clone())
        },
    ),
    native(
        "dorun",
        "([coll] [n coll])",
        "Works out a sequence; gives nil.",
        (1, Some(2)),
        |_, a| {
            walk(
                a.last().unwrap_or(&Value::Nil),
                if a.len() > 1 {
                    count(&a[0])?
                } else {
                    usize::MAX
                },
            )?;
            Ok(Value::Nil)
        },
    ),
    native(
        "seque",
        "([s] [n-or-q s])",
        "The sequence itself.",
        (1, Some(2)),
        |_, a| Ok(a[a.len() - 1].clone()),
    ),
    native(
        "iterator-seq",
        "([iter])",
        "The items as a sequence.",
        (1, Some(1)),
        |_, a| seq::seq(&a[0]),
    ),
    native(
        "enumeration-seq",
        "([e])",
        "The items as a sequence.",
        (1, Some(1)),
        |_, a| seq::seq(&a[0]),
    ),
];

fn walk(coll: &Value, most: usize) -> Result<()> {
    for item in seq::iter(coll).take(most) {
        item?;
    }
    Ok(())
}

fn sequence(cx: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [coll] => match seq::seq(coll)? {
            Value::Nil => Ok(Value::list(Vec::new())),
            items => Ok(items),
        },
        [xform, coll] => transducers::lazily(cx, xform, coll, false),
        [xform, colls @ ..] => {
            let row = function("vector", |_, a| Ok(Value::vector(a.to_vec())));
            let rows = map_many(cx.rt.clone(), row, colls.to_vec());
            transducers::lazily(cx, xform, &rows, true)
        }
        [] => Ok(Value::Nil),
    }
}
