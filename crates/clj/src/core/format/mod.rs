//! `format`: text as `java.util.Formatter` makes it.

mod float;

use std::iter::Peekable;

use num_bigint::BigInt;
use num_traits::Signed;

use crate::java::date;
use crate::{Result, Thrown, Value, library};

/// One `%…` of a format.
#[derive(Default)]
struct Directive {
    /// `2$`, counted from 1; `<` is the argument before.
    index: Option<usize>,
    again: bool,
    flags: Flags,
    width: Option<usize>,
    precision: Option<usize>,
    conversion: char,
    /// As written, for errors.
    text: String,
}

#[derive(Default, Clone, Copy)]
struct Flags {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    group: bool,
    paren: bool,
    alternate: bool,
}

/// Fills the arguments in.
///
/// # Errors
/// The subclasses of `java.util.IllegalFormatException`, as Java throws them.
pub fn format(template: &str, args: &[Value]) -> Result<String> {
    let mut out = String::new();
    let (mut next, mut last) = (0, None);
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let directive = parse(&rest[at..])?;
        rest = &rest[at + directive.text.len()..];
        if matches!(directive.conversion, 'n' | '%') {
            let text = if directive.conversion == 'n' {
                "\n"
            } else {
                "%"
            };
            pad(&directive, text.to_owned(), &mut out);
            continue;
        }
        let index = match (directive.again, directive.index) {
            (true, _) => last,
            (_, Some(index)) => index.checked_sub(1),
            _ => {
                next += 1;
                Some(next - 1)
            }
        };
        let arg = index.and_then(|index| args.get(index)).ok_or_else(|| {
            error(
                "MissingFormatArgumentException",
                format!("Format specifier '{}'", directive.text),
            )
        })?;
        last = index;
        convert(&directive, arg, &mut out)?;
    }
    out.push_str(rest);
    Ok(out)
}

fn error(class: &str, message: String) -> Thrown {
    Thrown::new(&format!("java.util.{class}"), message)
}

fn parse(text: &str) -> Result<Directive> {
    let unknown = |what: &str| {
        error(
            "UnknownFormatConversionException",
            format!("Conversion = '{what}'"),
        )
    };
    let mut directive = Directive::default();
    let mut chars = text.char_indices().skip(1).peekable();
    let digits: String = text[1..].chars().take_while(char::is_ascii_digit).collect();
    if !digits.is_empty() && text[1 + digits.len()..].starts_with('$') {
        directive.index = digits.parse().ok();
        chars.nth(digits.len());
    } else if text[1..].starts_with('<') {
        directive.again = true;
        chars.next();
    }
    while let Some((_, flag)) = chars.next_if(|(_, char)| "-#+ 0,(".contains(*char)) {
        let flags = &mut directive.flags;
        match flag {
            '-' => flags.left = true,
            '+' => flags.plus = true,
            ' ' => flags.space = true,
            '0' => flags.zero = true,
            ',' => flags.group = true,
            '(' => flags.paren = true,
            _ => flags.alternate = true,
        }
    }
    directive.width = take_digits(&mut chars).parse().ok();
    if chars.next_if(|(_, char)| *char == '.').is_some() {
        directive.precision = Some(take_digits(&mut chars).parse().map_err(|_| unknown("."))?);
    }
    let Some((mut at, mut conversion)) = chars.next() else {
        return Err(unknown("%"));
    };
    if matches!(conversion, 't' | 'T')
        && let Some((date_at, date)) = chars.next()
    {
        (at, conversion) = (date_at, date);
        directive.conversion = 't';
        directive.text = text[..at + conversion.len_utf8()].to_owned();
        return Ok(directive);
    }
    if !"sSdfFeEgGxXocCbBhHn%aA".contains(conversion) || conversion == 'F' {
        return Err(unknown(&conversion.to_string()));
    }
    directive.conversion = conversion;
    directive.text = text[..at + conversion.len_utf8()].to_owned();
    if directive.flags.left && directive.width.is_none() {
        return Err(error("MissingFormatWidthException", directive.text));
    }
    Ok(directive)
}

fn take_digits(chars: &mut Peekable<impl Iterator<Item = (usize, char)>>) -> String {
    let mut digits = String::new();
    while let Some((_, digit)) = chars.next_if(|(_, char)| char.is_ascii_digit()) {
        digits.push(digit);
    }
    digits
}

