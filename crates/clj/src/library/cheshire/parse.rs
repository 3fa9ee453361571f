//! JSON text to values.

use num_bigint::BigInt;

use crate::{Map, Result, Thrown, Value};
use event::Number;

/// Arrays and objects inside each other; beyond it a text is an attack.
const NESTING_MAX: usize = 1000;

/// Reads the first value of a text. What comes after it is not looked at.
pub struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    name: &'a dyn Fn(&str) -> Result,
    collect: &'a dyn Fn(Option<&str>, Vec<Value>) -> Result,
}

impl<'a> Parser<'a> {
    /// `name` makes a key, `collect` an array, given the key it stands under.
    pub fn new(
        text: &'a str,
        name: &'a dyn Fn(&str) -> Result,
        collect: &'a dyn Fn(Option<&str>, Vec<Value>) -> Result,
    ) -> Parser<'a> {
        Parser {
            text,
            at: 0,
            depth: 0,
            name,
            collect,
        }
    }

    /// The value; `None` if there is nothing but blanks.
    pub fn first(&mut self) -> Result<Option<Value>> {
        self.skip_blanks();
        if self.peek().is_none() {
            return Ok(None);
        }
        self.value(None).map(Some)
    }

    fn value(&mut self, under: Option<&str>) -> Result {
        self.skip_blanks();
        match self.peek() {
            Some('{') => self.nested(Parser::object),
            Some('[') => self.nested(|parser| parser.array(under)),
            Some('"') => Ok(Value::from(self.string()?)),
            Some('-' | '0'..='9') => self.number(),
            Some('a'..='z' | 'A'..='Z') => self.word(),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result) -> Result {
        if self.depth == NESTING_MAX {
            return Err(self.error(format!("Values are nested more than {NESTING_MAX} deep")));
        }
        self.depth += 1;
        self.at += 1;
        let value = crate::deep::with_stack(|| read(self));
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result {
        let mut map = Map::default();
        if self.ends('}') {
            return Ok(Value::Map(map));
        }
        loop {
            self.skip_blanks();
            if self.peek() != Some('"') {
                return Err(self.unexpected("a string as a key"));
            }
            let key = self.string()?;
            self.skip_blanks();
            if self.peek() != Some(':') {
                return Err(self.unexpected("a colon"));
            }
            self.at += 1;
            let value = self.value(Some(&key))?;
            map.insert((self.name)(&key)?, value);
            if self.ends('}') {
                return Ok(Value::Map(map));
            }
            self.comma('}')?;
        }
    }

    fn array(&mut self, under: Option<&str>) -> Result {
        let mut items = Vec::new();
        if self.ends(']') {
            return (self.collect)(under, items);
        }
        loop {
            items.push(self.value(None)?);
            if self.ends(']') {
                return (self.collect)(under, items);
            }
            self.comma(']')?;
        }
    }

    /// Passes the closing bracket if it is next.
    fn ends(&mut self, closer: char) -> bool {
        self.skip_blanks();
        let ends = self.peek() == Some(closer);
        self.at += usize::from(ends);
        ends
    }

    fn comma(&mut self, closer: char) -> Result<()> {
        if self.peek() != Some(',') {
            return Err(self.unexpected(&format!("a comma or {closer}")));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<String> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|char| char == '"' || char == '\\' || char < ' ');
            let Some(plain) = plain else {
                self.at = self.text.len();
                return Err(self.unexpected("the end of a string"));
            };
            string.push_str(&rest[..plain]);
            self.at += plain;
            match rest.as_bytes()[plain] {
                b'"' => {
                    self.at += 1;
                    return Ok(string);
                }
                b'\\' => string.push(self.escape()?),
                _ => return Err(self.unexpected("no control character in a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        self.at += 1;
        let char = match self.peek() {
            Some(char @ ('"' | '\\' | '/')) => char,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.code_point(),
            _ => return Err(self.unexpected("an escape")),
        };
        self.at += 1;
        Ok(char)
    }

    /// `uXXXX`, two of them for what lies beyond 16 bits; half a pair becomes U+FFFD.
    fn code_point(&mut self) -> Result<char> {
        let first = self.unit()?;
        if !(0xd800..0xdc00).contains(&first) || !self.text[self.at..].starts_with("\\u") {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let before = self.at;
        self.at += 1;
        let second = self.unit()?;
        if !(0xdc00..0xe000).contains(&second) {
            self.at = before;
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn unit(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at + 1..self.at + 5);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.unexpected("four hexadecimal digits"));
        };
        self.at += 5;
        Ok(unit)
    }

    fn number(&mut self) -> Result {
        let start = self.at;
        self.at += usize::from(self.peek() == Some('-'));
        let whole = self.digits()?;
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(self.error("Invalid numeric value: Leading zeroes not allowed"));
        }
        let mut is_float = false;
        if self.peek() == Some('.') {
            is_float = true;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            is_float = true;
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some('+' | '-')));
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        if is_float {
            return Ok(Value::Double(text.parse().unwrap_or(f64::NAN)));
        }
        match text.parse::<i64>() {
            Ok(int) => Ok(Value::Int(int)),
            Err(_) => match text.parse::<BigInt>() {
                Ok(big) => Ok(Number::from_big(big).into()),
                Err(_) => Err(self.error("Invalid numeric value")),
            },
        }
    }

    fn digits(&mut self) -> Result<&'a str> {
        let rest = &self.text[self.at..];
        let len = rest.bytes().take_while(u8::is_ascii_digit).count();
        if len == 0 {
            return Err(self.unexpected("a digit"));
        }
        self.at += len;
        Ok(&rest[..len])
    }

    fn word(&mut self) -> Result {
        let rest = &self.text[self.at..];
        let len = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let value = match &rest[..len] {
            "null" => Value::Nil,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            word => {
                return Err(self.error(format!(
                    "Unrecognized token '{word}': was expecting ('true', 'false' or 'null')"
                )));
            }
        };
        self.at += len;
        Ok(value)
    }

    fn skip_blanks(&mut self) {
        let rest = self.text[self.at..].trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}']);
        self.at = self.text.len() - rest.len();
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn unexpected(&self, wanted: &str) -> Thrown {
        match self.peek() {
            Some(char) => self.error(format!(
                "Unexpected character '{char}': was expecting {wanted}"
            )),
            None => self.error("Unexpected end of input"),
        }
    }

    fn error(&self, message: impl AsRef<str>) -> Thrown {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before
            .chars()
            .rev()
            .take_while(|char| *char != '\n')
            .count()
            + 1;
        let message = format!("{} (line: {line}, column: {column})", message.as_ref());
        Thrown::new("com.fasterxml.jackson.core.JsonParseException", message)
    }
}
