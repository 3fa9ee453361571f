//! `by`, `by-builder` and `changed-state`.

use clj::{Map, Native, Thrown, Value, seq};

use super::entry;
use crate::forms::{call, core, ours};

pub const BY: Native = entry(
    "by",
    "([fields & children] [fields options & children])",
    1,
    |cx, args| {
        let ignored = Value::Symbol(cx.rt.gensym("key"));
        Ok(fork(args[2].clone(), ignored, &args[3..], None))
    },
    "Gives events a stream of their own for each value of a field, or of several: the children are \
     built anew when an event with a new value comes, so that each host, say, has its own rate. fields is \
     a keyword, a function of the event, or a vector of those. With {:ttl seconds} before the children, a \
     stream that saw no event for so long is forgotten; with {:max number}, those that saw none for \
     longest, when there would be more (without, those made first, beyond 1000000).\n\n    (by [:host :service] (rate 5 index))",
);

pub const BY_BUILDER: Native = entry(
    "by-builder",
    "([[sym fields] & children])",
    1,
    |_, args| {
        let bound = seq::to_vec(&args[2])?;
        let [symbol, fields] = &bound[..] else {
            return Err(Thrown::illegal_argument(
                "by-builder wants a vector [symbol fields]",
            ));
        };
        let named = (Value::keyword("named"), Value::Bool(true));
        Ok(fork(
            fields.clone(),
            symbol.clone(),
            &args[3..],
            Some(named),
        ))
    },
    "As by, with the value that a stream is for bound to sym.\n\n    (by-builder [host :host] (with \
     :description (str \"from \" host) index))",
);

pub const CHANGED_STATE: Native = entry(
    "changed-state",
    "([& children])",
    0,
    |_, args| {
        let mut changed = vec![Value::keyword("state")];
        changed.extend_from_slice(&args[2..]);
        let fields = Value::vector(vec![Value::keyword("host"), Value::keyword("service")]);
        Ok(call(ours("by"), [fields, call(ours("changed"), changed)]))
    },
    "Passes on events whose state is not that of the event before of the same host and service. Takes the \
     options of changed.\n\n    (changed-state {:init \"ok\"} (email \"you@example.com\"))",
);

/// `named` is an option that says that the children know the value of their fork.
fn fork(fields: Value, symbol: Value, children: &[Value], named: Option<(Value, Value)>) -> Value {
    let (options, children) = match children {
        [Value::Map(options), rest @ ..] => (options.clone(), rest),
        children => (Map::default(), children),
    };
    let options: Map = options
        .iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .chain(named)
        .collect();
    let options = (!options.is_empty()).then_some(Value::Map(options));
    let children = Value::vector(children.to_vec());
    let new_fork = call(core("fn"), [Value::vector(vec![symbol]), children]);
    call(ours("by-fn"), [fields, new_fork].into_iter().chain(options))
}
