//! Tests on events, compiled from what a configuration wrote.
//!
//! A [`Pred`] answers as the expression it stands for would: the same value, the same exceptions,
//! whether the event lies in its receive buffer, is an owned event, or is any value at all.

mod lookup;
mod matcher;
mod members;
mod plan;
mod regex;
mod select;
mod subject;
mod text;

use std::cmp::Ordering;
use std::sync::Arc;

use clj::{Cx, Result, Value, Var, histogram_value};
use event::{Number, Tags};

use crate::{arithmetic, fields};

use regex::Finder;

pub(crate) use lookup::{Lookup, Memos};
pub use matcher::{Matcher, common_match};
pub use members::Members;
pub use plan::of_plan;
pub(crate) use select::{TextOf, text_of};
pub use subject::{Key, Reading, Subject};

/// A compiled predicate.
pub enum Pred {
    /// The last value, or the first that is not truthy, as `and`.
    And(Box<[Pred]>),
    /// The first truthy value, or the last, as `or`.
    Or(Box<[Pred]>),
    Not(Box<Pred>),
    /// `riemann.common/match` on a field.
    Match(Key, Matcher),
    /// A chain of comparisons, `(< 5 metric 10)`.
    Compare(Comparison, Box<[Operand]>),
    /// `=` on all.
    Equal(Box<[Operand]>),
    /// The value of a field or a constant itself.
    Just(Operand),
    IsNil(Operand),
    /// `(#{…} x)`, the item of a set or nil.
    Item(Members, Operand),
    /// `(contains? #{…} x)`
    Contains(Members, Operand),
    /// `(re-find #"…" x)`
    Find(Finder, Operand),
    /// All, or any, of these tags.
    Tagged {
        all: bool,
        tags: Box<[Value]>,
    },
    Expired,
    /// Anything else: a function of the event.
    Call(Value),
}

/// A side of a comparison.
pub enum Operand {
    Field(Key),
    Const(Value),
    /// What a var holds at the time.
    Var(Arc<Var>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// `==`, whatever the kinds of the numbers.
    SameNumber,
}

impl Comparison {
    /// The same comparison with its sides changed over.
    fn turned(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            Comparison::SameNumber => Comparison::SameNumber,
        }
    }

    fn holds(self, order: Option<Ordering>) -> bool {
        match (self, order) {
            (_, None) => false,
            (Comparison::Less, Some(order)) => order.is_lt(),
            (Comparison::LessOrEqual, Some(order)) => order.is_le(),
            (Comparison::Greater, Some(order)) => order.is_gt(),
            (Comparison::GreaterOrEqual, Some(order)) => order.is_ge(),
            (Comparison::SameNumber, Some(order)) => order.is_eq(),
        }
    }
}

impl Pred {
    /// What the expression gives.
    ///
    /// # Errors
    /// What the expression throws.
    pub fn value(&self, cx: &Cx<'_>, subject: &Subject<'_>) -> Result {
        match self {
            Pred::And(all) => {
                let mut value = Value::Bool(true);
                for pred in all {
                    value = pred.value(cx, subject)?;
                    if !value.truthy() {
                        break;
                    }
                }
                Ok(value)
            }
            Pred::Or(any) => {
                let mut value = Value::Nil;
                for pred in any {
                    value = pred.value(cx, subject)?;
                    if value.truthy() {
                        break;
                    }
                }
                Ok(value)
            }
            Pred::Just(operand) => Ok(operand.read(subject).into_value()),
            Pred::Tagged { all, tags } => match subject.read(&Key::TAGS) {
                Reading::Nil => Ok(Value::Nil),
                reading => tagged(*all, tags, &reading).map(Value::Bool),
            },
            Pred::Match(key, matcher) => matcher.value(cx, &subject.read(key)),
            Pred::Item(members, of) => Ok(members.item(of.read(subject))),
            Pred::Find(finder, of) => found(cx, finder, of.read(subject)),
            Pred::Call(function) => cx.call(function, &[subject.value().clone()]),
            _ => self.test(cx, subject).map(Value::Bool),
        }
    }

