//! Tests of one text field, which answer by the text alone.

use clj::{Cx, Result, Value};
use event::Field;

use super::{Key, Matcher, Operand, Pred, Reading, equal_readings, find};

/// A way in which a text passes a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way<'a> {
    /// It is this.
    Whole(&'a str),
    /// It begins with this.
    Prefix(&'a str),
}

impl Pred {
    /// The text field whose content alone decides this test, if there is one.
    pub(super) fn text_field(&self) -> Option<Field> {
        match self {
            Pred::Match(key, matcher) if decides_by_text(matcher) => text_key(key),
            Pred::Equal(operands) => fields_of(operands),
            Pred::IsNil(operand)
            | Pred::Just(operand)
            | Pred::Item(_, operand)
            | Pred::Contains(_, operand)
            | Pred::Find(_, operand) => fields_of(std::slice::from_ref(operand)),
            Pred::Not(pred) => pred.text_field(),
            Pred::And(preds) | Pred::Or(preds) => {
                let field = preds.first()?.text_field()?;
                let same = |pred: &Pred| pred.text_field() == Some(field);
                preds[1..].iter().all(same).then_some(field)
            }
            _ => None,
        }
    }

    /// The answer of a test that has a [`Pred::text_field`], of which this is what the field holds.
    ///
    /// # Errors
    /// What the test throws.
    pub(super) fn holds_of(&self, cx: &Cx<'_>, held: &Reading<'_>) -> Result<bool> {
        match self {
            Pred::Match(_, matcher) => matcher.matches(cx, held),
            Pred::Equal(operands) => Ok(equal_readings(operands.iter().map(|o| reading(o, held)))),
            Pred::IsNil(operand) => Ok(matches!(reading(operand, held), Reading::Nil)),
            Pred::Just(operand) => Ok(reading(operand, held).is_truthy()),
            Pred::Item(members, of) => Ok(members.item_is_truthy(reading(of, held))),
            Pred::Contains(members, of) => Ok(members.contains(reading(of, held))),
            Pred::Find(finder, of) => find(cx, finder, reading(of, held)),
            Pred::Not(pred) => Ok(!pred.holds_of(cx, held)?),
            Pred::And(preds) => {
                for pred in preds {
                    if !pred.holds_of(cx, held)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Pred::Or(preds) => {
                for pred in preds {
                    if pred.holds_of(cx, held)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => unreachable!("it has no text field"),
        }
    }

    /// True if a test that has a [`Pred::text_field`] gives an answer to any text.
    pub(super) fn never_throws(&self) -> bool {
        match self {
            Pred::Match(_, Matcher::Regex(finder)) => finder.is_plain(),
            // It does of nil.
            Pred::Find(..) => false,
            Pred::Not(pred) => pred.never_throws(),
            Pred::And(preds) | Pred::Or(preds) => preds.iter().all(Pred::never_throws),
            _ => true,
        }
    }

    /// All ways in which a text passes; `None` if there are others than [`Way`] tells of.
    pub(super) fn ways(&self) -> Option<Vec<Way<'_>>> {
        match self {
            Pred::Match(_, Matcher::Equal(Value::Str(text))) => Some(vec![Way::Whole(text)]),
            Pred::Match(_, Matcher::Regex(finder)) => Some(vec![Way::Prefix(finder.prefix()?)]),
            Pred::Match(_, Matcher::Set(Value::Set(items))) => items
                .iter()
                .map(|item| item.as_str().map(Way::Whole))
                .collect(),
            Pred::Equal(operands) => match &**operands {
                [Operand::Field(_), Operand::Const(text)]
                | [Operand::Const(text), Operand::Field(_)] => {
                    Some(vec![Way::Whole(text.as_str()?)])
                }
                _ => None,
            },
            Pred::Item(members, _) | Pred::Contains(members, _) => {
                Some(members.texts()?.into_iter().map(Way::Whole).collect())
            }
            Pred::Find(finder, _) => Some(vec![Way::Prefix(finder.prefix()?)]),
            Pred::Or(preds) => {
                let ways: Option<Vec<Vec<Way<'_>>>> = preds.iter().map(Pred::ways).collect();
                Some(ways?.concat())
            }
            _ => None,
        }
    }
}

fn decides_by_text(matcher: &Matcher) -> bool {
    match matcher {
        Matcher::Nil | Matcher::Equal(_) | Matcher::Regex(_) | Matcher::Keyword(_) => true,
        Matcher::Set(set) => matches!(set, Value::Set(_)),
        Matcher::Vector(_) | Matcher::Map(_) | Matcher::Call(_) => false,
    }
}

fn text_key(key: &Key) -> Option<Field> {
    match key {
        Key::Field(field @ (Field::Host | Field::Service | Field::State | Field::Description)) => {
            Some(*field)
        }
        _ => None,
    }
}

/// The one text field among operands.
fn fields_of(operands: &[Operand]) -> Option<Field> {
    let mut found = None;
    for operand in operands {
        match operand {
            Operand::Field(key) => {
                let field = text_key(key)?;
                if found.is_some_and(|found| found != field) {
                    return None;
                }
                found = Some(field);
            }
            Operand::Const(_) => {}
            Operand::Var(_) => return None,
        }
    }
    found
}

fn reading<'a>(operand: &'a Operand, held: &Reading<'a>) -> Reading<'a> {
    match operand {
        Operand::Field(_) => held.clone(),
        Operand::Const(value) => Reading::of(value),
        Operand::Var(_) => unreachable!("what a var holds is not decided by a text"),
    }
}
