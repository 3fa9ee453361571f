//! `cauchy.histogram`: distributions as values.

use ::histogram::{Bin, Comparison, Histogram, Mode};

use crate::core::native;
use crate::diagnostics::remedy::kind;
use crate::histogram_value::{self, CLASS};
use crate::{Cx, Native, Result, Thrown, Value, seq};

const ONE: (usize, Option<usize>) = (1, Some(1));
const TWO: (usize, Option<usize>) = (2, Some(2));

pub const NATIVES: &[Native] = &[
    native(
        "histogram",
        "([] [numbers])",
        "An empty histogram, or one of some numbers.",
        (0, Some(1)),
        of_numbers,
    ),
    native(
        "histogram?",
        "([x])",
        "True for a histogram.",
        ONE,
        |_, a| Ok(histogram_value::of(&a[0]).is_some().into()),
    ),
    native(
        "record",
        "([h x] [h x n])",
        "The histogram with a number counted once more, or n times more.",
        (2, Some(3)),
        record,
    ),
    native(
        "merge",
        "([& histograms])",
        "All that the histograms counted, in one; an empty one of none.",
        (0, None),
        merge,
    ),
    native(
        "subtract",
        "([h other])",
        "The histogram less what the other counted. A bin that had less is empty then.",
        TWO,
        |_, a| {
            let mut left = of("h/subtract", &a[0])?.clone();
            left.subtract(of("h/subtract", &a[1])?);
            Ok(histogram_value::value(left))
        },
    ),
    native(
        "count",
        "([h])",
        "How many numbers were counted.",
        ONE,
        |_, a| Ok(count_value(of("h/count", &a[0])?.count())),
    ),
    native(
        "nan-count",
        "([h])",
        "How many were counted that have no place on the scale: not numbers, or infinite.",
        ONE,
        |_, a| Ok(count_value(of("h/nan-count", &a[0])?.nan_count())),
    ),
    native(
        "quantile",
        "([h q])",
        "The number that a share q of the numbers, from 0 to 1, is up to; nil if there are none.",
        TWO,
        |_, a| {
            let quantiles = quantiles("h/quantile", &a[0], &a[1..])?;
            Ok(quantiles.into_iter().next().unwrap_or_default())
        },
    ),
    native(
        "quantiles",
        "([h qs])",
        "A vector of the quantile for each q.",
        TWO,
        |_, a| quantiles("h/quantiles", &a[0], &seq::to_vec(&a[1])?).map(Value::vector),
    ),
    native(
        "share-above",
        "([h x])",
        "The share of the numbers that is at or above x, from 0 to 1; nil if there are none.",
        TWO,
        |_, a| at("h/share-above", a, |h, x| known(h.share_above(x))),
    ),
    native(
        "share-below",
        "([h x])",
        "The share of the numbers that is below x, from 0 to 1; nil if there are none.",
        TWO,
        |_, a| at("h/share-below", a, |h, x| known(h.share_below(x))),
    ),
    native(
        "count-above",
        "([h x])",
        "How many numbers are at or above x: exact if x is positive and has two digits.",
        TWO,
        |_, a| at("h/count-above", a, |h, x| count_value(h.count_above(x))),
    ),
    native(
        "count-below",
        "([h x])",
        "How many numbers are below x: exact if x is positive and has two digits.",
        TWO,
        |_, a| {
            at("h/count-below", a, |h, x| {
                count_value(h.count_below_exclusive(x))
            })
        },
    ),
    native(
        "sum",
        "([h])",
        "About the sum of the numbers.",
        ONE,
        |_, a| Ok(of("h/sum", &a[0])?.sum().into()),
    ),
    native(
        "mean",
        "([h])",
        "About the mean of the numbers; nil if there are none.",
        ONE,
        |_, a| Ok(known(of("h/mean", &a[0])?.mean())),
    ),
    native(
        "stddev",
        "([h])",
        "About the standard deviation of the numbers; nil if there are none.",
        ONE,
        |_, a| Ok(known(of("h/stddev", &a[0])?.stddev())),
    ),
    native(
        "min",
        "([h])",
        "The lower end of the least number's bin; nil if there are none.",
        ONE,
        |_, a| Ok(of("h/min", &a[0])?.range().map(|(least, _)| least).into()),
    ),
    native(
        "max",
        "([h])",
        "The upper end of the greatest number's bin; nil if there are none.",
        ONE,
        |_, a| Ok(of("h/max", &a[0])?.range().map(|(_, most)| most).into()),
    ),
    native(
        "modes",
        "([h])",
        "The hills of the distribution, least first: a vector of maps with :at, where it is highest, \
         :low and :high, the valleys beside it, and :share, of all numbers.",
        ONE,
        |_, a| {
            Ok(Value::vector(
                of("h/modes", &a[0])?.modes().iter().map(mode).collect(),
            ))
        },
    ),
    native(
        "distance",
        "([a b])",
        "By how much, on average, a number would have to be moved to make one distribution of the \
         other; nil if one has no numbers.",
        TWO,
        |_, a| {
            let (ours, theirs) = (of("h/distance", &a[0])?, of("h/distance", &a[1])?);
            Ok(known(ours.distance(theirs)))
        },
    ),
    native(
        "compare",
        "([h baseline])",
        "How a distribution differs from a baseline: :distance; :shift, how much of it is upwards; \
         :gap, the greatest difference between the shares below a threshold, :gap-at, the \
         threshold, and :chance, that of such a gap without a change. nil if one has no numbers.",
        TWO,
        |_, a| {
            let (ours, theirs) = (of("h/compare", &a[0])?, of("h/compare", &a[1])?);
            Ok(comparison(&ours.compare(theirs)))
        },
    ),
    native(
        "bins",
        "([h])",
        "The bins that counted something, least first: a vector of maps with :low, :high and :count. \
         That of what is not a number, first if there is one, has :nan true for its ends.",
        ONE,
        |_, a| {
            Ok(Value::vector(
                of("h/bins", &a[0])?.bins().map(bin).collect(),
            ))
        },
    ),
    native(
        "sparkline",
        "([h] [h width])",
        "The shape in a line of text, of 8 characters or so many.",
        (1, Some(2)),
        sparkline,
    ),
    native(
        "encode",
        "([h])",
        "The histogram as a text, base64 of OpenHistogram's binary form.",
        ONE,
        |_, a| Ok(of("h/encode", &a[0])?.to_base64().into()),
    ),
    native(
        "decode",
        "([text])",
        "The histogram that a text of h/encode is.",
        ONE,
        |_, a| decode("h/decode", &a[0]),
    ),
];

