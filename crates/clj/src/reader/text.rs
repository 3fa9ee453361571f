//! Strings, characters and regular expressions.

use super::{Reader, reader_error};
use crate::{Result, Span, Value};

impl Reader<'_> {
    /// A string literal, from its opening quote on.
    pub(super) fn string(&mut self) -> Result<String> {
        let span = self.span();
        self.advance(1);
        let read = self.rest_of_string(&span);
        if read.is_err() {
            self.skip_string();
        }
        read
    }

    /// Goes on behind the quote that ends a string of which something cannot be read.
    fn skip_string(&mut self) {
        while let Some(char) = self.peek() {
            self.advance(char.len_utf8());
            match (char, self.peek()) {
                ('"', _) => return,
                ('\\', Some(next)) => self.advance(next.len_utf8()),
                _ => {}
            }
        }
    }

    fn rest_of_string(&mut self, span: &Span) -> Result<String> {
        let mut out = String::new();
        loop {
            let Some(char) = self.peek() else {
                let hint = format!(
                    "the \" opened at line {}, column {} is never closed",
                    span.line, span.column
                );
                return Err(reader_error("EOF while reading string", span.clone()).with_hint(hint));
            };
            match char {
                '"' => {
                    self.advance(1);
                    return Ok(out);
                }
                '\\' => out.push(self.escape()?),
                _ => {
                    self.advance(char.len_utf8());
                    out.push(char);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let span = self.span();
        self.advance(1);
        let Some(char) = self.peek() else {
            return Err(reader_error("EOF while reading string", span));
        };
        if char.is_digit(8) {
            return self.octal_escape();
        }
        self.advance(char.len_utf8());
        Ok(match char {
            't' => '\t',
            'r' => '\r',
            'n' => '\n',
            'b' => '\u{8}',
            'f' => '\u{c}',
            '\\' | '"' => char,
            'u' => return self.unicode_escape(),
            _ => {
                return Err(
                    reader_error(format!("Unsupported escape character: \\{char}"), span)
                        .with_hint("write \\\\ for a backslash"),
                );
            }
        })
    }

    fn octal_escape(&mut self) -> Result<char> {
        let rest = &self.text[self.at..];
        let len = rest
            .bytes()
            .take(3)
            .take_while(|byte| (b'0'..b'8').contains(byte))
            .count();
        let code = u32::from_str_radix(&rest[..len], 8).unwrap_or(u32::MAX);
        let char = char::from_u32(code).filter(|char| u32::from(*char) <= 0o377);
        let char =
            char.ok_or_else(|| self.error("Octal escape sequence must be in range [0, 377]."))?;
        self.advance(len);
        Ok(char)
    }

    /// Four hexadecimal digits; two such escapes make one character outside the first plane.
    fn unicode_escape(&mut self) -> Result<char> {
        let high = self.hex_unit()?;
        if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u") {
            self.advance(2);
            let low = self.hex_unit()?;
            let pair = char::decode_utf16([high, low])
                .next()
                .and_then(std::result::Result::ok);
            return pair.ok_or_else(|| self.error("Invalid pair of unicode escapes"));
        }
        char::from_u32(u32::from(high))
            .ok_or_else(|| self.error(format!("Invalid character constant: \\u{high:04x}")))
    }

    fn hex_unit(&mut self) -> Result<u16> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or("");
        match u16::from_str_radix(digits, 16) {
            Ok(unit) if !digits.starts_with('+') => {
                self.advance(4);
                Ok(unit)
            }
            _ => Err(self.error("Invalid unicode escape: four hexadecimal digits are needed")),
        }
    }

    /// A character literal, from its backslash on.
    pub(super) fn character(&mut self) -> Result {
        let span = self.span();
        self.advance(1);
        let Some(first) = self.peek() else {
            return Err(reader_error("EOF while reading character", span));
        };
        self.advance(first.len_utf8());
        if !first.is_alphanumeric() {
            return Ok(Value::Char(first));
        }
        let rest = self.word().to_owned();
        if rest.is_empty() {
            return Ok(Value::Char(first));
        }
        let name = format!("{first}{rest}");
        let char = match &*name {
            "newline" => Some('\n'),
            "space" => Some(' '),
            "tab" => Some('\t'),
            "backspace" => Some('\u{8}'),
            "formfeed" => Some('\u{c}'),
            "return" => Some('\r'),
            _ => coded(first, &rest),
        };
        char.map(Value::Char)
            .ok_or_else(|| reader_error(format!("Unsupported character: \\{name}"), span))
    }

    /// The text of `#"…"`, its escapes left to the regular expression.
    pub(super) fn regex_text(&mut self) -> Result<String> {
        let span = self.span();
        self.advance(1);
        let mut out = String::new();
        loop {
            let Some(char) = self.peek() else {
                return Err(reader_error("EOF while reading regex", span));
            };
            self.advance(char.len_utf8());
            match char {
                '"' => return Ok(out),
                '\\' => {
                    out.push(char);
                    if let Some(escaped) = self.peek() {
                        self.advance(escaped.len_utf8());
                        out.push(escaped);
                    }
                }
                _ => out.push(char),
            }
        }
    }
}

/// `\u00e9` or `\o101`.
fn coded(kind: char, digits: &str) -> Option<char> {
    let code = match kind {
        'u' if digits.len() == 4 => u32::from_str_radix(digits, 16).ok()?,
        'o' if digits.len() <= 3 => u32::from_str_radix(digits, 8)
            .ok()
            .filter(|c| *c <= 0o377)?,
        _ => return None,
    };
    char::from_u32(code)
}
