//! `apdex`.

use clj::Native;

use super::entry;
use crate::forms::{call, event_fn, ours};
use crate::rewrite::rewrite;

pub const MACRO: Native = entry(
    "apdex",
    "([dt satisfied? tolerated? & children])",
    3,
    |_, args| {
        let predicates = [&args[3], &args[4]].map(|form| event_fn(rewrite(form)));
        let [satisfied, tolerated] = predicates;
        let head = [args[2].clone(), satisfied, tolerated];
        Ok(call(
            ours("apdex*"),
            head.into_iter().chain(args[5..].iter().cloned()),
        ))
    },
    "Every dt seconds, passes on the most recent event with the Apdex as its metric: the share of satisfied \
     events, plus half the share of tolerated ones. Both are expressions as in where. Expired events do not \
     count.\n\n    (apdex 60 (< metric 0.1) (< metric 1) index)",
);
