//! `Long`, `Integer`, `Short` and `Byte`. All are 64-bit integers here; each parses its own range.

use super::{JavaClass, Static, constructor, member};
use crate::core::arguments::{int, optional};
use crate::{Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.lang.Long",
        construct: constructor(1, 1, |_, a| of(&a[0], 64)),
        statics: LONG,
        fields: &[
            ("TYPE", || super::Class::value("long")),
            ("MAX_VALUE", || Value::Int(i64::MAX)),
            ("MIN_VALUE", || Value::Int(i64::MIN)),
            ("SIZE", || Value::Int(64)),
            ("BYTES", || Value::Int(8)),
        ],
    },
    JavaClass {
        name: "java.lang.Integer",
        construct: constructor(1, 1, |_, a| of(&a[0], 32)),
        statics: INTEGER,
        fields: &[
            ("TYPE", || super::Class::value("int")),
            ("MAX_VALUE", || Value::Int(i32::MAX.into())),
            ("MIN_VALUE", || Value::Int(i32::MIN.into())),
            ("SIZE", || Value::Int(32)),
            ("BYTES", || Value::Int(4)),
        ],
    },
    JavaClass {
        name: "java.lang.Short",
        construct: constructor(1, 1, |_, a| of(&a[0], 16)),
        statics: SHORT,
        fields: &[
            ("TYPE", || super::Class::value("short")),
            ("MAX_VALUE", || Value::Int(i16::MAX.into())),
            ("MIN_VALUE", || Value::Int(i16::MIN.into())),
        ],
    },
    JavaClass {
        name: "java.lang.Byte",
        construct: constructor(1, 1, |_, a| of(&a[0], 8)),
        statics: BYTE,
        fields: &[
            ("TYPE", || super::Class::value("byte")),
            ("MAX_VALUE", || Value::Int(i8::MAX.into())),
            ("MIN_VALUE", || Value::Int(i8::MIN.into())),
        ],
    },
];

const LONG: &[Static] = &[
    member("parseLong", 1, 2, |_, a| parse(&a[0], optional(a, 1), 64)),
    member("valueOf", 1, 2, |_, a| value_of(a, 64)),
    member("decode", 1, 1, |_, a| decode(&a[0], 64)),
    member("toString", 1, 2, |_, a| {
        in_radix(int(&a[0])?.into(), optional(a, 1))
    }),
    member("toHexString", 1, 1, |_, a| {
        Ok(Value::from(format!("{:x}", int(&a[0])?)))
    }),
    member("toBinaryString", 1, 1, |_, a| {
        Ok(Value::from(format!("{:b}", int(&a[0])?)))
    }),
    member("toOctalString", 1, 1, |_, a| {
        Ok(Value::from(format!("{:o}", int(&a[0])?)))
    }),
    member("compare", 2, 2, |_, a| compare(a)),
    member("max", 2, 2, |_, a| {
        Ok(Value::Int(int(&a[0])?.max(int(&a[1])?)))
    }),
    member("min", 2, 2, |_, a| {
        Ok(Value::Int(int(&a[0])?.min(int(&a[1])?)))
    }),
    member("sum", 2, 2, |_, a| {
        Ok(Value::Int(int(&a[0])?.wrapping_add(int(&a[1])?)))
    }),
    member("signum", 1, 1, |_, a| Ok(Value::Int(int(&a[0])?.signum()))),
    member("bitCount", 1, 1, |_, a| {
        Ok(Value::Int(int(&a[0])?.count_ones().into()))
    }),
    member("numberOfLeadingZeros", 1, 1, |_, a| {
        Ok(Value::Int(int(&a[0])?.leading_zeros().into()))
    }),
    member("numberOfTrailingZeros", 1, 1, |_, a| {
        Ok(Value::Int(int(&a[0])?.trailing_zeros().into()))
    }),
    member("hashCode", 1, 1, |_, a| {
        Ok(Value::Int(super::object::hash_code(&a[0])))
    }),
];

const INTEGER: &[Static] = &[
    member("parseInt", 1, 2, |_, a| parse(&a[0], optional(a, 1), 32)),
    member("valueOf", 1, 2, |_, a| value_of(a, 32)),
    member("decode", 1, 1, |_, a| decode(&a[0], 32)),
    member("toString", 1, 2, |_, a| {
        in_radix(int(&a[0])?.into(), optional(a, 1))
    }),
    member("toHexString", 1, 1, |_, a| {
        Ok(Value::from(format!("{:x}", int32(&a[0])?)))
    }),
    member("toBinaryString", 1, 1, |_, a| {
        Ok(Value::from(format!("{:b}", int32(&a[0])?)))
    }),
    member("toOctalString", 1, 1, |_, a| {
        Ok(Value::from(format!("{:o}", int32(&a[0])?)))
    }),
    member("compare", 2, 2, |_, a| compare(a)),
    member("max", 2, 2, |_, a| {
        Ok(Value::Int(int(&a[0])?.max(int(&a[1])?)))
    }),
    member("min", 2, 2, |_, a| {
        Ok(Value::Int(int(&a[0])?.min(int(&a[1])?)))
    }),
    member("sum", 2, 2, |_, a| {
        Ok(Value::Int(int32(&a[0])?.wrapping_add(int32(&a[1])?).into()))
    }),
    member("signum", 1, 1, |_, a| Ok(Value::Int(int(&a[0])?.signum()))),
    member("bitCount", 1, 1, |_, a| {
        Ok(Value::Int(int32(&a[0])?.count_ones().into()))
    }),
];

