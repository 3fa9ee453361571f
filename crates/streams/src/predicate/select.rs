//! Choosing among the events of a batch: the same answers as one test after the other, with what
//! does not change between events looked at once.

use clj::{Cx, Thrown, Value};
use event::{Field, Scalar, View, Views};

use super::{Comparison, Key, Matcher, Operand, Pred, Subject};
use crate::{Batch, Selection, fields};

impl Pred {
    /// The chosen events for which the predicate holds; `fail` is told of those on which it throws.
    /// Only for pure predicates.
    pub fn select(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        chosen: &Selection,
        fail: &mut dyn FnMut(usize, Thrown),
    ) -> Selection {
        if let Pred::And(all) = self
            && let Some((first, rest)) = all.split_first()
        {
            let mut left = first.select(cx, batch, chosen, fail);
            for pred in rest {
                if left.is_empty() {
                    break;
                }
                left = pred.select(cx, batch, &left, fail);
            }
            return left;
        }
        if let (Pred::Expired, Some(views), Ok(now)) = (self, batch.views(), batch.now(cx)) {
            return chosen.filtered(|index| fields::is_view_expired_at(now, views.head(index)));
        }
        if let Some(views) = batch.views()
            && let Some(left) = self.select_plainly(views, chosen)
        {
            return left;
        }
        let mut left = Selection::none();
        for index in chosen.iter() {
            match self.test(cx, &batch.subject(index)) {
                Ok(true) => left.push(index),
                Ok(false) => {}
                Err(thrown) => fail(index, thrown),
            }
        }
        left
    }

    /// The answer for a received event, if this tests a text field for a text.
    pub(super) fn is_text(&self, subject: &Subject<'_>) -> Option<bool> {
        match self {
            Pred::Match(Key::Field(field), Matcher::Equal(Value::Str(wanted))) => {
                let view = subject.head()?;
                Some(text_of(*field)?(view) == Some(&**wanted))
            }
            _ => None,
        }
    }

    /// The two tests that filters are mostly made of: a text field equals a text, the metric is on
    /// one side of a limit. `None` where it is another test, or could throw.
    fn select_plainly(&self, views: &Views<'_>, chosen: &Selection) -> Option<Selection> {
        match self {
            Pred::Match(Key::Field(field), Matcher::Equal(Value::Str(wanted))) => {
                let text = text_of(*field)?;
                let wanted = &**wanted;
                Some(chosen.filtered(|index| text(views.head(index)) == Some(wanted)))
            }
            Pred::Compare(comparison, operands) => {
                let (comparison, limit) = metric_limit(*comparison, operands)?;
                if chosen
                    .iter()
                    .any(|index| views.head(index).metric.is_none())
                {
                    return None;
                }
                Some(chosen.filtered(|index| match views.head(index).metric {
                    Some(metric) => comparison.holds(order(metric, limit)),
                    None => false,
                }))
            }
            _ => None,
        }
    }
}

/// Reads a text field of a received event.
pub(crate) type TextOf = for<'a> fn(&'a View<'_>) -> Option<&'a str>;

/// How a text field is read.
pub(crate) fn text_of(field: Field) -> Option<TextOf> {
    match field {
        Field::Host => Some(|view| view.host),
        Field::Service => Some(|view| view.service),
        Field::State => Some(|view| view.state),
        Field::Description => Some(|view| view.description),
        _ => None,
    }
}

/// The limit of a comparison of the metric with a constant, and the comparison with the metric on
/// the left.
fn metric_limit(comparison: Comparison, operands: &[Operand]) -> Option<(Comparison, Scalar)> {
    let is_metric =
        |operand: &Operand| matches!(operand, Operand::Field(Key::Field(Field::Metric)));
    match operands {
        [metric, Operand::Const(limit)] if is_metric(metric) => Some((comparison, scalar(limit)?)),
        [Operand::Const(limit), metric] if is_metric(metric) => {
            Some((comparison.turned(), scalar(limit)?))
        }
        _ => None,
    }
}

fn scalar(value: &Value) -> Option<Scalar> {
    match value {
        Value::Int(int) => Some(Scalar::Int(*int)),
        Value::Double(float) => Some(Scalar::F64(*float)),
        _ => None,
    }
}

fn order(a: Scalar, b: Scalar) -> Option<std::cmp::Ordering> {
    fn float(scalar: Scalar) -> f64 {
        match scalar {
            Scalar::Int(int) => int as f64,
            Scalar::F64(float) => float,
            Scalar::F32(float) => f64::from(float),
        }
    }
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => Some(a.cmp(&b)),
        _ => float(a).partial_cmp(&float(b)),
    }
}
