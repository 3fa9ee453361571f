//! `top`: the events with the greatest values.

use clj::{Cx, Native, Result, Value};
use parking_lot::Mutex;

use crate::ops::count_argument;
use crate::ops::dual::Dual;
use crate::stream::function;
use crate::{Stream, StreamFn, arithmetic, fields};

pub const OPERATOR: Native = function(
    "top",
    "([k f top-stream] [k f top-stream bottom-stream] [k f top-stream bottom-stream demote?])",
    (3, 5),
    new,
    "Keeps the k events, of different host and service, with the greatest (f event). An event among \
     them goes to top-stream, and the expired form of it to bottom-stream; any other the other way \
     round; expired ones go to both and are forgotten. With demote?, an event that is pushed out goes \
     to bottom-stream, and its expired form to top-stream, at once; without, only when the next event \
     of its host and service comes.\n\n    (top 10 :metric (tag \"top\" index) index)",
);

struct Top {
    size: usize,
    function: Value,
    demote: bool,
    /// At most `size`, greatest first.
    leaders: Mutex<Vec<Leader>>,
    dual: Dual,
}

#[derive(Clone)]
struct Leader {
    key: (Value, Value),
    rank: Value,
    event: Value,
}

fn new(_: &Cx<'_>, args: &[Value]) -> Result {
    let bottom = match args.get(3) {
        Some(bottom) => bottom.clone(),
        None => StreamFn::value("bit-bucket", Nowhere),
    };
    Ok(StreamFn::value(
        "top",
        Top {
            size: count_argument(&args[0])?,
            function: args[1].clone(),
            demote: args.get(4).is_some_and(Value::truthy),
            leaders: Mutex::default(),
            dual: Dual::new(&args[2], &bottom),
        },
    ))
}

struct Nowhere;

impl Stream for Nowhere {
    fn call(&self, _: &Cx<'_>, _: &Value) -> Result {
        Ok(Value::Nil)
    }

    fn is_contained(&self) -> bool {
        true
    }
}

impl Top {
    /// Puts an event in its place; whether it is a leader now, and who is no longer.
    fn place(&self, cx: &Cx<'_>, event: &Value) -> Result<(bool, Option<Leader>)> {
        let key = (fields::get(event, "host"), fields::get(event, "service"));
        let gone = fields::is_expired(cx, event)?;
        let rank = if gone {
            Value::Nil
        } else {
            cx.call(&self.function, std::slice::from_ref(event))?
        };
        let mut leaders = self.leaders.lock();
        leaders.retain(|leader| leader.key != key);
        if rank.is_nil() {
            return Ok((false, None));
        }
        let mut place = leaders.len();
        while place > 0 && arithmetic::compare(&rank, &leaders[place - 1].rank)?.is_gt() {
            place -= 1;
        }
        if place >= self.size {
            return Ok((false, None));
        }
        leaders.insert(
            place,
            Leader {
                key,
                rank,
                event: event.clone(),
            },
        );
        let out = if leaders.len() > self.size {
            leaders.pop()
        } else {
            None
        };
        Ok((true, out))
    }
}

impl Stream for Top {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let (leads, out) = self.place(cx, value)?;
        if let Some(out) = out.filter(|_| self.demote) {
            self.dual.demote(cx, &out.event)?;
        }
        self.dual.call(cx, value, |_| Ok(leads))
    }
}
