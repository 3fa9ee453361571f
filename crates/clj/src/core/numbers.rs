//! Numbers: arithmetic, comparison, casts.

use std::cmp::Ordering;
use std::sync::Arc;

use event::Number;
use num_traits::{Signed, ToPrimitive};

use super::arguments::{int, not_a, number};
use super::arithmetic::{self, Division};
use super::native;
use crate::{Cx, Native, Result, Thrown, Value};

pub const NATIVES: &[Native] = &[
    native(
        "+",
        "([& xs])",
        "The sum; throws on overflow.",
        (0, None),
        add,
    ),
    native(
        "-",
        "([x & ys])",
        "The difference, or x negated.",
        (1, None),
        sub,
    ),
    native(
        "*",
        "([& xs])",
        "The product; throws on overflow.",
        (0, None),
        mul,
    ),
    native(
        "/",
        "([x & ys])",
        "The quotient, exact for exact numbers.",
        (1, None),
        div,
    ),
    native(
        "divide-double*",
        "([x] [x y])",
        "The quotient of doubles: infinite where y is zero.",
        (1, Some(2)),
        |_, a| match a {
            [x, y] => Ok(Value::Double(number(x)?.to_f64() / number(y)?.to_f64())),
            _ => Ok(Value::Double(1.0 / number(&a[0])?.to_f64())),
        },
    ),
    native(
        "+'",
        "([& xs])",
        "The sum; grows beyond 64 bits.",
        (0, None),
        add_growing,
    ),
    native(
        "-'",
        "([x & ys])",
        "The difference; grows beyond 64 bits.",
        (1, None),
        sub_growing,
    ),
    native(
        "*'",
        "([& xs])",
        "The product; grows beyond 64 bits.",
        (0, None),
        mul_growing,
    ),
    native("inc", "([x])", "One more than x.", (1, Some(1)), inc),
    native("dec", "([x])", "One less than x.", (1, Some(1)), dec),
    native(
        "inc'",
        "([x])",
        "One more than x; grows.",
        (1, Some(1)),
        |_, a| arithmetic::add_growing(&a[0], &Value::Int(1)),
    ),
    native(
        "dec'",
        "([x])",
        "One less than x; grows.",
        (1, Some(1)),
        |_, a| arithmetic::sub_growing(&a[0], &Value::Int(1)),
    ),
    native(
        "quot",
        "([x y])",
        "The quotient, cut towards zero.",
        (2, Some(2)),
        |_, a| arithmetic::divide(&a[0], &a[1], Division::Quotient),
    ),
    native(
        "rem",
        "([x y])",
        "The remainder of quot.",
        (2, Some(2)),
        |_, a| arithmetic::divide(&a[0], &a[1], Division::Remainder),
    ),
    native(
        "mod",
        "([x y])",
        "The remainder with y's sign.",
        (2, Some(2)),
        |_, a| arithmetic::divide(&a[0], &a[1], Division::Modulus),
    ),
    native("max", "([x & more])", "The greatest.", (1, None), max),
    native("min", "([x & more])", "The least.", (1, None), min),
    native("abs", "([x])", "The absolute value.", (1, Some(1)), abs),
    native(
        "<",
        "([x & more])",
        "True if each is less than the next.",
        (1, None),
        |_, a| chain(a, arithmetic::less),
    ),
    native(
        "<=",
        "([x & more])",
        "True if none is less than the one before.",
        (1, None),
        |_, a| chain(a, arithmetic::less_or_equal),
    ),
    native(
        ">",
        "([x & more])",
        "True if each is greater than the next.",
        (1, None),
        |_, a| chain(a, arithmetic::greater),
    ),
    native(
        ">=",
        "([x & more])",
        "True if none is greater than the one before.",
        (1, None),
        |_, a| chain(a, arithmetic::greater_or_equal),
    ),
    native(
        "==",
        "([x & more])",
        "True if all have the same numeric value.",
        (1, None),
        |_, a| chain(a, arithmetic::equivalent),
    ),
    native("zero?", "([x])", "True for zero.", (1, Some(1)), |_, a| {
        Ok((arithmetic::sign(&a[0])? == Some(Ordering::Equal)).into())
    }),
    native(
        "pos?",
        "([x])",
        "True for more than zero.",
        (1, Some(1)),
        |_, a| Ok((arithmetic::sign(&a[0])? == Some(Ordering::Greater)).into()),
    ),
    native(
        "neg?",
        "([x])",
        "True for less than zero.",
        (1, Some(1)),
        |_, a| Ok((arithmetic::sign(&a[0])? == Some(Ordering::Less)).into()),
    ),
    native(
        "even?",
        "([n])",
        "True for an even integer.",
        (1, Some(1)),
        |_, a| Ok(arithmetic::is_even(&a[0])?.into()),
    ),
    native(
        "odd?",
        "([n])",
        "True for an odd integer.",
        (1, Some(1)),
        |_, a| Ok((!arithmetic::is_even(&a[0])?).into()),
    ),
    native(
        "numerator",
        "([r])",
        "The upper part of a ratio.",
        (1, Some(1)),
        |_, a| ratio_part(&a[0], |ratio| ratio.numer().clone()),
    ),
    native(
        "denominator",
        "([r])",
        "The lower part of a ratio.",
        (1, Some(1)),
        |_, a| ratio_part(&a[0], |ratio| ratio.denom().clone()),
    ),
    native(
        "rationalize",
        "([x])",
        "The exact value of a number.",
        (1, Some(1)),
        rationalize,
    ),
    native(
        "long",
        "([x])",
        "As a 64-bit integer, cut towards zero.",
        (1, Some(1)),
        |_, a| ranged(&a[0], i64::MIN, i64::MAX, "long"),
    ),
    native(
        "int",
        "([x])",
        "As a 32-bit integer, cut towards zero.",
        (1, Some(1)),
        |_, a| ranged(&a[0], i64::from(i32::MIN), i64::from(i32::MAX), "int"),
    ),
    native(
        "short",
        "([x])",
        "As a 16-bit integer.",
        (1, Some(1)),
        |_, a| ranged(&a[0], i64::from(i16::MIN), i64::from(i16::MAX), "short"),
    ),
    native(
        "byte",
        "([x])",
        "As an 8-bit integer.",
        (1, Some(1)),
        |_, a| ranged(&a[0], i64::from(i8::MIN), i64::from(i8::MAX), "byte"),
    ),
    native(
        "double",
        "([x])",
        "As a 64-bit float.",
        (1, Some(1)),
        |_, a| Ok(Value::Double(number(&a[0])?.to_f64())),
    ),
    native("float", "([x])", "As a 32-bit float.", (1, Some(1)), float),
    native(
        "num",
        "([x])",
        "x, which must be a number.",
        (1, Some(1)),
        |_, a| number(&a[0]).map(|_| a[0].clone()),
    ),
    native(
        "bigint",
        "([x])",
        "As an integer of any size.",
        (1, Some(1)),
        bigint,
    ),
    native(
        "biginteger",
        "([x])",
        "As an integer of any size.",
        (1, Some(1)),
        bigint,
    ),
    native(
        "rand",
        "([] [n])",
        "A random float from 0 (inclusive) to n or 1.",
        (0, Some(1)),
        rand,
    ),
    native(
        "rand-int",
        "([n])",
        "A random integer from 0 to n - 1.",
        (1, Some(1)),
        |cx, a| {
            Ok(Value::Int(
                (cx.rt.host.random() * number(&a[0])?.to_f64()) as i64,
            ))
        },
    ),
];