/// The histogram that an argument of a function is.
fn of<'a>(function: &str, value: &'a Value) -> Result<&'a Histogram> {
    histogram_value::of(value)
        .map(AsRef::as_ref)
        .ok_or_else(|| unfit(function, "a histogram", value).with_hint(ASK))
}

const ASK: &str = "(h/histogram numbers) makes one; the metric of an event is one if (h/histogram? \
                   (:metric event)) is true";

/// The number that an argument of a function is.
fn number(function: &str, value: &Value) -> Result<f64> {
    match value.as_number() {
        Some(number) => Ok(number.to_f64()),
        None => Err(unfit(function, "a number", value)),
    }
}

fn unfit(function: &str, needed: &str, value: &Value) -> Thrown {
    let given = match value {
        Value::Nil => "nil".to_owned(),
        // A collection may have no end.
        Value::List(_) | Value::Lazy(_) | Value::Vector(_) | Value::Map(_) | Value::Set(_) => {
            kind(&value.class_name())
        }
        Value::Event(_) => kind("riemann.codec.Event"),
        Value::Object(object) => kind(object.class_name()),
        value => value.to_readable(),
    };
    Thrown::illegal_argument(format!("{function} needs {needed}, not {given}"))
}

fn of_numbers(_: &Cx<'_>, args: &[Value]) -> Result {
    let mut histogram = Histogram::new();
    if let Some(numbers) = args.first() {
        for item in seq::iter(numbers) {
            count_in("h/histogram", &mut histogram, &item?, 1)?;
        }
    }
    Ok(histogram_value::value(histogram))
}

/// Counts a number in.
fn count_in(function: &str, histogram: &mut Histogram, value: &Value, count: u64) -> Result<()> {
    let Some(number) = value.as_number() else {
        return Err(unfit(function, "a number", value));
    };
    histogram_value::insert(histogram, &number, count);
    Ok(())
}

