//! `where`, the filter that is an expression.

use clj::{Native, Value, seq};

use super::entry;
use crate::forms::{call, ours};
use crate::planner::Planner;
use crate::rewrite;
use crate::stream::function;

pub const WHERE: Native = entry(
    "where",
    "([expr & children])",
    1,
    |cx, args| {
        let plan = Planner::new(cx, &args[1]).plan(&args[2]);
        Ok(stream(plan, &args[3..]))
    },
    "Passes on events for which an expression is true. In it, host, service, state, metric, time, ttl, \
     description and tags stand for the fields of the event, and event for the whole. In a list, a field \
     and values test for a match with any of them: (service \"www\" #\"^api\"). A regular expression is \
     found in the field, a function true of it, a set contains it. (tagged \"a\") tests for a tag, (tagged \
     [\"a\" \"b\"]) for all of several, (tagged-any [\"a\" \"b\"]) for any. Children inside (else …) get \
     the other events. Gives what the expression gave.\n\n    (where (and (service #\"^disk\") (> metric \
     0.9))\n      (with :state \"critical\" index)\n      (else index))",
);

pub const WHERE_STAR: Native = entry(
    "where*",
    "([f & children])",
    1,
    |cx, args| {
        let plan = Planner::plan_of_function(cx, &args[1], &args[2]);
        Ok(stream(plan, &args[3..]))
    },
    "As where, with a function of the event.\n\n    (where* (fn [event] (< 5 (:metric event))) index (else \
     prn))",
);

pub const REWRITE: Native = function(
    "where-rewrite",
    "([expr])",
    (1, 1),
    |_, args| Ok(rewrite::rewrite(&args[0])),
    "What an expression of where stands for, in terms of event.",
);

pub const PARTITION_CLAUSES: Native = function(
    "where-partition-clauses",
    "([exprs])",
    (1, 1),
    |_, args| {
        let (then, otherwise) = rewrite::partition_clauses(&seq::to_vec(&args[0])?);
        Ok(Value::vector(vec![
            Value::vector(then),
            Value::vector(otherwise),
        ]))
    },
    "Splits (a (else b) c) into [[a c] [b]].",
);

fn stream(plan: Value, clauses: &[Value]) -> Value {
    let (then, otherwise) = rewrite::partition_clauses(clauses);
    call(
        ours("where-stream"),
        [plan, Value::vector(then), Value::vector(otherwise)],
    )
}
