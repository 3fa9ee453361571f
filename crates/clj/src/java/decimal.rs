//! `java.math.BigDecimal`, and how it is rounded.

use std::any::Any;

use event::{Decimal, Number, Rounding};
use num_bigint::BigInt;

use super::{JavaClass, Method, constructor, member, method_of};
use crate::core::arguments::{int, not_a, number};
use crate::core::decimals::{
    bigdec, rounding, rounding_name, rounding_necessary, value, whole_quotient,
};
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.math.BigDecimal",
        construct: constructor(1, 2, |_, a| match a {
            [Value::Double(_) | Value::Float(_)] => exactly(&a[0]),
            [x] => bigdec(x),
            [digits, scale] => {
                let big = crate::core::arithmetic::to_big(digits)?;
                Decimal::new(big, int(scale)?)
                    .map(value)
                    .ok_or_else(|| Thrown::arithmetic("Overflow"))
            }
            _ => Err(super::foreign::no_constructor("java.math.BigDecimal")),
        }),
        statics: &[member("valueOf", 1, 2, |_, a| match a {
            [digits, scale] => Decimal::new(BigInt::from(int(digits)?), int(scale)?)
                .map(value)
                .ok_or_else(|| Thrown::arithmetic("Overflow")),
            _ => bigdec(&a[0]),
        })],
        fields: &[
            ("ZERO", || value(Decimal::from(0))),
            ("ONE", || value(Decimal::from(1))),
            ("TEN", || value(Decimal::from(10))),
            ("ROUND_UP", || mode(Rounding::Up)),
            ("ROUND_DOWN", || mode(Rounding::Down)),
            ("ROUND_CEILING", || mode(Rounding::Ceiling)),
            ("ROUND_FLOOR", || mode(Rounding::Floor)),
            ("ROUND_HALF_UP", || mode(Rounding::HalfUp)),
            ("ROUND_HALF_DOWN", || mode(Rounding::HalfDown)),
            ("ROUND_HALF_EVEN", || mode(Rounding::HalfEven)),
        ],
    },
    JavaClass {
        name: "java.math.RoundingMode",
        construct: None,
        statics: &[member("valueOf", 1, 1, |_, a| {
            Ok(mode(rounding(&a[0].to_text())?))
        })],
        fields: &[
            ("UP", || mode(Rounding::Up)),
            ("DOWN", || mode(Rounding::Down)),
            ("CEILING", || mode(Rounding::Ceiling)),
            ("FLOOR", || mode(Rounding::Floor)),
            ("HALF_UP", || mode(Rounding::HalfUp)),
            ("HALF_DOWN", || mode(Rounding::HalfDown)),
            ("HALF_EVEN", || mode(Rounding::HalfEven)),
            ("UNNECESSARY", || mode(Rounding::Unnecessary)),
        ],
    },
];

/// The float's own value, all of its digits.
fn exactly(float: &Value) -> Result {
    let ratio = number(float)?
        .to_ratio()
        .ok_or_else(|| Thrown::new("java.lang.NumberFormatException", "Infinite or NaN"))?;
    let part = |big: &BigInt| Decimal::from_big(big.clone());
    part(ratio.numer())
        .div_exact(&part(ratio.denom()))
        .map(value)
        .ok_or_else(rounding_necessary)
}

/// A `java.math.RoundingMode`.
struct Mode(Rounding);

fn mode(rounding: Rounding) -> Value {
    Value::object(Mode(rounding))
}

impl Object for Mode {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.math.RoundingMode"
    }

    fn text(&self) -> Option<String> {
        Some(rounding_name(self.0).into())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<Mode>();
        other.is_some_and(|other| self.0 == other.0)
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("name" | "toString", []) => Some(Ok(Value::str(rounding_name(self.0)))),
            _ => None,
        }
    }
}

fn mode_of(value: &Value) -> Result<Rounding> {
    match value.downcast::<Mode>() {
        Some(mode) => Ok(mode.0),
        None => Err(not_a(value, "java.math.RoundingMode")),
    }
}

fn decimal(value: &Value) -> Result<Decimal> {
    match number(value)? {
        Number::Decimal(decimal) => Ok((*decimal).clone()),
        other => other
            .to_decimal()
            .ok_or_else(|| not_a(value, "java.math.BigDecimal")),
    }
}

fn divisor(value: &Value) -> Result<Decimal> {
    let divisor = decimal(value)?;
    if divisor.is_zero() {
        return Err(Thrown::arithmetic("Division by zero"));
    }
    Ok(divisor)
}

fn scale_of(value: &Value) -> Result<i32> {
    i32::try_from(int(value)?).map_err(|_| Thrown::arithmetic("Overflow"))
}

fn cut(it: &Decimal, scale: &Value, how: Rounding) -> Result {
    let scale = scale_of(scale)?;
    // The bound of scales holds for what is asked for too.
    Decimal::new(BigInt::from(0), scale.into()).ok_or_else(|| Thrown::arithmetic("Overflow"))?;
    it.with_scale(scale, how)
        .map(value)
        .ok_or_else(rounding_necessary)
}

