//! `bit-bucket`: where events end.

use clj::{Cx, Native, Result, Value};

use crate::stream::function;

pub const OPERATOR: Native = function(
    "bit-bucket",
    "([event])",
    (1, 1),
    |_: &Cx<'_>, _: &[Value]| -> Result { Ok(Value::Nil) },
    "Discards events.",
);
