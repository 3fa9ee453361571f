//! `java.util.Random`: the same numbers as Java's for the same seed.

use std::any::Any;

use parking_lot::Mutex;

use super::{JavaClass, constructor, member};
use crate::core::arguments::int;
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.util.Random",
        construct: constructor(0, 1, |cx, a| match a {
            [seed] => Ok(seeded(int(seed)?)),
            _ => Ok(unseeded(cx)),
        }),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.util.concurrent.ThreadLocalRandom",
        construct: None,
        statics: &[member("current", 0, 0, |cx, _| Ok(unseeded(cx)))],
        fields: &[],
    },
];

const MULTIPLIER: i64 = 0x5_DEEC_E66D;
const STATE_BITS: u32 = 48;
const STATE_MASK: i64 = (1 << STATE_BITS) - 1;

/// A linear congruential generator of 48 bits, as `java.util.Random` is specified.
struct Random(Mutex<i64>);

fn seeded(seed: i64) -> Value {
    Value::object(Random(Mutex::new((seed ^ MULTIPLIER) & STATE_MASK)))
}

fn unseeded(cx: &Cx<'_>) -> Value {
    seeded((cx.rt.host.random() * (1u64 << STATE_BITS) as f64) as i64)
}

impl Random {
    fn bits(&self, count: u32) -> i32 {
        let mut state = self.0.lock();
        *state = state.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & STATE_MASK;
        (*state >> (STATE_BITS - count)) as i32
    }

    fn below(&self, bound: i64) -> Result<i32> {
        let bound = match i32::try_from(bound) {
            Ok(bound) if bound > 0 => bound,
            _ => return Err(Thrown::illegal_argument("bound must be positive")),
        };
        if bound & (bound - 1) == 0 {
            return Ok(((i64::from(bound) * i64::from(self.bits(31))) >> 31) as i32);
        }
        loop {
            let bits = self.bits(31);
            let value = bits % bound;
            // Numbers from the incomplete last round would favour the small.
            if bits
                .checked_sub(value)
                .and_then(|it| it.checked_add(bound - 1))
                .is_some()
            {
                return Ok(value);
            }
        }
    }

    fn double(&self) -> f64 {
        let high = i64::from(self.bits(26)) << 27;
        (high + i64::from(self.bits(27))) as f64 / (1i64 << 53) as f64
    }

    /// Marsaglia's polar method.
    fn gaussian(&self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.double() - 1.0, 2.0 * self.double() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }
}

impl Object for Random {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.Random"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("nextInt", []) => Ok(Value::Int(self.bits(32).into())),
            ("nextInt", [bound]) => {
                int(bound).and_then(|bound| Ok(Value::Int(self.below(bound)?.into())))
            }
            ("nextInt", [from, to]) => int(from)
                .and_then(|from| Ok(Value::Int(from + i64::from(self.below(int(to)? - from)?)))),
            ("nextLong", []) => {
                let high = i64::from(self.bits(32)) << 32;
                Ok(Value::Int(high.wrapping_add(self.bits(32).into())))
            }
            ("nextDouble", []) => Ok(Value::Double(self.double())),
            ("nextFloat", []) => Ok(Value::Float(self.bits(24) as f32 / (1 << 24) as f32)),
            ("nextBoolean", []) => Ok(Value::Bool(self.bits(1) != 0)),
            ("nextGaussian", []) => Ok(Value::Double(self.gaussian())),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_numbers_of_java() {
        let random = Random(Mutex::new((42 ^ MULTIPLIER) & STATE_MASK));
        let numbers = [(); 4].map(|()| random.bits(32));
        assert_eq!(
            numbers,
            [-1_170_105_035, 234_785_527, -1_360_544_799, 205_897_768]
        );
        assert!(random.below(0).is_err());
    }
}
