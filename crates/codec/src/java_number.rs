//! Numbers as Java's constructors read them, for the line protocols.

/// What `Double.` accepts, but NaN and hexadecimal: a sign, digits with a point anywhere, an
/// exponent, a trailing `f` or `d`; or `Infinity`.
pub(crate) fn double(text: &str) -> Option<f64> {
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    if unsigned == "Infinity" {
        return Some(sign * f64::INFINITY);
    }
    let unsigned = unsigned
        .strip_suffix(['d', 'D', 'f', 'F'])
        .unwrap_or(unsigned);
    // Rust's own words for infinity and NaN, and a second sign, are not Java's.
    let first = unsigned.as_bytes().first()?;
    if !first.is_ascii_digit() && *first != b'.' {
        return None;
    }
    unsigned.parse::<f64>().ok().map(|float| sign * float)
}

/// What `Long.` accepts: a sign and digits.
pub(crate) fn long(text: &str) -> Option<i64> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_javas() {
        let good = [
            "1",
            "+1.5",
            "-.5",
            "5.",
            "1e3",
            "1E+3f",
            "2d",
            "-Infinity",
            "1e999",
        ];
        let values = [
            1.0,
            1.5,
            -0.5,
            5.0,
            1e3,
            1e3,
            2.0,
            f64::NEG_INFINITY,
            f64::INFINITY,
        ];
        assert_eq!(good.map(double), values.map(Some));
        for bad in [
            "", "-", ".", "inf", "NaN", "--1", "+-1", "1 ", "0x1p3", "1ff", "e5", "infinity",
        ] {
            assert_eq!(double(bad), None, "{bad}");
        }
    }

    #[test]
    fn longs_are_javas() {
        assert_eq!(["5", "+5", "-5"].map(long), [5, 5, -5].map(Some));
        assert_eq!(
            ["", "2.5", "0x5", "99999999999999999999"].map(long),
            [None; 4]
        );
    }
}
