//! Tokens to values.

use event::Number;
use num_bigint::BigInt;

use crate::token::{Kind, Token};

/// The number of a token of a number's kind.
pub(crate) fn number(token: &Token<'_>) -> Result<Number, String> {
    let text = token.text;
    let bare = || text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let bad = || format!("For input string: \"{text}\"");
    match token.kind {
        Kind::Float => text.parse().map(Number::F64).map_err(|_| bad()),
        Kind::Big => {
            if text.len() > DIGITS_MAX {
                return Err(format!("a number has more than {DIGITS_MAX} characters"));
            }
            bare()
                .parse()
                .map(|big: BigInt| Number::Big(big.into()))
                .map_err(|_| bad())
        }
        _ => bare().parse().map(Number::Int).map_err(|_| bad()),
    }
}

/// Digits of a big integer: reading a longer one costs the square of its length.
const DIGITS_MAX: usize = 1000;

/// The text of a string token, its escapes read as Clojure does. The error is the message, and the
/// bytes before the mistake.
pub(crate) fn string(token: &Token<'_>) -> Result<String, (String, usize)> {
    const UNFINISHED: &str = "EOF while reading string";

    let mut text = String::with_capacity(token.text.len());
    let mut chars = token.text.char_indices().skip(1).peekable();
    while let Some((offset, char)) = chars.next() {
        if char == '"' {
            return Ok(text);
        }
        if char != '\\' {
            text.push(char);
            continue;
        }
        let Some((_, escape)) = chars.next() else {
            return Err((UNFINISHED.into(), offset));
        };
        let code = match escape {
            't' => '\t',
            'r' => '\r',
            'n' => '\n',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '\\' | '"' => escape,
            'u' => {
                let hex: String = chars.by_ref().take(4).map(|(_, char)| char).collect();
                unicode(&hex).ok_or((format!("Invalid unicode escape: \\u{hex}"), offset))?
            }
            '0'..='7' => {
                let mut code = escape.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = chars.peek().and_then(|(_, char)| char.to_digit(8)) else {
                        break;
                    };
                    code = code * 8 + digit;
                    chars.next();
                }
                let error = || {
                    (
                        "Octal escape sequence must be in range [0, 377].".into(),
                        offset,
                    )
                };
                u8::try_from(code).map(char::from).map_err(|_| error())?
            }
            _ => return Err((format!("Unsupported escape character: \\{escape}"), offset)),
        };
        text.push(code);
    }
    Err((UNFINISHED.into(), token.text.len()))
}

/// The character of four hexadecimal digits.
fn unicode(hex: &str) -> Option<char> {
    let digits = hex.len() == 4 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    digits
        .then(|| u32::from_str_radix(hex, 16).ok())
        .flatten()
        .and_then(char::from_u32)
}
