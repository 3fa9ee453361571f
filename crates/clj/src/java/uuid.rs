//! `java.util.UUID`.

use std::any::Any;
use std::cmp::Ordering;

use super::{JavaClass, constructor, member};
use crate::core::arguments::{int, string};
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.util.UUID",
    construct: constructor(2, 2, |_, a| {
        let (most, least) = (int(&a[0])? as u64, int(&a[1])? as u64);
        Ok(Value::object(Uuid(
            u128::from(most) << 64 | u128::from(least),
        )))
    }),
    statics: &[
        member("randomUUID", 0, 0, |cx, _| Ok(random(cx))),
        member("fromString", 1, 1, |_, a| {
            let text = string(&a[0])?;
            parse(text)
                .ok_or_else(|| Thrown::illegal_argument(format!("Invalid UUID string: {text}")))
        }),
        member("nameUUIDFromBytes", 1, 1, |_, a| {
            use md5::Digest;
            let bytes: [u8; 16] = md5::Md5::digest(super::array::bytes_of(&a[0])?).into();
            Ok(Value::object(Uuid(versioned(
                u128::from_be_bytes(bytes),
                3,
            ))))
        }),
    ],
    fields: &[],
}];

/// A universally unique identifier.
pub struct Uuid(u128);

/// A random one, of version 4.
pub fn random(cx: &Cx<'_>) -> Value {
    // A float in [0, 1) has 53 random bits; 26 are taken of each.
    const BITS: u32 = 26;
    let mut bits = 0u128;
    for _ in 0..u128::BITS.div_ceil(BITS) {
        let more = (cx.rt.host.random() * f64::from(1u32 << BITS)) as u128;
        bits = bits << BITS | more;
    }
    Value::object(Uuid(versioned(bits, 4)))
}

/// The identifier that a text is, if it is one: five groups of hexadecimal digits.
pub fn parse(text: &str) -> Option<Value> {
    const WIDTHS: [usize; 5] = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = text.split('-').collect();
    if groups.len() != WIDTHS.len() {
        return None;
    }
    let mut bits = 0u128;
    for (group, width) in groups.iter().zip(WIDTHS) {
        let is_hex = group.bytes().all(|byte| byte.is_ascii_hexdigit());
        if group.is_empty() || group.len() > width || !is_hex {
            return None;
        }
        bits = bits << (4 * width) | u128::from_str_radix(group, 16).ok()?;
    }
    Some(Value::object(Uuid(bits)))
}

/// The bits with the version and the variant of RFC 4122 put in.
fn versioned(bits: u128, version: u128) -> u128 {
    bits & !(0xf << 76) & !(0x3 << 62) | version << 76 | 0x2 << 62
}

impl Uuid {
    fn to_hex(&self) -> String {
        let hex = format!("{:032x}", self.0);
        [
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..],
        ]
        .join("-")
    }

    fn halves(&self) -> (i64, i64) {
        ((self.0 >> 64) as i64, self.0 as i64)
    }
}

impl Object for Uuid {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.UUID"
    }

    fn print(&self, out: &mut String, _: bool) {
        out.push_str("#uuid \"");
        out.push_str(&self.to_hex());
        out.push('"');
    }

    fn text(&self) -> Option<String> {
        Some(self.to_hex())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other
            .as_any()
            .downcast_ref::<Uuid>()
            .is_some_and(|other| self.0 == other.0)
    }

    fn hash_code(&self) -> Option<u64> {
        Some((self.0 >> 64) as u64 ^ self.0 as u64)
    }

    fn compare(&self, other: &Value) -> Option<Ordering> {
        Some(self.halves().cmp(&other.downcast::<Uuid>()?.halves()))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(Ok(Value::Int(match (name, args) {
            ("getMostSignificantBits", []) => self.halves().0,
            ("getLeastSignificantBits", []) => self.halves().1,
            ("version", []) => (self.0 >> 76 & 0xf) as i64,
            _ => return None,
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        let text = "01234567-89ab-4def-8123-456789abcdef";
        let uuid = parse(text).expect("valid");
        assert_eq!(uuid.to_text(), text);
        assert_eq!(uuid.to_readable(), format!("#uuid \"{text}\""));
        assert!(parse("01234567-89ab-4def-8123").is_none());
        assert!(parse("g1234567-89ab-4def-8123-456789abcdef").is_none());
    }

    #[test]
    fn has_its_version() {
        let uuid = Uuid(versioned(u128::MAX, 4));
        assert_eq!(uuid.to_hex(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
