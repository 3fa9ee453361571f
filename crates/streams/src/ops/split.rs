//! `split` and `splitp`: each event to the first stream that wants it.

use clj::{Cx, Native, Result, Thrown, Value, seq};

use crate::children::Child;
use crate::predicate::{self, Subject};
use crate::rescue::rescue;
use crate::stream::{function, operator};
use crate::{Batch, Pred, Selection, Stream, StreamFn};

pub const SPLIT_STAR: Native = operator(
    "split*",
    "([& clauses])",
    0,
    |_: &Cx<'_>, args: &[Value]| {
        let mut branches = Vec::new();
        let mut default = None;
        for clause in args.chunks(2) {
            match clause {
                [pred, stream] => {
                    branches.push((Pred::Call(pred.clone()), Child::of(stream)));
                }
                last => default = last.first().map(Child::of),
            }
        }
        Ok(Split::value("split*", branches, default))
    },
    "As split, with functions of the event for predicates.",
);

pub const SPLIT_STREAM: Native = function(
    "split-stream",
    "([plans-and-streams default])",
    (1, 2),
    |_: &Cx<'_>, args: &[Value]| {
        let mut branches = Vec::new();
        for clause in seq::to_vec(&args[0])?.chunks(2) {
            if let [plan, stream] = clause {
                branches.push((predicate::of_plan(plan)?, Child::of(stream)));
            }
        }
        let default = args.get(1).map(Child::of);
        Ok(Split::value("split", branches, default))
    },
    "What split expands to.",
);

pub const SPLIT_MATCH: Native = function(
    "split*-match",
    "([event clause])",
    (2, 2),
    |cx: &Cx<'_>, args: &[Value]| {
        let clause = seq::to_vec(&args[1])?;
        match &clause[..] {
            [pred, stream, ..] => {
                let chosen = cx.call(pred, &[args[0].clone()])?.truthy();
                Ok(if chosen { stream.clone() } else { Value::Nil })
            }
            [stream] => Ok(stream.clone()),
            [] => Ok(Value::Nil),
        }
    },
    "The stream of a clause [pred stream] if pred is true of the event, or of a clause [stream].",
);

pub const SPLITP_STREAM: Native = function(
    "splitp-stream",
    "([choose streams])",
    (2, 2),
    |_: &Cx<'_>, args: &[Value]| {
        let streams = seq::to_vec(&args[1])?.iter().map(Child::of).collect();
        Ok(StreamFn::value(
            "splitp",
            Splitp {
                choose: args[0].clone(),
                streams,
            },
        ))
    },
    "What splitp expands to.",
);

struct Split {
    name: &'static str,
    branches: Vec<(Pred, Child)>,
    default: Option<Child>,
}

impl Split {
    fn value(name: &'static str, branches: Vec<(Pred, Child)>, default: Option<Child>) -> Value {
        let split = Split {
            name,
            branches,
            default,
        };
        StreamFn::value(name, split)
    }

    /// The stream that an event goes to.
    fn choose(&self, cx: &Cx<'_>, subject: &Subject<'_>) -> Result<Option<&Child>> {
        for (pred, child) in &self.branches {
            if pred.test(cx, subject)? {
                return Ok(Some(child));
            }
        }
        Ok(self.default.as_ref())
    }
}

impl Stream for Split {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let child = self.choose(cx, &Subject::Value(value))?;
        Ok(child.map_or(Value::Nil, |child| send(cx, child, value)))
    }

    /// Event by event; those in a row that go to one stream go together, where asking for the next
    /// does nothing.
    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        let pure = self.branches.iter().all(|(pred, _)| pred.is_pure());
        let pass = |child: Option<&Child>, row: &mut Selection| {
            if let Some(child) = child.filter(|_| !row.is_empty()) {
                batch.with_rescue(true, || child.push(cx, batch, row));
            }
            row.clear();
        };
        let (mut current, mut row): (Option<&Child>, _) = (None, Selection::none());
        for index in chosen.iter() {
            if !pure {
                pass(current, &mut row);
            }
            match self.choose(cx, &batch.subject(index)) {
                Ok(child) => {
                    let same = match (current, child) {
                        (Some(a), Some(b)) => std::ptr::eq(a, b),
                        (a, b) => a.is_none() && b.is_none(),
                    };
                    if !same {
                        pass(current, &mut row);
                        current = child;
                    }
                    row.push(index);
                }
                Err(thrown) => {
                    pass(current, &mut row);
                    batch.fail(cx, index, self.name, thrown);
                }
            }
        }
        pass(current, &mut row);
    }

    fn is_contained(&self) -> bool {
        self.branches
            .iter()
            .all(|(pred, child)| pred.is_pure() && child.is_contained())
            && self.default.as_ref().is_none_or(Child::is_contained)
    }
}

struct Splitp {
    /// Gives the number of the stream that an event goes to.
    choose: Value,
    streams: Vec<Child>,
}

impl Stream for Splitp {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let chosen = cx.call(&self.choose, std::slice::from_ref(value))?.as_i64();
        let child = chosen.and_then(|chosen| self.streams.get(usize::try_from(chosen).ok()?));
        let child = child.ok_or_else(|| Thrown::illegal_argument("No matching clause"))?;
        Ok(send(cx, child, value))
    }
}

fn send(cx: &Cx<'_>, child: &Child, value: &Value) -> Value {
    if let Err(thrown) = child.call(cx, value) {
        rescue(cx, &child.name(), thrown, value);
    }
    Value::Bool(true)
}