fn divide(it: &Decimal, args: &[Value]) -> Result {
    let by = divisor(&args[0])?;
    let (scale, how) = match args {
        [_, scale, how] => (scale_of(scale)?, mode_of(how)?),
        [_, how] => (it.scale(), mode_of(how)?),
        _ => {
            let both = [value(it.clone()), value(by)];
            return crate::core::arithmetic::div(&both[0], &both[1]);
        }
    };
    let ratio = it.to_ratio() / by.to_ratio();
    let power = BigInt::from(10).pow(scale.unsigned_abs());
    let (upper, lower) = if scale >= 0 {
        (ratio.numer() * power, ratio.denom().clone())
    } else {
        (ratio.numer().clone(), ratio.denom() * power)
    };
    Decimal::quotient(&upper, &lower, how)
        .and_then(|digits| Decimal::new(digits, scale.into()))
        .map(value)
        .ok_or_else(rounding_necessary)
}

fn moved(it: &Decimal, places: i64) -> Result {
    let scale = i64::from(it.scale()) - places;
    Decimal::new(it.digits().clone(), scale)
        .and_then(|moved| match scale {
            0.. => Some(moved),
            _ => moved.with_scale(0, Rounding::Unnecessary),
        })
        .map(value)
        .ok_or_else(|| Thrown::arithmetic("Overflow"))
}

pub(super) const METHODS: &[Method] = &[
    method_of("toString", 0, 0, |_, it, _| {
        Ok(decimal(it)?.to_string().into())
    }),
    method_of("toPlainString", 0, 0, |_, it, _| {
        Ok(decimal(it)?.to_plain().into())
    }),
    method_of("setScale", 1, 2, |_, it, a| match a {
        [scale, how] => cut(&decimal(it)?, scale, mode_of(how)?),
        _ => cut(&decimal(it)?, &a[0], Rounding::Unnecessary),
    }),
    method_of("scale", 0, 0, |_, it, _| {
        Ok(Value::Int(decimal(it)?.scale().into()))
    }),
    method_of("precision", 0, 0, |_, it, _| {
        Ok(Value::Int(decimal(it)?.precision().into()))
    }),
    method_of("unscaledValue", 0, 0, |_, it, _| {
        Ok(Value::Big(decimal(it)?.digits().clone().into()))
    }),
    method_of("toBigInteger", 0, 0, |_, it, _| {
        Ok(Value::Big(decimal(it)?.to_integer().into()))
    }),
    method_of("stripTrailingZeros", 0, 0, |_, it, _| {
        Ok(value(decimal(it)?.stripped()))
    }),
    method_of("add", 1, 1, |_, it, a| {
        Ok(value(decimal(it)?.add(&decimal(&a[0])?)))
    }),
    method_of("subtract", 1, 1, |_, it, a| {
        Ok(value(decimal(it)?.sub(&decimal(&a[0])?)))
    }),
    method_of("multiply", 1, 1, |_, it, a| {
        Ok(value(decimal(it)?.mul(&decimal(&a[0])?)))
    }),
    method_of("divide", 1, 3, |_, it, a| divide(&decimal(it)?, a)),
    method_of("remainder", 1, 1, |_, it, a| {
        let (it, by) = (decimal(it)?, divisor(&a[0])?);
        Ok(value(it.sub(&whole_quotient(&it, &by).mul(&by))))
    }),
    method_of("negate", 0, 0, |_, it, _| Ok(value(decimal(it)?.negated()))),
    method_of("abs", 0, 0, |_, it, _| {
        let it = decimal(it)?;
        Ok(value(if it.is_negative() { it.negated() } else { it }))
    }),
    method_of("signum", 0, 0, |_, it, _| {
        let it = decimal(it)?;
        let sign = i64::from(!it.is_zero());
        Ok(Value::Int(if it.is_negative() { -sign } else { sign }))
    }),
    method_of("compareTo", 1, 1, |_, it, a| {
        Ok(Value::Int(decimal(it)?.cmp(&decimal(&a[0])?) as i64))
    }),
    method_of("max", 1, 1, |_, it, a| {
        Ok(value(decimal(it)?.max(decimal(&a[0])?)))
    }),
    method_of("min", 1, 1, |_, it, a| {
        Ok(value(decimal(it)?.min(decimal(&a[0])?)))
    }),
    method_of("movePointLeft", 1, 1, |_, it, a| {
        moved(&decimal(it)?, int(&a[0])?.saturating_neg())
    }),
    method_of("movePointRight", 1, 1, |_, it, a| {
        moved(&decimal(it)?, int(&a[0])?)
    }),
    method_of("pow", 1, 1, |_, it, a| {
        let (it, times) = (decimal(it)?, int(&a[0])?);
        if !(0..=POWER_MAX).contains(&times) {
            return Err(Thrown::arithmetic("Invalid operation"));
        }
        let one = Decimal::from(1);
        Ok(value((0..times).fold(one, |power, _| power.mul(&it))))
    }),
];

/// Largest power that is worked out.
const POWER_MAX: i64 = 1_000;
