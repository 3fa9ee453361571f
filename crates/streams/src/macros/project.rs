//! `project`.

use clj::{Native, Value, seq};

use super::entry;
use crate::forms::{call, ours};
use crate::planner::Planner;

pub const MACRO: Native = entry(
    "project",
    "([predicates & children])",
    1,
    |cx, args| {
        let planner = Planner::new(cx, &args[1]);
        let plans = seq::to_vec(&args[2])?
            .iter()
            .map(|form| planner.plan(form))
            .collect();
        let children = Value::vector(args[3..].to_vec());
        Ok(call(
            ours("project-stream"),
            [Value::vector(plans), children],
        ))
    },
    "Keeps the latest event for each of several expressions, written as in where, and passes all of them on \
     as a vector, nil for those that had none yet, whenever an event matches any. An event that has expired \
     in the meantime is in the vector once more, as expired, and then nil.\n\n    (project [(service \
     \"requests\") (service \"errors\")]\n      (smap folds/quotient index))",
);
