//! The streams that pass on some events and drop others: `match`, `tagged`, `expired`, `over` …

use clj::{Cx, Native, Result, Value};

use crate::filter::{Answer, Filter};
use crate::predicate::{Comparison, Key, Matcher, Operand, common_match, tag_names};
use crate::stream::{function, operator};
use crate::{Children, Pred, Stream, StreamFn, predicate};

pub const MATCH: Native = operator(
    "match",
    "([f value & children])",
    2,
    |_: &Cx<'_>, args: &[Value]| {
        let matcher = Matcher::of(&args[1]);
        if let Value::Keyword(key) = &args[0]
            && key.namespace().is_none()
        {
            let pred = Pred::Match(Key::named(key.name()), matcher);
            return Ok(Filter::value("match", pred, &args[2..], Answer::TrueOrNil));
        }
        let (f, children) = (args[0].clone(), Children::of(&args[2..]));
        Ok(StreamFn::value(
            "match",
            MatchBy {
                f,
                matcher,
                children,
            },
        ))
    },
    "Passes on events for which (f event) matches value: a regular expression is found in it, a \
     function is true of it, a set contains it, anything else equals it.\n\n    (match :service \
     #\"^disk\" index)",
);

pub const TAGGED_ALL: Native =
    operator("tagged-all", "([tags & children])", 1, tagged_all, ALL_DOC);

pub const TAGGED: Native = operator("tagged", "([tags & children])", 1, tagged_all, ALL_DOC);

const ALL_DOC: &str = "Passes on events that have all of these tags; tags is one, or a collection.";

pub const TAGGED_ANY: Native = operator(
    "tagged-any",
    "([tags & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| {
        let pred = Pred::Tagged {
            all: false,
            tags: tag_names(&args[0])?,
        };
        Ok(Filter::value(
            "tagged-any",
            pred,
            &args[1..],
            Answer::TrueOrNil,
        ))
    },
    "Passes on events that have any of these tags; tags is one, or a collection.",
);

pub const EXPIRED: Native = operator(
    "expired",
    "([& children])",
    0,
    |_: &Cx<'_>, args: &[Value]| {
        Ok(Filter::value(
            "expired",
            Pred::Expired,
            args,
            Answer::TrueOrNil,
        ))
    },
    "Passes on expired events: those of state \"expired\", and those that are older than their ttl \
     (60 seconds if they have none).\n\n    (expired (email \"you@example.com\"))",
);

pub const NOT_EXPIRED: Native = operator(
    "not-expired",
    "([& children])",
    0,
    |_: &Cx<'_>, args: &[Value]| {
        let pred = Pred::Not(Box::new(Pred::Expired));
        Ok(Filter::value("not-expired", pred, args, Answer::TrueOrNil))
    },
    "Passes on events that are not expired.",
);

pub const OVER: Native = operator(
    "over",
    "([x & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| Ok(beyond("over", Comparison::Greater, args)),
    "Passes on events whose metric is greater than x.",
);

pub const UNDER: Native = operator(
    "under",
    "([x & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| Ok(beyond("under", Comparison::Less, args)),
    "Passes on events whose metric is less than x.",
);

pub const IS_EXPIRED: Native = function(
    "expired?",
    "([event])",
    (1, 1),
    |cx: &Cx<'_>, args: &[Value]| crate::fields::is_expired(cx, &args[0]).map(Value::Bool),
    "True of an event of state \"expired\", or older than its ttl (60 seconds if it has none).",
);

pub const IS_TAGGED_ALL: Native = function(
    "tagged-all?",
    "([tags event])",
    (2, 2),
    |_: &Cx<'_>, args: &[Value]| predicate::tagged_value(true, &args[0], &args[1]),
    "True of an event that has all of these tags. Nil when it has none at all.",
);

pub const IS_TAGGED_ANY: Native = function(
    "tagged-any?",
    "([tags event])",
    (2, 2),
    |_: &Cx<'_>, args: &[Value]| predicate::tagged_value(false, &args[0], &args[1]),
    "True of an event that has any of these tags. Nil when it has none at all.",
);

pub const MATCH_VALUE: Native = function(
    "match-value",
    "([pattern value])",
    (2, 2),
    |cx: &Cx<'_>, args: &[Value]| common_match(cx, &args[0], &args[1]),
    "Whether a value matches a pattern, as where has it: riemann.common/match.",
);

fn tagged_all(_: &Cx<'_>, args: &[Value]) -> Result {
    let pred = Pred::Tagged {
        all: true,
        tags: tag_names(&args[0])?,
    };
    Ok(Filter::value(
        "tagged-all",
        pred,
        &args[1..],
        Answer::TrueOrNil,
    ))
}

fn beyond(name: &'static str, comparison: Comparison, args: &[Value]) -> Value {
    let metric = || Operand::Field(Key::named("metric"));
    let operands = Box::new([metric(), Operand::Const(args[0].clone())]);
    let pred = Pred::And(Box::new([
        Pred::Not(Box::new(Pred::IsNil(metric()))),
        Pred::Compare(comparison, operands),
    ]));
    Filter::value(name, pred, &args[1..], Answer::TrueOrNil)
}

/// `match` on what a function makes of the event.
struct MatchBy {
    f: Value,
    matcher: Matcher,
    children: Children,
}

impl Stream for MatchBy {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let of_event = cx.call(&self.f, std::slice::from_ref(value))?;
        if !self
            .matcher
            .matches(cx, &predicate::Reading::of(&of_event))?
        {
            return Ok(Value::Nil);
        }
        self.children.call(cx, value);
        Ok(Value::Bool(true))
    }
}

pub const WHERE_STREAM: Native = function(
    "where-stream",
    "([plan children else-children])",
    (3, 3),
    |_: &Cx<'_>, args: &[Value]| {
        let pred = predicate::of_plan(&args[0])?;
        let then = Children::of_sequence(&args[1])?;
        let otherwise = Children::of_sequence(&args[2])?;
        Ok(StreamFn::value(
            "where",
            Filter::forked(pred, then, otherwise),
        ))
    },
    "What where expands to.",
);