const SHORT: &[Static] = &[
    member("parseShort", 1, 2, |_, a| parse(&a[0], optional(a, 1), 16)),
    member("valueOf", 1, 2, |_, a| value_of(a, 16)),
    member("toString", 1, 1, |_, a| {
        in_radix(int(&a[0])?.into(), &Value::Nil)
    }),
];

const BYTE: &[Static] = &[
    member("parseByte", 1, 2, |_, a| parse(&a[0], optional(a, 1), 8)),
    member("valueOf", 1, 2, |_, a| value_of(a, 8)),
    member("toString", 1, 1, |_, a| {
        in_radix(int(&a[0])?.into(), &Value::Nil)
    }),
    member("toUnsignedInt", 1, 1, |_, a| {
        Ok(Value::Int(int(&a[0])? & 0xff))
    }),
];

fn int32(value: &Value) -> Result<i32> {
    let int = int(value)?;
    i32::try_from(int)
        .map_err(|_| Thrown::illegal_argument(format!("Value out of range for int: {int}")))
}

/// `(Long. "5")`, `(Long. 5)`
fn of(value: &Value, bits: u32) -> Result {
    match value {
        Value::Str(_) => parse(value, &Value::Nil, bits),
        _ => ranged(int(value)?, bits),
    }
}

fn value_of(args: &[Value], bits: u32) -> Result {
    match args {
        [text, radix] => parse(text, radix, bits),
        _ => of(&args[0], bits),
    }
}

fn ranged(int: i64, bits: u32) -> Result {
    let unused = 64 - bits;
    if int << unused >> unused == int {
        return Ok(Value::Int(int));
    }
    let kind = match bits {
        8 => "byte",
        16 => "short",
        _ => "int",
    };
    Err(Thrown::illegal_argument(format!(
        "Value out of range for {kind}: {int}"
    )))
}

fn wrong(message: String) -> Thrown {
    Thrown::new("java.lang.NumberFormatException", message)
}

/// A text of digits in a radix, 10 unless given; a sign may stand before them.
fn parse(value: &Value, radix: &Value, bits: u32) -> Result {
    let text = match value {
        Value::Nil => return Err(wrong("Cannot parse null string: null".into())),
        _ => crate::core::arguments::string(value)?,
    };
    let radix = match radix {
        Value::Nil => 10,
        radix => radix_of(radix)?,
    };
    let input = || format!("For input string: \"{text}\"");
    let suffix = |bits: u32| match (bits, radix) {
        (_, 10) => String::new(),
        (_, radix) => format!(" under radix {radix}"),
    };
    let Ok(int) = i64::from_str_radix(text, radix) else {
        return Err(wrong(input() + &suffix(bits)));
    };
    let unused = 64 - bits;
    if int << unused >> unused == int {
        return Ok(Value::Int(int));
    }
    Err(wrong(match bits {
        8 | 16 => format!("Value out of range. Value:\"{text}\" Radix:{radix}"),
        _ => input() + &suffix(bits),
    }))
}

fn radix_of(value: &Value) -> Result<u32> {
    let radix = int(value)?;
    match u32::try_from(radix) {
        Ok(radix @ 2..=36) => Ok(radix),
        _ => Err(wrong(format!("radix {radix} out of range"))),
    }
}

/// `0x1f`, `#1f`, `017` or decimal.
fn decode(value: &Value, bits: u32) -> Result {
    let text = crate::core::arguments::string(value)?;
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let hex = ["0x", "0X", "#"]
        .iter()
        .find_map(|prefix| digits.strip_prefix(prefix));
    let (digits, radix) = match hex {
        Some(digits) => (digits, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    parse(
        &Value::from(format!("{sign}{digits}")),
        &Value::Int(radix),
        bits,
    )
}

/// The digits of an integer, in a radix if one is given.
pub(super) fn in_radix(int: i128, radix: &Value) -> Result {
    let radix = match radix {
        Value::Nil => 10,
        radix => radix_of(radix).unwrap_or(10),
    };
    let digits = num_bigint::BigInt::from(int).to_str_radix(radix);
    Ok(Value::from(digits))
}

fn compare(args: &[Value]) -> Result {
    Ok(Value::Int(int(&args[0])?.cmp(&int(&args[1])?) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_its_range_only() {
        let parse = |text: &str, bits| super::parse(&Value::str(text), &Value::Nil, bits);
        assert_eq!(parse("-12", 32).ok(), Some(Value::Int(-12)));
        assert_eq!(parse("+12", 64).ok(), Some(Value::Int(12)));
        let thrown = parse("2147483648", 32).expect_err("too large");
        assert_eq!(thrown.message(), Some("For input string: \"2147483648\""));
        let thrown = parse("1.5", 32).expect_err("not whole");
        assert_eq!(thrown.class(), "java.lang.NumberFormatException");
        assert!(parse("", 64).is_err());
        assert!(parse(" 1", 64).is_err());
    }

    #[test]
    fn decodes_prefixes() {
        let decode = |text: &str| super::decode(&Value::str(text), 32).ok();
        assert_eq!(decode("0x1f"), Some(Value::Int(31)));
        assert_eq!(decode("-#10"), Some(Value::Int(-16)));
        assert_eq!(decode("017"), Some(Value::Int(15)));
        assert_eq!(decode("0"), Some(Value::Int(0)));
    }
}
