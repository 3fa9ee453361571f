//! `split` and `splitp`.

use clj::{Native, Value};

use super::entry;
use crate::forms::{call, core, event_fn, ours};
use crate::planner::Planner;
use crate::rewrite::rewrite;

pub const SPLIT: Native = entry(
    "split",
    "([& clauses])",
    0,
    |cx, args| {
        let planner = Planner::new(cx, &args[1]);
        let mut branches = Vec::new();
        let mut default = None;
        for clause in args[2..].chunks(2) {
            match clause {
                [test, stream] => branches.extend([planner.plan(test), stream.clone()]),
                last => default = last.first().cloned(),
            }
        }
        let branches = std::iter::once(Value::vector(branches));
        Ok(call(ours("split-stream"), branches.chain(default)))
    },
    "Takes pairs of an expression, as in where, and a stream: each event goes to the stream of the first \
     expression that is true. A single stream at the end gets the rest.\n\n    (split\n      (< 0.9 metric) \
     (with :state \"critical\" index)\n      (< 0.5 metric) (with :state \"warning\" index)\n      (with \
     :state \"ok\" index))",
);

pub const SPLITP: Native = entry(
    "splitp",
    "([pred expr & clauses])",
    2,
    |_, args| {
        let mut choose = vec![args[2].clone(), rewrite(&args[3])];
        let mut streams = Vec::new();
        for clause in args[4..].chunks(2) {
            let number = Value::Int(i64::try_from(streams.len()).unwrap_or(i64::MAX));
            match clause {
                [test, stream] => {
                    choose.extend([test.clone(), number]);
                    streams.push(stream.clone());
                }
                last => {
                    choose.push(number);
                    streams.extend(last.iter().cloned());
                }
            }
        }
        let choose = event_fn(call(core("condp"), choose));
        Ok(call(
            ours("splitp-stream"),
            [choose, Value::vector(streams)],
        ))
    },
    "Takes a function, an expression as in where, and pairs of a value and a stream: each event goes to the \
     stream of the first pair for which (pred value expr) is true. A single stream at the end gets the rest; \
     without one, an event that fits nowhere throws.\n\n    (splitp < metric\n      0.9 (with :state \
     \"critical\" index)\n      0.5 (with :state \"warning\" index)\n          (with :state \"ok\" index))",
);
