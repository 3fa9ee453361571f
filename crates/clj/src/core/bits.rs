//! Bits, and arithmetic that wraps.

use super::arguments::int;
use super::native;
use crate::{Cx, Native, Result, Value};

pub const NATIVES: &[Native] = &[
    native(
        "bit-and",
        "([x y & more])",
        "Bits set in all.",
        (2, None),
        |_, a| fold(a, |x, y| x & y),
    ),
    native(
        "bit-or",
        "([x y & more])",
        "Bits set in any.",
        (2, None),
        |_, a| fold(a, |x, y| x | y),
    ),
    native(
        "bit-xor",
        "([x y & more])",
        "Bits set in an odd number.",
        (2, None),
        |_, a| fold(a, |x, y| x ^ y),
    ),
    native(
        "bit-and-not",
        "([x y & more])",
        "Bits of x not set in y.",
        (2, None),
        |_, a| fold(a, |x, y| x & !y),
    ),
    native(
        "bit-not",
        "([x])",
        "All bits turned.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(!int(&a[0])?)),
    ),
    native(
        "bit-shift-left",
        "([x n])",
        "Bits moved up.",
        (2, Some(2)),
        |_, a| fold(a, |x, n| x.wrapping_shl(n as u32)),
    ),
    native(
        "bit-shift-right",
        "([x n])",
        "Bits moved down, keeping the sign.",
        (2, Some(2)),
        |_, a| fold(a, |x, n| x.wrapping_shr(n as u32)),
    ),
    native(
        "unsigned-bit-shift-right",
        "([x n])",
        "Bits moved down.",
        (2, Some(2)),
        |_, a| fold(a, |x, n| (x as u64).wrapping_shr(n as u32) as i64),
    ),
    native(
        "bit-set",
        "([x n])",
        "With bit n set.",
        (2, Some(2)),
        |_, a| fold(a, |x, n| x | 1i64.wrapping_shl(n as u32)),
    ),
    native(
        "bit-clear",
        "([x n])",
        "With bit n clear.",
        (2, Some(2)),
        |_, a| fold(a, |x, n| x & !1i64.wrapping_shl(n as u32)),
    ),
    native(
        "bit-flip",
        "([x n])",
        "With bit n turned.",
        (2, Some(2)),
        |_, a| fold(a, |x, n| x ^ 1i64.wrapping_shl(n as u32)),
    ),
    native(
        "bit-test",
        "([x n])",
        "True if bit n is set.",
        (2, Some(2)),
        |_, a| Ok((int(&a[0])?.wrapping_shr(int(&a[1])? as u32) & 1 == 1).into()),
    ),
    native(
        "unchecked-add",
        "([x y])",
        "The sum; wraps.",
        (2, Some(2)),
        |_, a| fold(a, i64::wrapping_add),
    ),
    native(
        "unchecked-subtract",
        "([x y])",
        "The difference; wraps.",
        (2, Some(2)),
        |_, a| fold(a, i64::wrapping_sub),
    ),
    native(
        "unchecked-multiply",
        "([x y])",
        "The product; wraps.",
        (2, Some(2)),
        |_, a| fold(a, i64::wrapping_mul),
    ),
    native(
        "unchecked-inc",
        "([x])",
        "One more; wraps.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(int(&a[0])?.wrapping_add(1))),
    ),
    native(
        "unchecked-dec",
        "([x])",
        "One less; wraps.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(int(&a[0])?.wrapping_sub(1))),
    ),
    native(
        "unchecked-negate",
        "([x])",
        "Negated; wraps.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(int(&a[0])?.wrapping_neg())),
    ),
    native(
        "unchecked-long",
        "([x])",
        "The low 64 bits.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(int(&a[0])?)),
    ),
    native(
        "unchecked-int",
        "([x])",
        "The low 32 bits.",
        (1, Some(1)),
        unchecked_int,
    ),
    native(
        "unchecked-byte",
        "([x])",
        "The low 8 bits.",
        (1, Some(1)),
        |_, a| Ok(Value::Int(i64::from(int(&a[0])? as i8))),
    ),
];

fn fold(args: &[Value], step: fn(i64, i64) -> i64) -> Result {
    let mut result = int(&args[0])?;
    for arg in &args[1..] {
        result = step(result, int(arg)?);
    }
    Ok(Value::Int(result))
}

fn unchecked_int(_: &Cx<'_>, args: &[Value]) -> Result {
    Ok(Value::Int(i64::from(int(&args[0])? as i32)))
}
