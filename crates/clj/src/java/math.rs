//! `java.lang.Math`.

use num_integer::Integer;

use super::{Field, JavaClass, Static, member};
use crate::core::arguments::{int, number};
use crate::{Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.lang.Math",
        construct: None,
        statics: STATICS,
        fields: FIELDS,
    },
    JavaClass {
        name: "java.lang.StrictMath",
        construct: None,
        statics: STATICS,
        fields: FIELDS,
    },
];

const FIELDS: &[Field] = &[
    ("PI", || Value::Double(std::f64::consts::PI)),
    ("E", || Value::Double(std::f64::consts::E)),
];

const STATICS: &[Static] = &[
    member("abs", 1, 1, |_, a| match &a[0] {
        Value::Int(int) => Ok(Value::Int(int.wrapping_abs())),
        Value::Float(float) => Ok(Value::Float(float.abs())),
        x => of(x, f64::abs),
    }),
    member("max", 2, 2, |_, a| extreme(a, i64::max, larger)),
    member("min", 2, 2, |_, a| {
        extreme(a, i64::min, |a, b| -larger(-a, -b))
    }),
    member("floor", 1, 1, |_, a| of(&a[0], f64::floor)),
    member("ceil", 1, 1, |_, a| of(&a[0], f64::ceil)),
    member("rint", 1, 1, |_, a| of(&a[0], f64::round_ties_even)),
    member("round", 1, 1, |_, a| {
        Ok(Value::Int(match &a[0] {
            Value::Int(int) => *int,
            x => round(double(x)?),
        }))
    }),
    member("sqrt", 1, 1, |_, a| of(&a[0], f64::sqrt)),
    member("cbrt", 1, 1, |_, a| of(&a[0], f64::cbrt)),
    member("exp", 1, 1, |_, a| of(&a[0], f64::exp)),
    member("expm1", 1, 1, |_, a| of(&a[0], f64::exp_m1)),
    member("log", 1, 1, |_, a| of(&a[0], f64::ln)),
    member("log10", 1, 1, |_, a| of(&a[0], f64::log10)),
    member("log1p", 1, 1, |_, a| of(&a[0], f64::ln_1p)),
    member("sin", 1, 1, |_, a| of(&a[0], f64::sin)),
    member("cos", 1, 1, |_, a| of(&a[0], f64::cos)),
    member("tan", 1, 1, |_, a| of(&a[0], f64::tan)),
    member("asin", 1, 1, |_, a| of(&a[0], f64::asin)),
    member("acos", 1, 1, |_, a| of(&a[0], f64::acos)),
    member("atan", 1, 1, |_, a| of(&a[0], f64::atan)),
    member("sinh", 1, 1, |_, a| of(&a[0], f64::sinh)),
    member("cosh", 1, 1, |_, a| of(&a[0], f64::cosh)),
    member("tanh", 1, 1, |_, a| of(&a[0], f64::tanh)),
    member("toRadians", 1, 1, |_, a| of(&a[0], f64::to_radians)),
    member("toDegrees", 1, 1, |_, a| of(&a[0], f64::to_degrees)),
    member("signum", 1, 1, |_, a| {
        of(&a[0], |x| {
            if x == 0.0 || x.is_nan() {
                x
            } else {
                x.signum()
            }
        })
    }),
    member("pow", 2, 2, |_, a| of_two(a, pow)),
    member("atan2", 2, 2, |_, a| of_two(a, f64::atan2)),
    member("hypot", 2, 2, |_, a| of_two(a, f64::hypot)),
    member("random", 0, 0, |cx, _| {
        Ok(Value::Double(cx.rt.host.random()))
    }),
    member("IEEEremainder", 2, 2, |_, a| {
        of_two(a, |x, y| x - y * (x / y).round_ties_even())
    }),
    member("floorDiv", 2, 2, |_, a| {
        let (x, y) = nonzero(a)?;
        Ok(Value::Int(if y == -1 {
            x.wrapping_neg()
        } else {
            Integer::div_floor(&x, &y)
        }))
    }),
    member("floorMod", 2, 2, |_, a| {
        let (x, y) = nonzero(a)?;
        Ok(Value::Int(if y == -1 {
            0
        } else {
            Integer::mod_floor(&x, &y)
        }))
    }),
    member("addExact", 2, 2, |_, a| {
        exact(int(&a[0])?.checked_add(int(&a[1])?))
    }),
    member("subtractExact", 2, 2, |_, a| {
        exact(int(&a[0])?.checked_sub(int(&a[1])?))
    }),
    member("multiplyExact", 2, 2, |_, a| {
        exact(int(&a[0])?.checked_mul(int(&a[1])?))
    }),
    member("incrementExact", 1, 1, |_, a| {
        exact(int(&a[0])?.checked_add(1))
    }),
    member("decrementExact", 1, 1, |_, a| {
        exact(int(&a[0])?.checked_sub(1))
    }),
    member("negateExact", 1, 1, |_, a| exact(int(&a[0])?.checked_neg())),
    member("toIntExact", 1, 1, |_, a| {
        match i32::try_from(int(&a[0])?) {
            Ok(int) => Ok(Value::Int(int.into())),
            Err(_) => Err(Thrown::arithmetic("integer overflow")),
        }
    }),
];