fn convert(directive: &Directive, arg: &Value, out: &mut String) -> Result<()> {
    super::printing::realize(arg)?;
    let text = match directive.conversion.to_ascii_lowercase() {
        's' => cut(
            directive,
            if arg.is_nil() {
                "null".into()
            } else {
                arg.to_text()
            },
        ),
        'b' => cut(directive, arg.truthy().to_string()),
        _ if arg.is_nil() => cut(directive, "null".into()),
        'h' => format!("{:x}", super::identity::hash(arg) as u32),
        'c' => character(directive, arg)?,
        'd' => return integer(directive, arg, out),
        'x' | 'o' => return radix(directive, arg, out),
        't' => date_field(directive, arg)?,
        _ => return float::convert(directive, arg, out),
    };
    let upper = directive.conversion.is_ascii_uppercase();
    pad(
        directive,
        if upper { text.to_uppercase() } else { text },
        out,
    );
    Ok(())
}

fn cut(directive: &Directive, text: String) -> String {
    match directive.precision {
        Some(length) => text.chars().take(length).collect(),
        None => text,
    }
}

fn pad(directive: &Directive, text: String, out: &mut String) {
    let missing = directive
        .width
        .unwrap_or(0)
        .saturating_sub(text.chars().count());
    let spaces = " ".repeat(missing);
    if directive.flags.left {
        out.push_str(&text);
        out.push_str(&spaces);
    } else {
        out.push_str(&spaces);
        out.push_str(&text);
    }
}

fn mismatch(directive: &Directive, arg: &Value) -> Thrown {
    error(
        "IllegalFormatConversionException",
        format!("{} != {}", directive.conversion, arg.class_name()),
    )
}

fn character(directive: &Directive, arg: &Value) -> Result<String> {
    let char = match arg {
        Value::Char(char) => Some(*char),
        Value::Int(code) => u32::try_from(*code).ok().and_then(char::from_u32),
        _ => None,
    };
    char.map(String::from)
        .ok_or_else(|| mismatch(directive, arg))
}

fn whole(directive: &Directive, arg: &Value) -> Result<BigInt> {
    match arg {
        Value::Int(int) => Ok(BigInt::from(*int)),
        Value::Big(big) => Ok((**big).clone()),
        _ => Err(mismatch(directive, arg)),
    }
}

fn integer(directive: &Directive, arg: &Value, out: &mut String) -> Result<()> {
    if directive.precision.is_some() {
        let precision = directive.precision.unwrap_or(0).to_string();
        return Err(error("IllegalFormatPrecisionException", precision));
    }
    let number = whole(directive, arg)?;
    let digits = number.magnitude().to_string();
    let digits = if directive.flags.group {
        grouped(&digits)
    } else {
        digits
    };
    signed(directive, number.is_negative(), digits, out);
    Ok(())
}