fn fold(args: &[Value], start: Value, step: fn(&Value, &Value) -> Result) -> Result {
    match args {
        [] => Ok(start),
        [a] => step(&start, a),
        [a, b] => step(a, b),
        [first, rest @ ..] => rest.iter().try_fold(first.clone(), |sum, x| step(&sum, x)),
    }
}

fn add(_: &Cx<'_>, args: &[Value]) -> Result {
    fold(args, Value::Int(0), arithmetic::add)
}

fn mul(_: &Cx<'_>, args: &[Value]) -> Result {
    fold(args, Value::Int(1), arithmetic::mul)
}

fn sub(_: &Cx<'_>, args: &[Value]) -> Result {
    match args {
        [Value::Double(float)] => Ok(Value::Double(-float)),
        _ => fold(args, Value::Int(0), arithmetic::sub),
    }
}

fn div(_: &Cx<'_>, args: &[Value]) -> Result {
    fold(args, Value::Int(1), arithmetic::div)
}

fn add_growing(_: &Cx<'_>, args: &[Value]) -> Result {
    fold(args, Value::Int(0), arithmetic::add_growing)
}

fn sub_growing(_: &Cx<'_>, args: &[Value]) -> Result {
    fold(args, Value::Int(0), arithmetic::sub_growing)
}

fn mul_growing(_: &Cx<'_>, args: &[Value]) -> Result {
    fold(args, Value::Int(1), arithmetic::mul_growing)
}

fn inc(_: &Cx<'_>, args: &[Value]) -> Result {
    arithmetic::add(&args[0], &Value::Int(1))
}

fn dec(_: &Cx<'_>, args: &[Value]) -> Result {
    arithmetic::sub(&args[0], &Value::Int(1))
}