fn record(_: &Cx<'_>, args: &[Value]) -> Result {
    let mut histogram = of("h/record", &args[0])?.clone();
    let count = match args.get(2) {
        None => 1,
        Some(Value::Int(count)) if *count >= 0 => count.unsigned_abs(),
        Some(other) => return Err(unfit("h/record", "a count of 0 or more", other)),
    };
    count_in("h/record", &mut histogram, &args[1], count)?;
    Ok(histogram_value::value(histogram))
}

fn merge(_: &Cx<'_>, args: &[Value]) -> Result {
    let mut all = Histogram::new();
    for histogram in args {
        all.merge(of("h/merge", histogram)?);
    }
    Ok(histogram_value::value(all))
}

/// Quantiles in the order they are asked for.
fn quantiles(function: &str, histogram: &Value, asked: &[Value]) -> Result<Vec<Value>> {
    let histogram = of(function, histogram)?;
    let mut qs = Vec::with_capacity(asked.len());
    for (place, q) in asked.iter().enumerate() {
        let number = number(function, q)?;
        if !(0.0..=1.0).contains(&number) {
            return Err(unfit(function, "quantiles from 0 to 1", q)
                .with_hint("the median is 0.5; the 99th percentile is 0.99"));
        }
        qs.push((number, place));
    }
    qs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ascending: Vec<f64> = qs.iter().map(|(q, _)| *q).collect();
    let answers = histogram
        .quantiles(&ascending)
        .map_err(|error| Thrown::illegal_argument(format!("{function}: {error}")))?;
    let mut in_order = vec![Value::Nil; asked.len()];
    for ((_, place), answer) in qs.into_iter().zip(answers) {
        in_order[place] = known(answer);
    }
    Ok(in_order)
}

fn at(function: &str, args: &[Value], ask: impl Fn(&Histogram, f64) -> Value) -> Result {
    Ok(ask(of(function, &args[0])?, number(function, &args[1])?))
}

/// What nothing is known of is nil.
fn known(number: f64) -> Value {
    if number.is_nan() {
        Value::Nil
    } else {
        Value::Double(number)
    }
}

fn count_value(count: u64) -> Value {
    match i64::try_from(count) {
        Ok(count) => Value::Int(count),
        Err(_) => Value::from(event::Number::from_big(count.into())),
    }
}

fn named(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let keyed = |(name, value)| (Value::keyword(name), value);
    Value::map(entries.into_iter().map(keyed))
}

fn mode(mode: &Mode) -> Value {
    named([
        ("at", mode.at.into()),
        ("low", mode.low.into()),
        ("high", mode.high.into()),
        ("share", mode.share.into()),
    ])
}

/// A comparison as a map; nil of nothing.
fn comparison(found: &Comparison) -> Value {
    if found.distance.is_nan() {
        return Value::Nil;
    }
    named([
        ("distance", found.distance.into()),
        ("shift", found.shift.into()),
        ("gap", found.gap.into()),
        ("gap-at", known(found.gap_at)),
        ("chance", found.chance.into()),
    ])
}

fn bin((bin, count): (Bin, u64)) -> Value {
    if bin.is_nan() {
        return named([("nan", true.into()), ("count", count_value(count))]);
    }
    named([
        ("low", bin.left().into()),
        ("high", bin.right().into()),
        ("count", count_value(count)),
    ])
}

/// Characters of a sparkline that nobody said the width of, and the most.
const WIDTH: usize = 8;
const WIDTH_MAX: i64 = 1_000;

fn sparkline(_: &Cx<'_>, args: &[Value]) -> Result {
    let histogram = of("h/sparkline", &args[0])?;
    let width = match args.get(1) {
        None => WIDTH,
        Some(Value::Int(width)) if (1..=WIDTH_MAX).contains(width) => *width as usize,
        Some(other) => return Err(unfit("h/sparkline", "a width from 1 to 1000", other)),
    };
    Ok(histogram.sparkline(width).into())
}

/// The histogram that a text in base64 is, for a function or a literal of that name.
///
/// # Errors
/// `IllegalArgumentException` if it is none.
pub fn decode(name: &str, text: &Value) -> Result {
    let Some(base64) = text.as_str() else {
        return Err(unfit(name, "a text in base64", text));
    };
    match Histogram::from_base64(base64) {
        Ok(histogram) => Ok(histogram_value::value(histogram)),
        Err(error) => Err(
            Thrown::illegal_argument(format!("{name}: {error}")).with_hint(format!(
                "a {CLASS} is printed to be looked at; (h/encode h) gives the text to be read"
            )),
        ),
    }
}
