//! `java.math.BigInteger`, which is a big integer of the language.

use std::sync::Arc;

use event::Number;
use num_bigint::{BigInt, Sign};

use super::array::bytes_of;
use super::{JavaClass, Method, constructor, member, method_of};
use crate::core::arguments::{int, optional, string};
use crate::core::arithmetic::to_big;
use crate::{Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.math.BigInteger",
    construct: constructor(1, 2, |_, a| match a {
        [Value::Str(digits)] => parse(digits, &Value::Int(10)),
        [digits @ Value::Str(_), radix] => parse(string(digits)?, radix),
        [bytes] => Ok(big(BigInt::from_signed_bytes_be(&bytes_of(bytes)?))),
        [sign, bytes] => {
            let sign = match int(sign)? {
                0 => Sign::NoSign,
                1.. => Sign::Plus,
                _ => Sign::Minus,
            };
            Ok(big(BigInt::from_bytes_be(sign, &bytes_of(bytes)?)))
        }
        _ => Err(super::foreign::no_constructor("java.math.BigInteger")),
    }),
    statics: &[member("valueOf", 1, 1, |_, a| Ok(big(to_big(&a[0])?)))],
    fields: &[
        ("ZERO", || big(0.into())),
        ("ONE", || big(1.into())),
        ("TEN", || big(10.into())),
    ],
}];

pub(super) const METHODS: &[Method] = &[
    method_of("toString", 0, 1, |_, it, a| {
        let radix = match optional(a, 0) {
            Value::Nil => 10,
            radix => u32::try_from(int(radix)?)
                .ok()
                .filter(|it| (2..=36).contains(it))
                .unwrap_or(10),
        };
        Ok(Value::from(to_big(it)?.to_str_radix(radix)))
    }),
    method_of("add", 1, 1, |_, it, a| {
        Ok(big(to_big(it)? + to_big(&a[0])?))
    }),
    method_of("subtract", 1, 1, |_, it, a| {
        Ok(big(to_big(it)? - to_big(&a[0])?))
    }),
    method_of("multiply", 1, 1, |_, it, a| {
        Ok(big(to_big(it)? * to_big(&a[0])?))
    }),
    method_of("divide", 1, 1, |_, it, a| {
        Ok(big(to_big(it)? / divisor(&a[0])?))
    }),
    method_of("remainder", 1, 1, |_, it, a| {
        Ok(big(to_big(it)? % divisor(&a[0])?))
    }),
    method_of("mod", 1, 1, |_, it, a| {
        Ok(big(num_integer::Integer::mod_floor(
            &to_big(it)?,
            &divisor(&a[0])?,
        )))
    }),
    method_of("pow", 1, 1, |_, it, a| match u32::try_from(int(&a[0])?) {
        Ok(exponent) if exponent <= EXPONENT_MAX => Ok(big(to_big(it)?.pow(exponent))),
        _ => Err(Thrown::arithmetic("Exponent out of range")),
    }),
    method_of("negate", 0, 0, |_, it, _| Ok(big(-to_big(it)?))),
    method_of("abs", 0, 0, |_, it, _| {
        Ok(big(to_big(it)?.magnitude().clone().into()))
    }),
    method_of("signum", 0, 0, |_, it, _| {
        Ok(Value::Int(match to_big(it)?.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }))
    }),
    method_of("bitLength", 0, 0, |_, it, _| {
        Ok(Value::Int(to_big(it)?.bits() as i64))
    }),
    method_of("toByteArray", 0, 0, |_, it, _| {
        Ok(Value::object(super::Array::of_bytes(
            &to_big(it)?.to_signed_bytes_be(),
        )))
    }),
    method_of("toBigInteger", 0, 0, |_, it, _| Ok(it.clone())),
];

/// Largest power that is worked out.
const EXPONENT_MAX: u32 = 1 << 20;

/// Always of the big kind, however small.
fn big(int: BigInt) -> Value {
    Value::Big(Arc::new(int))
}

fn divisor(value: &Value) -> Result<BigInt> {
    let divisor = to_big(value)?;
    if Number::from_big(divisor.clone()).is_zero() {
        return Err(Thrown::arithmetic("BigInteger divide by zero"));
    }
    Ok(divisor)
}

fn parse(digits: &str, radix: &Value) -> Result {
    let wrong = |message: String| Thrown::new("java.lang.NumberFormatException", message);
    let radix = u32::try_from(int(radix)?).unwrap_or(0);
    if !(2..=36).contains(&radix) {
        return Err(wrong("Radix out of range".into()));
    }
    match BigInt::parse_bytes(digits.as_bytes(), radix) {
        Some(int) if !digits.contains('_') => Ok(big(int)),
        _ if digits.is_empty() => Err(wrong("Zero length BigInteger".into())),
        _ => Err(wrong(format!("For input string: \"{digits}\""))),
    }
}
