//! `adjust` and `scale`: change a field by what it is.

use clj::{Cx, Native, Result, Thrown, Value, seq};
use event::Number;

use crate::stream::operator;
use crate::{Batch, Children, Selection, Stream, StreamFn, arithmetic, fields};

pub const ADJUST: Native = operator(
    "adjust",
    "([[field f & args] & children] [f & children])",
    1,
    new,
    "Passes on events with a field changed by a function: with [field f & args], field becomes (f value \
     args…). With a function instead of the vector, as smap.\n\n    (adjust [:service str \" rate\"] \
     index)",
);

pub const SCALE: Native = operator(
    "scale",
    "([factor & children])",
    1,
    |_: &Cx<'_>, args: &[Value]| {
        let factor = arithmetic::number(&args[0])?;
        Ok(StreamFn::value(
            "scale",
            Scale {
                factor,
                children: Children::of(&args[1..]),
            },
        ))
    },
    "Passes on events with the metric multiplied by factor. Events without a metric pass unchanged.",
);

struct Adjust {
    field: Value,
    function: Value,
    args: Vec<Value>,
    children: Children,
}

fn new(cx: &Cx<'_>, args: &[Value]) -> Result {
    let Value::Vector(_) = &args[0] else {
        return (super::smap::SMAP.code)(cx, args);
    };
    let parts = seq::to_vec(&args[0])?;
    let [field, function, extra @ ..] = &parts[..] else {
        return Err(Thrown::illegal_argument(
            "adjust wants a vector of a field and a function",
        ));
    };
    let children = Children::of(&args[1..]);
    Ok(StreamFn::value(
        "adjust",
        Adjust {
            field: field.clone(),
            function: function.clone(),
            args: extra.to_vec(),
            children,
        },
    ))
}

impl Stream for Adjust {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        let mut args = vec![cx.call(&self.field, std::slice::from_ref(value))?];
        args.extend_from_slice(&self.args);
        let adjusted = cx.call(&self.function, &args)?;
        self.children
            .call(cx, &fields::assoc_key(value, &self.field, adjusted)?);
        Ok(Value::Bool(true))
    }
}

struct Scale {
    factor: Number,
    children: Children,
}

impl Scale {
    fn change(&self, value: &Value) -> Result {
        match fields::metric(value)? {
            Some(metric) => fields::with_metric(value, arithmetic::product(&metric, &self.factor)?),
            None => Ok(value.clone()),
        }
    }
}

impl Stream for Scale {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.children.call(cx, &self.change(value)?);
        Ok(Value::Bool(true))
    }

    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        self.children
            .push_mapped(cx, batch, chosen, "scale", |value| self.change(value));
    }

    fn is_contained(&self) -> bool {
        self.children.is_contained()
    }
}