fn chain(args: &[Value], test: fn(&Value, &Value) -> Result<bool>) -> Result {
    for pair in args.windows(2) {
        if !test(&pair[0], &pair[1])? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn max(_: &Cx<'_>, args: &[Value]) -> Result {
    extreme(args, Ordering::Greater)
}

fn min(_: &Cx<'_>, args: &[Value]) -> Result {
    extreme(args, Ordering::Less)
}

fn extreme(args: &[Value], wanted: Ordering) -> Result {
    let mut best = args[0].clone();
    for next in &args[1..] {
        match arithmetic::order(&best, next)? {
            Some(order) if order == wanted => {}
            Some(_) => best = next.clone(),
            None if number(&best)?.to_f64().is_nan() => {}
            None => best = next.clone(),
        }
    }
    Ok(best)
}

fn abs(_: &Cx<'_>, args: &[Value]) -> Result {
    match &args[0] {
        Value::Double(float) => Ok(Value::Double(float.abs())),
        Value::Float(float) => Ok(Value::Float(float.abs())),
        value if arithmetic::sign(value)? == Some(Ordering::Less) => {
            arithmetic::sub(&Value::Int(0), value)
        }
        value => Ok(value.clone()),
    }
}

fn ratio_part(value: &Value, part: fn(&num_rational::BigRational) -> num_bigint::BigInt) -> Result {
    match value {
        Value::Ratio(ratio) => Ok(Number::from_big(part(ratio)).into()),
        _ => Err(not_a(value, "clojure.lang.Ratio")),
    }
}

/// The value that the number's decimal text has, which for `0.1` is a tenth.
fn rationalize(_: &Cx<'_>, args: &[Value]) -> Result {
    let float = match &args[0] {
        Value::Double(_) | Value::Float(_) => args[0].to_text(),
        Value::Decimal(decimal) => return Ok(exact(Number::from_ratio(decimal.to_ratio()))),
        value => return number(value).map(|_| value.clone()),
    };
    decimal(&float)
        .ok_or_else(|| {
            Thrown::new(
                "java.lang.NumberFormatException",
                format!("For input string: \"{float}\""),
            )
        })
        .map(exact)
}

/// Whole numbers are big ones, as Clojure makes them of floats.
fn exact(number: Number) -> Value {
    match number {
        Number::Int(int) => Value::Big(Arc::new(int.into())),
        other => other.into(),
    }
}

/// The exact value of decimal text, `-1.25e-3`; `None` if it is not that.
pub fn decimal(text: &str) -> Option<Number> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: num_bigint::BigInt = format!("{whole}{fraction}").parse().ok()?;
    let exponent = exponent - i32::try_from(fraction.len()).ok()?;
    let power = num_bigint::BigInt::from(10).pow(exponent.unsigned_abs());
    if exponent >= 0 {
        return Some(Number::from_big(digits * power));
    }
    Number::ratio(digits, power)
}

fn ranged(value: &Value, least: i64, most: i64, kind: &str) -> Result {
    let out_of_range = || {
        Thrown::illegal_argument(format!(
            "Value out of range for {kind}: {}",
            value.to_text()
        ))
    };
    let int = match value {
        Value::Int(_) | Value::Char(_) => int(value)?,
        Value::Big(big) => big.to_i64().ok_or_else(out_of_range)?,
        _ => {
            let float = number(value)?.to_f64();
            if float.is_nan() && kind == "long" {
                0
            } else if float.is_nan() || float < least as f64 || float > most as f64 {
                return Err(out_of_range());
            } else {
                number(value)?.to_i64_lossy()
            }
        }
    };
    if (least..=most).contains(&int) {
        Ok(Value::Int(int))
    } else {
        Err(out_of_range())
    }
}

fn float(_: &Cx<'_>, args: &[Value]) -> Result {
    let wide = number(&args[0])?.to_f64();
    if wide.is_finite() && wide.abs() > f64::from(f32::MAX) {
        let text = args[0].to_text();
        return Err(Thrown::illegal_argument(format!(
            "Value out of range for float: {text}"
        )));
    }
    Ok(Value::Float(wide as f32))
}

fn bigint(_: &Cx<'_>, args: &[Value]) -> Result {
    Ok(Value::Big(Arc::new(arithmetic::to_big(&args[0])?)))
}

fn rand(cx: &Cx<'_>, args: &[Value]) -> Result {
    let scale = match args {
        [] => 1.0,
        [scale, ..] => number(scale)?.to_f64(),
    };
    Ok(Value::Double(cx.rt.host.random() * scale))
}

/// True for a ratio or number below zero, of any kind.
pub fn is_negative(number: &Number) -> bool {
    match number {
        Number::Int(int) => *int < 0,
        Number::Big(big) => big.is_negative(),
        Number::Ratio(ratio) => ratio.is_negative(),
        Number::Decimal(decimal) => decimal.is_negative(),
        Number::F64(float) => *float < 0.0,
        Number::F32(float) => *float < 0.0,
    }
}
