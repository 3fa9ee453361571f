//! The methods of numbers.

use super::{Method, method_of};
use crate::core::arguments::number;
use crate::{Result, Value};

pub(super) const METHODS: &[Method] = &[
    method_of("intValue", 0, 0, |_, x, _| {
        Ok(Value::Int(whole(x)? as i32 as i64))
    }),
    method_of("longValue", 0, 0, |_, x, _| Ok(Value::Int(whole(x)?))),
    method_of("shortValue", 0, 0, |_, x, _| {
        Ok(Value::Int(whole(x)? as i16 as i64))
    }),
    method_of("byteValue", 0, 0, |_, x, _| {
        Ok(Value::Int(whole(x)? as i8 as i64))
    }),
    method_of("doubleValue", 0, 0, |_, x, _| {
        Ok(Value::Double(number(x)?.to_f64()))
    }),
    method_of("floatValue", 0, 0, |_, x, _| {
        Ok(Value::Float(number(x)?.to_f64() as f32))
    }),
    method_of("isNaN", 0, 0, |_, x, _| {
        Ok(number(x)?.to_f64().is_nan().into())
    }),
    method_of("isInfinite", 0, 0, |_, x, _| {
        Ok(number(x)?.to_f64().is_infinite().into())
    }),
    method_of("numerator", 0, 0, |cx, x, a| {
        super::core_of(cx, "numerator", x, a)
    }),
    method_of("denominator", 0, 0, |cx, x, a| {
        super::core_of(cx, "denominator", x, a)
    }),
];

fn whole(value: &Value) -> Result<i64> {
    Ok(number(value)?.to_i64_lossy())
}
