//! `project`: the latest events of several kinds, side by side.

use clj::{Cx, Native, Result, Value, seq};
use parking_lot::Mutex;

use crate::predicate::{self, Subject};
use crate::stream::{function, operator};
use crate::{Children, Pred, Stream, StreamFn, fields};

pub const OPERATOR: Native = operator(
    "project*",
    "([predicates & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| {
        let basis = seq::to_vec(&args[0])?.into_iter().map(Pred::Call).collect();
        Ok(new("project*", basis, Children::of(&args[1..])))
    },
    "As project, with functions of the event for predicates.",
);

pub const STREAM: Native = function(
    "project-stream",
    "([plans children])",
    (2, 2),
    |_: &Cx<'_>, args: &[Value]| {
        let plans = seq::to_vec(&args[0])?;
        let basis = plans
            .iter()
            .map(predicate::of_plan)
            .collect::<Result<Vec<_>>>()?;
        Ok(new("project", basis, Children::of_sequence(&args[1])?))
    },
    "What project expands to.",
);

struct Project {
    basis: Vec<Pred>,
    /// The latest event for each predicate, or nil.
    latest: Mutex<Vec<Value>>,
    children: Children,
}

fn new(name: &'static str, basis: Vec<Pred>, children: Children) -> Value {
    let latest = Mutex::new(vec![Value::Nil; basis.len()]);
    StreamFn::value(
        name,
        Project {
            basis,
            latest,
            children,
        },
    )
}

impl Stream for Project {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let mut places = Vec::new();
        for (place, pred) in self.basis.iter().enumerate() {
            if pred.test(cx, &Subject::Value(value))? {
                places.push(place);
            }
        }
        if places.is_empty() {
            return Ok(Value::Nil);
        }
        let seen = {
            let mut latest = self.latest.lock();
            for place in places {
                latest[place] = value.clone();
            }
            let mut seen = latest.clone();
            for (own, shown) in latest.iter_mut().zip(&mut seen) {
                if !own.is_nil() && fields::is_expired(cx, own)? {
                    *shown = fields::expire(cx, own)?;
                    *own = Value::Nil;
                }
            }
            seen
        };
        self.children.call(cx, &Value::vector(seen));
        Ok(Value::Bool(true))
    }

    fn is_contained(&self) -> bool {
        self.basis.iter().all(Pred::is_pure) && self.children.is_contained()
    }
}