/// To the nearest whole number, halves up.
fn round(x: f64) -> i64 {
    let floor = x.floor();
    (if x - floor >= 0.5 { floor + 1.0 } else { floor }) as i64
}

/// The larger; not a number if either is not, unlike [`f64::max`].
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

fn extreme(args: &[Value], ints: fn(i64, i64) -> i64, doubles: fn(f64, f64) -> f64) -> Result {
    match (&args[0], &args[1]) {
        (Value::Int(a), Value::Int(b)) => Ok(Value::Int(ints(*a, *b))),
        (a, b) => Ok(Value::Double(doubles(double(a)?, double(b)?))),
    }
}

/// As Java's: 1 to a power that is infinite or not a number is not a number.
fn pow(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || base.abs() == 1.0 && exponent.is_infinite() {
        return f64::NAN;
    }
    base.powf(exponent)
}

fn nonzero(args: &[Value]) -> Result<(i64, i64)> {
    match (int(&args[0])?, int(&args[1])?) {
        (_, 0) => Err(Thrown::arithmetic("/ by zero")),
        pair => Ok(pair),
    }
}

fn exact(result: Option<i64>) -> Result {
    result
        .map(Value::Int)
        .ok_or_else(|| Thrown::arithmetic("long overflow"))
}

fn of(value: &Value, function: fn(f64) -> f64) -> Result {
    Ok(Value::Double(function(number(value)?.to_f64())))
}

fn of_two(args: &[Value], function: fn(f64, f64) -> f64) -> Result {
    Ok(Value::Double(function(
        number(&args[0])?.to_f64(),
        number(&args[1])?.to_f64(),
    )))
}

/// The number that a value is, as a double.
pub(super) fn double(value: &Value) -> Result<f64> {
    Ok(number(value)?.to_f64())
}

/// A double as `Double.parseDouble` reads it.
pub(super) fn parse_double(text: &str) -> Result<f64> {
    crate::core::strings::java_double(text).ok_or_else(|| {
        let message = match text.trim() {
            "" => "empty String".to_owned(),
            _ => format!("For input string: \"{text}\""),
        };
        Thrown::new("java.lang.NumberFormatException", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_up() {
        assert_eq!([2.5, -2.5, 0.499_999_999_999_999_94].map(round), [3, -2, 0]);
        assert_eq!(round(f64::NAN), 0);
        assert_eq!(round(1e300), i64::MAX);
    }

    #[test]
    fn odd_powers_are_as_in_java() {
        assert!(pow(1.0, f64::NAN).is_nan());
        assert!(pow(-1.0, f64::INFINITY).is_nan());
        assert_eq!(pow(f64::NAN, 0.0), 1.0);
    }
}
