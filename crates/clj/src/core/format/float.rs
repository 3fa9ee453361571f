//! Floats in `format`.

use event::Number;
use num_bigint::BigInt;

use super::{Directive, Flags, grouped, mismatch, signed};
use crate::{Result, Value};

/// `%e`, `%f`, `%g`: rounds half up from the digits that Java prints.
pub(super) fn convert(directive: &Directive, arg: &Value, out: &mut String) -> Result<()> {
    let Some(number) = arg
        .as_number()
        .filter(|number| !matches!(number, Number::Int(_) | Number::Big(_)))
    else {
        return Err(mismatch(directive, arg));
    };
    if matches!(number, Number::Ratio(_)) {
        return Err(mismatch(directive, arg));
    }
    // Of a decimal the digits count, which need not fit in a float.
    let value = number.to_f64();
    if !value.is_finite() {
        let text = if value.is_nan() { "NaN" } else { "Infinity" };
        let plain = Directive {
            flags: Flags {
                zero: false,
                ..directive.flags
            },
            ..copy(directive)
        };
        signed(&plain, value < 0.0, text.to_owned(), out);
        return Ok(());
    }
    let precision = directive.precision.unwrap_or(6);
    let exact = decimal_digits(&number);
    let digits = match directive.conversion.to_ascii_lowercase() {
        'e' => scientific(value.abs(), precision),
        'g' => general(value.abs(), if precision == 0 { 1 } else { precision }),
        'a' => format!("{:e}", value.abs()),
        _ => fixed(&exact, precision),
    };
    let digits = match (directive.flags.group, digits.split_once('.')) {
        (true, Some((whole, fraction))) => format!("{}.{fraction}", grouped(whole)),
        (true, None) => grouped(&digits),
        _ => digits,
    };
    let digits = if directive.conversion.is_ascii_uppercase() {
        digits.to_uppercase()
    } else {
        digits
    };
    signed(directive, value.is_sign_negative(), digits, out);
    Ok(())
}

fn copy(directive: &Directive) -> Directive {
    Directive {
        flags: directive.flags,
        width: directive.width,
        conversion: directive.conversion,
        ..Directive::default()
    }
}

/// A float's digits before and after the point, as Java prints it: what Java rounds from.
fn decimal_digits(number: &Number) -> (String, String) {
    let text = number.to_text();
    let text = text.trim_start_matches('-');
    let (mantissa, exponent) = text.split_once('E').unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = format!("{whole}{fraction}");
    let mut point = whole.len() as i64 + exponent;
    if point < 0 {
        digits = format!("{}{digits}", "0".repeat(point.unsigned_abs() as usize));
        point = 0;
    }
    let point = point as usize;
    if digits.len() < point {
        digits.push_str(&"0".repeat(point - digits.len()));
    }
    (digits[..point].to_owned(), digits[point..].to_owned())
}

/// Rounds half up at `precision` digits after the point.
fn fixed((whole, fraction): &(String, String), precision: usize) -> String {
    let kept: String = fraction
        .chars()
        .chain(std::iter::repeat('0'))
        .take(precision)
        .collect();
    let up = fraction
        .chars()
        .nth(precision)
        .is_some_and(|digit| digit >= '5');
    let all: BigInt = format!("0{whole}{kept}").parse().unwrap_or_default();
    let all = if up { all + 1 } else { all };
    let digits = format!("{all:0>width$}", width = precision + 1);
    let (whole, fraction) = digits.split_at(digits.len() - precision);
    if precision == 0 {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    }
}

fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Java's `%g`: `precision` digits in all, plain between 10⁻⁴ and 10^precision.
fn general(value: f64, precision: usize) -> String {
    if value == 0.0 {
        return fixed(&("0".into(), String::new()), precision - 1);
    }
    let rounded: f64 = format!("{value:.0$e}", precision - 1)
        .parse()
        .unwrap_or(value);
    let limit = 10f64.powi(i32::try_from(precision).unwrap_or(i32::MAX));
    if (1e-4..limit).contains(&rounded) {
        let magnitude = rounded.log10().floor() as i64 + 1;
        let after = usize::try_from(precision as i64 - magnitude).unwrap_or(0);
        return fixed(&decimal_digits(&Number::F64(value)), after);
    }
    scientific(value, precision - 1)
}
