//! Streams that pass on what a predicate chooses.

use clj::{Cx, Result, Value};

use crate::predicate::Subject;
use crate::{Batch, Children, Pred, Selection, Stream, StreamFn};

/// Passes events for which a predicate is truthy to some children, the rest to others.
pub struct Filter {
    pred: Pred,
    then: Children,
    otherwise: Children,
    answer: Answer,
}

/// What a filter returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What the predicate gave.
    Predicate,
    /// True where it passed the event on, else nil.
    TrueOrNil,
}

impl Filter {
    /// A filter as a function value, under the name of its operator.
    pub fn value(name: &'static str, pred: Pred, then: &[Value], answer: Answer) -> Value {
        let then = Children::of(then);
        StreamFn::value(
            name,
            Filter {
                pred,
                then,
                otherwise: Children::of(&[]),
                answer,
            },
        )
    }

    /// A filter with children for both outcomes.
    pub fn forked(pred: Pred, then: Children, otherwise: Children) -> Filter {
        Filter {
            pred,
            then,
            otherwise,
            answer: Answer::Predicate,
        }
    }

    /// Whether any of the chosen events would get to a child that can be observed. A predicate
    /// that may do something is not asked: then yes.
    pub(crate) fn reaches_observable(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        chosen: &Selection,
    ) -> bool {
        if !self.pred.is_pure() {
            return true;
        }
        let (then, otherwise) = (self.then.is_contained(), self.otherwise.is_contained());
        let observed = |index| match self.pred.test(cx, &batch.subject(index)) {
            Ok(true) => !then,
            Ok(false) => !otherwise,
            Err(_) => true,
        };
        chosen.iter().any(observed)
    }

    fn route(&self, cx: &Cx<'_>, batch: &Batch<'_>, index: usize) {
        match self.pred.test(cx, &batch.subject(index)) {
            Ok(true) => self.then.push(cx, batch, &Selection::single(index)),
            Ok(false) => self.otherwise.push(cx, batch, &Selection::single(index)),
            Err(thrown) => batch.fail(cx, index, "where", thrown),
        }
    }
}

impl Stream for Filter {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let subject = Subject::Value(value);
        let (chosen, answer) = match self.answer {
            Answer::Predicate => {
                let value = self.pred.value(cx, &subject)?;
                (value.truthy(), value)
            }
            Answer::TrueOrNil => {
                let chosen = self.pred.test(cx, &subject)?;
                (
                    chosen,
                    if chosen {
                        Value::Bool(true)
                    } else {
                        Value::Nil
                    },
                )
            }
        };
        let children = if chosen { &self.then } else { &self.otherwise };
        children.call(cx, value);
        Ok(answer)
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        let apart = self.otherwise.is_empty() || self.is_contained();
        if !self.pred.is_pure() || !apart {
            for index in chosen.iter() {
                self.route(cx, batch, index);
            }
            return;
        }
        let mut failed = Vec::new();
        let mut fail = |index, thrown| failed.push((index, thrown));
        let then = self.pred.select(cx, batch, chosen, &mut fail);
        let mut otherwise = Selection::none();
        if !self.otherwise.is_empty() {
            let threw = |index| failed.iter().any(|(other, _)| *other == index);
            otherwise = chosen.filtered(|index| !then.contains(index) && !threw(index));
        }
        for (index, thrown) in failed {
            batch.fail(cx, index, "where", thrown);
        }
        self.then.push(cx, batch, &then);
        self.otherwise.push(cx, batch, &otherwise);
    }

    fn is_contained(&self) -> bool {
        self.pred.is_pure() && self.then.is_contained() && self.otherwise.is_contained()
    }

    fn as_filter(&self) -> Option<&Filter> {
        Some(self)
    }
}
