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

    pub(crate) fn pred(&self) -> &Pred {
        &self.pred
    }

    /// True if somebody waits for what does not pass.
    pub(crate) fn has_otherwise(&self) -> bool {
        !self.otherwise.is_empty()
    }

    /// Whether those who get what passes, and those who get the rest, are contained.
    pub(crate) fn are_contained(&self) -> (bool, bool) {
        (self.then.is_contained(), self.otherwise.is_contained())
    }

    /// True if neither can be observed.
    pub(crate) fn is_closed(&self) -> bool {
        self.then.is_contained() && self.otherwise.is_contained()
    }

    /// Gives events to one side.
    pub(crate) fn push_to(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection, passes: bool) {
        let children = if passes { &self.then } else { &self.otherwise };
        children.push(cx, batch, chosen);
    }

    /// Gives those of the chosen events that pass to one side and the rest to the other.
    pub(crate) fn push_both(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        chosen: &Selection,
        passing: &Selection,
    ) {
        self.then.push(cx, batch, passing);
        if self.has_otherwise() {
            let rest = chosen.filtered(|index| !passing.contains(index));
            self.otherwise.push(cx, batch, &rest);
        }
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
