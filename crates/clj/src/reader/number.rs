//! Number literals.

use std::sync::Arc;

use event::{Decimal, Number};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Num, ToPrimitive};

use crate::Value;

/// The number a token spells; `None` if it spells none.
pub(super) fn parse(token: &str) -> Option<Value> {
    let (negative, digits) = match token.as_bytes().first()? {
        b'-' => (true, &token[1..]),
        b'+' => (false, &token[1..]),
        _ => (false, token),
    };
    if let Some((numerator, denominator)) = digits.split_once('/') {
        return ratio(negative, numerator, denominator);
    }
    if let Some(integer) = integer(negative, digits) {
        return Some(integer);
    }
    let float = !digits.starts_with("0x") && digits.contains(['.', 'e', 'E']);
    if let Some(decimal) = digits.strip_suffix('M') {
        let sign = if negative { "-" } else { "" };
        let decimal =
            is_decimal(decimal).then(|| Decimal::parse(&format!("{sign}{decimal}")))??;
        return Some(Value::Decimal(Arc::new(decimal)));
    }
    if !float || !is_decimal(digits) {
        return None;
    }
    let magnitude: f64 = digits.parse().ok()?;
    Some(Value::Double(if negative { -magnitude } else { magnitude }))
}

fn integer(negative: bool, digits: &str) -> Option<Value> {
    let (digits, big) = match digits.strip_suffix('N') {
        Some(digits) => (digits, true),
        None => (digits, false),
    };
    let (radix, digits) = radix_of(digits)?;
    if digits.is_empty() || !digits.chars().all(|char| char.is_digit(radix)) {
        return None;
    }
    if !big && let Ok(magnitude) = i64::from_str_radix(digits, radix) {
        return Some(Value::Int(if negative { -magnitude } else { magnitude }));
    }
    let magnitude = BigInt::from_str_radix(digits, radix).ok()?;
    let integer = if negative { -magnitude } else { magnitude };
    match integer.to_i64() {
        Some(integer) if !big => Some(Value::Int(integer)),
        _ => Some(Value::Big(Arc::new(integer))),
    }
}

fn radix_of(digits: &str) -> Option<(u32, &str)> {
    if let Some(hex) = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        return Some((16, hex));
    }
    if let Some((radix, digits)) = digits.split_once(['r', 'R']) {
        let radix = radix
            .parse()
            .ok()
            .filter(|radix| (2..=36).contains(radix))?;
        return Some((radix, digits));
    }
    match digits.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => Some((8, octal)),
        _ => Some((10, digits)),
    }
}

fn ratio(negative: bool, numerator: &str, denominator: &str) -> Option<Value> {
    let numerator = BigInt::from_str_radix(numerator, 10).ok()?;
    let denominator = BigInt::from_str_radix(denominator, 10).ok()?;
    if denominator == BigInt::from(0) {
        return None;
    }
    let ratio = BigRational::new(numerator, denominator);
    Some(Number::from_ratio(if negative { -ratio } else { ratio }).into())
}

fn is_decimal(digits: &str) -> bool {
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let numeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !whole.is_empty()
        && !exponent.is_empty()
        && numeric(whole)
        && numeric(fraction)
        && numeric(exponent)
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn check(token: &str, printed: &str) {
        assert_eq!(
            parse(token).map(|value| value.to_readable()).as_deref(),
            Some(printed)
        );
    }

    #[test]
    fn reads_all_notations() {
        check("42", "42");
        check("-7", "-7");
        check("0x1F", "31");
        check("017", "15");
        check("2r101", "5");
        check("36rZ", "35");
        check("1N", "1N");
        check("9223372036854775808", "9223372036854775808N");
        check("-9223372036854775808", "-9223372036854775808");
        check("6/4", "3/2");
        check("1e3", "1000.0");
        check("-1.5", "-1.5");
        check("1.", "1.0");
        check("1.5M", "1.5M");
    }

    #[test]
    fn refuses_what_is_no_number() {
        for token in ["1a", "08", "1/0", "0xg", "1..2", "1e", "3r9"] {
            assert!(parse(token).is_none(), "{token}");
        }
    }
}
