//! `apdex`: how satisfied the users of a service are.

use clj::{Cx, Native, Result, Value};
use event::{Number, Time};

use crate::stream::operator;
use crate::window::{Windowed, Windows};
use crate::{Children, Stream, StreamFn, arithmetic, fields, timer};

pub const OPERATOR: Native = operator(
    "apdex*",
    "([dt satisfied? tolerated? & children])",
    3,
    new,
    "As apdex, with functions of the event for predicates.",
);

struct Apdex {
    satisfied: Value,
    tolerated: Value,
    windows: Windows<Scored>,
}

struct Scored {
    children: Children,
}

#[derive(Default)]
struct Score {
    satisfied: i64,
    tolerated: i64,
    total: i64,
    last: Value,
}

fn new(cx: &Cx<'_>, args: &[Value]) -> Result {
    let scored = Scored {
        children: Children::of(&args[3..]),
    };
    let windows = Windows::new(cx, timer::interval(&args[0])?, scored)?;
    let (satisfied, tolerated) = (args[1].clone(), args[2].clone());
    Ok(StreamFn::value(
        "apdex*",
        Apdex {
            satisfied,
            tolerated,
            windows,
        },
    ))
}

impl Windowed for Scored {
    type State = Score;

    fn reset(&self, _: &Cx<'_>, _: Option<&Score>) -> Result<Score> {
        Ok(Score::default())
    }

    fn finish(&self, cx: &Cx<'_>, score: Score, _: Time, end: Time) -> Result<()> {
        if score.total == 0 {
            return Ok(());
        }
        let tolerated = arithmetic::quotient(&Number::Int(score.tolerated), &Number::Int(2))?;
        let good = arithmetic::sum(&Number::Int(score.satisfied), &tolerated)?;
        let apdex = arithmetic::quotient(&good, &Number::Int(score.total))?;
        let event = fields::with_metric(&score.last, apdex)?;
        self.children.call(cx, &fields::with_time(&event, end)?);
        Ok(())
    }
}

impl Stream for Apdex {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        if fields::is_expired(cx, value)? {
            return Ok(Value::Nil);
        }
        let one = std::slice::from_ref(value);
        let satisfied = cx.call(&self.satisfied, one)?.truthy();
        let tolerated = !satisfied && cx.call(&self.tolerated, one)?.truthy();
        self.windows.add(cx, |score| {
            score.satisfied += i64::from(satisfied);
            score.tolerated += i64::from(tolerated);
            score.total += 1;
            score.last = value.clone();
            Ok(())
        })?;
        Ok(Value::Nil)
    }
}