    /// True if what the expression gives is truthy.
    ///
    /// # Errors
    /// What the expression throws.
    pub fn test(&self, cx: &Cx<'_>, subject: &Subject<'_>) -> Result<bool> {
        match self {
            Pred::And(all) => {
                for pred in all {
                    if !pred.test(cx, subject)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Pred::Or(any) => {
                for pred in any {
                    if pred.test(cx, subject)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Pred::Not(pred) => Ok(!pred.test(cx, subject)?),
            Pred::Match(key, matcher) => matcher.matches(cx, &subject.read(key)),
            Pred::Compare(comparison, operands) => compare(*comparison, operands, subject),
            Pred::Equal(operands) => Ok(equal(operands, subject)),
            Pred::Just(operand) => Ok(operand.read(subject).is_truthy()),
            Pred::Item(members, of) => Ok(members.item_is_truthy(of.read(subject))),
            Pred::Contains(members, of) => Ok(members.contains(of.read(subject))),
            Pred::Find(finder, of) => find(cx, finder, of.read(subject)),
            Pred::IsNil(operand) => Ok(matches!(operand.read(subject), Reading::Nil)),
            Pred::Tagged { all, tags } => match subject.read(&Key::TAGS) {
                Reading::Nil => Ok(false),
                reading => tagged(*all, tags, &reading),
            },
            Pred::Expired => subject.is_expired(cx),
            Pred::Call(function) => Ok(cx.call(function, &[subject.value().clone()])?.truthy()),
        }
    }

    /// True if testing changes nothing, so that it can be done at another moment, or twice.
    pub fn is_pure(&self) -> bool {
        match self {
            Pred::And(preds) | Pred::Or(preds) => preds.iter().all(Pred::is_pure),
            Pred::Not(pred) => pred.is_pure(),
            Pred::Match(_, matcher) => matcher.is_pure(),
            Pred::Call(_) => false,
            _ => true,
        }
    }
}

impl Operand {
    fn read<'a>(&'a self, subject: &'a Subject<'_>) -> Reading<'a> {
        match self {
            Operand::Field(key) => subject.read(key),
            Operand::Const(value) => Reading::of(value),
            Operand::Var(var) => Reading::owned(var.get().unwrap_or_default()),
        }
    }
}

/// Whether `re-find` gives anything.
fn find(cx: &Cx<'_>, finder: &Finder, reading: Reading<'_>) -> Result<bool> {
    match reading {
        Reading::Str(text) => finder.finds(text),
        other => Ok(found(cx, finder, other)?.truthy()),
    }
}

/// What `re-find` gives, or throws for what is no text.
fn found(cx: &Cx<'_>, finder: &Finder, reading: Reading<'_>) -> Result {
    match reading.as_str() {
        Some(text) => finder.find(text),
        None => {
            let re_find = cx.rt.var("clojure.core", "re-find");
            let re_find = re_find.and_then(|var| var.root()).unwrap_or_default();
            cx.call(&re_find, &[finder.regex().clone(), reading.into_value()])
        }
    }
}

fn compare(comparison: Comparison, operands: &[Operand], subject: &Subject<'_>) -> Result<bool> {
    let [first, rest @ ..] = operands else {
        return Ok(true);
    };
    if rest.is_empty() {
        return Ok(true);
    }
    let Some(mut left) = comparable(&first.read(subject))? else {
        return Ok(false);
    };
    for operand in rest {
        let Some(right) = comparable(&operand.read(subject))? else {
            return Ok(false);
        };
        if !comparison.holds(left.compare(&right)) {
            return Ok(false);
        }
        left = right;
    }
    Ok(true)
}

/// The number that a reading is to be; `None` for a histogram, which is on no side of a limit.
fn comparable(reading: &Reading<'_>) -> Result<Option<Number>> {
    match reading {
        Reading::Value(value) if histogram_value::of(value).is_some() => Ok(None),
        _ => reading.number().map(Some),
    }
}

fn equal(operands: &[Operand], subject: &Subject<'_>) -> bool {
    equal_readings(operands.iter().map(|operand| operand.read(subject)))
}

fn equal_readings<'a>(mut readings: impl Iterator<Item = Reading<'a>>) -> bool {
    let Some(first) = readings.next() else {
        return true;
    };
    readings.all(|other| first.equals(&other))
}

/// Whether all or any of the tags are among those that a subject has.
fn tagged(all: bool, tags: &[Value], has: &Reading<'_>) -> Result<bool> {
    if let Reading::Tags(has) = has {
        let carries = |tag: &Value| tag.as_str().is_some_and(|tag| Tags::contains(has, tag));
        return Ok(if all {
            tags.iter().all(carries)
        } else {
            tags.iter().any(carries)
        });
    }
    let has = clj::seq::to_vec(&has.clone().into_value())?;
    let carries = |tag: &Value| has.contains(tag);
    Ok(if all {
        tags.iter().all(carries)
    } else {
        tags.iter().any(carries)
    })
}

/// The tags that an argument names: one string, or a collection of them, nested or not.
///
/// # Errors
/// When it is neither.
pub fn tag_names(value: &Value) -> Result<Box<[Value]>> {
    fn flatten(value: &Value, into: &mut Vec<Value>) -> Result<()> {
        match value {
            Value::Vector(_) | Value::List(_) | Value::Lazy(_) | Value::Set(_) => {
                for item in clj::seq::iter(value) {
                    flatten(&item?, into)?;
                }
            }
            _ => into.push(value.clone()),
        }
        Ok(())
    }
    let mut names = Vec::new();
    flatten(value, &mut names)?;
    Ok(names.into())
}

/// `(tagged-all? tags event)` and `(tagged-any? tags event)`: nil when the event has no tags.
///
/// # Errors
/// When tags are no collection.
pub fn tagged_value(all: bool, tags: &Value, value: &Value) -> Result {
    match fields::get(value, "tags") {
        Value::Nil => Ok(Value::Nil),
        has => tagged(all, &tag_names(tags)?, &Reading::of(&has)).map(Value::Bool),
    }
}

/// A number of a value that may be one, for the comparisons.
fn to_number(value: &Value) -> Result<Number> {
    arithmetic::number(value)
}
