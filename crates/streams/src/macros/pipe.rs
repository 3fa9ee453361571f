//! `pipe`: nested streams written one after the other.

use clj::{Native, Value};

use super::entry;
use crate::forms::{call, core};

pub const MACRO: Native = entry(
    "pipe",
    "([marker & stages])",
    2,
    |_, args| {
        let (marker, stages) = (&args[2], &args[3..]);
        let mut bindings = Vec::new();
        for stage in stages[1..].iter().rev() {
            bindings.push(marker.clone());
            bindings.push(stage.clone());
        }
        Ok(call(
            core("let"),
            [Value::vector(bindings), stages[0].clone()],
        ))
    },
    "Writes streams one after the other instead of one inside the other: in each stage, marker is the \
     stage after it.\n\n    (pipe - (by [:host :service] -)\n            (rate 5 -)\n            index)",
);