fn grouped(digits: &str) -> String {
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Appends digits with the sign, the zeros and the spaces that the flags ask for.
fn signed(directive: &Directive, negative: bool, digits: String, out: &mut String) {
    let flags = directive.flags;
    let (before, after) = match negative {
        true if flags.paren => ("(", ")"),
        true => ("-", ""),
        false if flags.plus => ("+", ""),
        false if flags.space => (" ", ""),
        false => ("", ""),
    };
    let used = before.len() + digits.len() + after.len();
    let zeros = match directive.width {
        Some(width) if flags.zero => width.saturating_sub(used),
        _ => 0,
    };
    pad(
        directive,
        format!("{before}{}{digits}{after}", "0".repeat(zeros)),
        out,
    );
}

fn radix(directive: &Directive, arg: &Value, out: &mut String) -> Result<()> {
    let (radix, prefix) = if directive.conversion == 'o' {
        (8, "0")
    } else {
        (16, "0x")
    };
    let mut digits = match arg {
        Value::Int(int) if radix == 8 => format!("{int:o}"),
        Value::Int(int) => format!("{int:x}"),
        _ => whole(directive, arg)?.to_str_radix(radix),
    };
    let prefix = if directive.flags.alternate {
        prefix
    } else {
        ""
    };
    if let Some(width) = directive.width
        && directive.flags.zero
    {
        digits = format!(
            "{digits:0>width$}",
            width = width.saturating_sub(prefix.len())
        );
    }
    let text = format!("{prefix}{digits}");
    pad(
        directive,
        if directive.conversion == 'X' {
            text.to_uppercase()
        } else {
            text
        },
        out,
    );
    Ok(())
}

/// `%tY` and its kin, of a date or of milliseconds since 1970.
fn date_field(directive: &Directive, arg: &Value) -> Result<String> {
    let pattern = match directive.text.chars().last() {
        Some('Y') => "yyyy",
        Some('m') => "MM",
        Some('d') => "dd",
        Some('e') => "d",
        Some('H') => "HH",
        Some('I') => "hh",
        Some('M') => "mm",
        Some('S') => "ss",
        Some('L') => "SSS",
        Some('y') => "yy",
        Some('B') => "MMMM",
        Some('b' | 'h') => "MMM",
        Some('A') => "EEEE",
        Some('a') => "EEE",
        Some('p') => "a",
        Some('z') => "Z",
        Some('Z') => "z",
        Some('F') => "yyyy-MM-dd",
        Some('D') => "MM/dd/yy",
        Some('T') => "HH:mm:ss",
        Some('R') => "HH:mm",
        Some('c') => "EEE MMM dd HH:mm:ss z yyyy",
        Some('s') => return Ok((date::ms_of(arg)?.div_euclid(1000)).to_string()),
        Some('Q') => return Ok(date::ms_of(arg)?.to_string()),
        _ => {
            return Err(error(
                "UnknownFormatConversionException",
                format!("Conversion = '{}'", directive.text),
            ));
        }
    };
    library::time::date_text(date::ms_of(arg)?, pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, args: &[Value], expected: &str) {
        assert_eq!(format(template, args).unwrap(), expected, "{template}");
    }

    #[test]
    fn formats_as_java_does() {
        let pi = Value::Double(std::f64::consts::PI);
        check("%s is %d", &["a".into(), Value::Int(3)], "a is 3");
        check(
            "%.2f|%5.1f|%-8.3f|",
            &[pi.clone(), pi.clone(), pi.clone()],
            "3.14|  3.1|3.142   |",
        );
        check(
            "%05d|%+d|%,d|%(d",
            &[
                Value::Int(42),
                Value::Int(7),
                Value::Int(1234567),
                Value::Int(-5),
            ],
            "00042|+7|1,234,567|(5)",
        );
        check(
            "%x %X %o %#x",
            &[
                Value::Int(255),
                Value::Int(255),
                Value::Int(8),
                Value::Int(15),
            ],
            "ff FF 10 0xf",
        );
        check("%2$s %1$s %<s %%%n", &["a".into(), "b".into()], "b a a %\n");
        check(
            "%e %.1e %g",
            &[
                Value::Double(12345.678),
                Value::Double(0.00012),
                Value::Double(0.5),
            ],
            "1.234568e+04 1.2e-04 0.500000",
        );
        check(
            "%.1f %.0f %.2f",
            &[
                Value::Double(0.25),
                Value::Double(2.5),
                Value::Double(1.005),
            ],
            "0.3 3 1.01",
        );
        check(
            "%10s|%-10s|%.2s",
            &["abc".into(), "abc".into(), "abc".into()],
            "       abc|abc       |ab",
        );
        check(
            "%s %b %c",
            &[Value::Nil, Value::Nil, Value::Char('x')],
            "null false x",
        );
        check("%x", &[Value::Int(-1)], "ffffffffffffffff");
        check("%f", &[Value::Double(1e10)], "10000000000.000000");
    }

    #[test]
    fn refuses_as_java_does() {
        let class =
            |template: &str, args: &[Value]| format(template, args).unwrap_err().to_string();
        assert_eq!(
            class("%d", &[Value::Double(1.5)]),
            "java.util.IllegalFormatConversionException: d != java.lang.Double"
        );
        assert_eq!(
            class("%f", &[Value::Int(1)]),
            "java.util.IllegalFormatConversionException: f != java.lang.Long"
        );
        assert_eq!(
            class("%s %s", &["a".into()]),
            "java.util.MissingFormatArgumentException: Format specifier '%s'"
        );
        assert_eq!(
            class("%q", &["a".into()]),
            "java.util.UnknownFormatConversionException: Conversion = 'q'"
        );
    }
}
