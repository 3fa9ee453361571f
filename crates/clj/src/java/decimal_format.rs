//! `java.text.DecimalFormat`: numbers by a pattern such as `#,##0.00`.

use std::any::Any;

use super::math::double;
use super::{JavaClass, constructor};
use crate::core::arguments::string;
use crate::{Cx, Object, Result, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.text.DecimalFormat",
    construct: constructor(0, 2, |_, a| match a.first() {
        Some(pattern) => Ok(Value::object(DecimalFormat::parse(string(pattern)?))),
        None => Ok(Value::object(DecimalFormat::parse("#,##0.###"))),
    }),
    statics: &[],
    fields: &[],
}];

/// A pattern taken apart.
struct DecimalFormat {
    text: String,
    prefix: String,
    suffix: String,
    /// Digits of a group, 0 for none.
    group: usize,
    whole_min: usize,
    fraction_min: usize,
    fraction_max: usize,
    /// 100 for a percentage, 1000 for a per mille.
    factor: f64,
}

impl DecimalFormat {
    fn parse(text: &str) -> DecimalFormat {
        let positive = text.split(';').next().unwrap_or_default();
        let is_digit = |char: char| matches!(char, '#' | '0' | ',' | '.');
        let start = positive.find(is_digit).unwrap_or(positive.len());
        let end = positive.rfind(is_digit).map_or(start, |last| last + 1);
        let (whole, fraction) = match positive[start..end].split_once('.') {
            Some((whole, fraction)) => (whole, fraction),
            None => (&positive[start..end], ""),
        };
        let zeros = |text: &str| text.chars().filter(|char| *char == '0').count();
        let literal = |text: &str| text.replace('\'', "");
        DecimalFormat {
            text: text.to_owned(),
            prefix: literal(&positive[..start]),
            suffix: literal(&positive[end..]),
            group: whole.rsplit_once(',').map_or(0, |(_, last)| last.len()),
            whole_min: zeros(whole),
            fraction_min: zeros(fraction),
            fraction_max: fraction.len(),
            factor: match positive {
                text if text.contains('%') => 100.0,
                text if text.contains('\u{2030}') => 1000.0,
                _ => 1.0,
            },
        }
    }

    fn format(&self, number: f64) -> String {
        if number.is_nan() {
            return "NaN".to_owned();
        }
        let magnitude = (number * self.factor).abs();
        let sign = if number.is_sign_negative() { "-" } else { "" };
        if magnitude.is_infinite() {
            return format!("{sign}{}\u{221e}{}", self.prefix, self.suffix);
        }
        let digits = format!("{magnitude:.*}", self.fraction_max);
        let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
        let whole = whole.trim_start_matches('0');
        let whole = format!("{whole:0>width$}", width = self.whole_min);
        let kept = fraction.trim_end_matches('0').len().max(self.fraction_min);
        let mut text = format!("{sign}{}{}", self.prefix, self.grouped(&whole));
        if whole.is_empty() && kept == 0 {
            text.push('0');
        }
        if kept > 0 {
            text.push('.');
            text.push_str(&fraction[..kept]);
        }
        text + &self.suffix
    }

    fn grouped(&self, whole: &str) -> String {
        let mut grouped = String::new();
        for (index, digit) in whole.chars().enumerate() {
            let left = whole.len() - index;
            if self.group > 0 && index > 0 && left.is_multiple_of(self.group) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        grouped
    }
}

impl Object for DecimalFormat {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.text.DecimalFormat"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("format", [number]) => {
                Some(double(number).map(|number| Value::from(self.format(number))))
            }
            ("toPattern", []) => Some(Ok(Value::str(&self.text))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_pattern() {
        let check = |pattern: &str, number: f64, text: &str| {
            assert_eq!(DecimalFormat::parse(pattern).format(number), text);
        };
        check("0.00", 2.71999, "2.72");
        check("#.##", 3.0, "3");
        check("#.##", 0.5, ".5");
        check("#.##", 0.0, "0");
        check("#,##0.00", -1234567.891, "-1,234,567.89");
        check("000", 7.0, "007");
        check("0.0%", 0.256, "25.6%");
        check("$#,###", 1234.0, "$1,234");
        check("0.0", 0.25, "0.2");
    }
}
