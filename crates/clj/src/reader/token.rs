//! Symbols, keywords and the words nil, true and false.

use super::{Reader, number, reader_error};
use crate::{Keyword, Result, Span, Symbol, Thrown, Value};

/// True for what ends a token.
fn is_terminator(char: char) -> bool {
    char == ',' || char.is_whitespace() || "\";@^`~()[]{}\\".contains(char)
}

impl Reader<'_> {
    /// The characters up to the end of the token that begins here.
    pub(super) fn word(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let end = rest.find(is_terminator).unwrap_or(rest.len());
        let from = self.at;
        self.advance(end);
        &self.text[from..from + end]
    }

    pub(super) fn token(&mut self, span: Span) -> Result {
        let word = self.word().to_owned();
        let unsigned = word.strip_prefix(['+', '-']).unwrap_or(&word);
        if unsigned.starts_with(|char: char| char.is_ascii_digit()) {
            return number::parse(&word).ok_or_else(|| {
                let message = format!("Invalid number: {word}");
                Thrown::new("java.lang.NumberFormatException", message).at(span, None)
            });
        }
        match &*word {
            "nil" => Ok(Value::Nil),
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ if word.starts_with(':') => self.keyword(&word, span),
            _ if word.starts_with('%') && self.lambda.is_some() => self.parameter(&word, span),
            _ => Ok(Value::Symbol(symbol(&word, span)?)),
        }
    }

    fn keyword(&self, word: &str, span: Span) -> Result {
        let invalid = |span| invalid(word, span);
        if let Some(word) = word.strip_prefix("::") {
            let (alias, name) = split(word).ok_or_else(|| invalid(span.clone()))?;
            let current = self.cx.rt.current_namespace();
            let namespace = match alias {
                None => current.name.clone(),
                Some(alias) => {
                    let known = current.aliases.read().get(alias).cloned();
                    known
                        .or_else(|| self.cx.rt.namespace(alias).map(|ns| ns.name.clone()))
                        .ok_or_else(|| invalid(span))?
                }
            };
            return Ok(Value::Keyword(Keyword::new(Some(&namespace), name)));
        }
        let (namespace, name) = split(&word[1..]).ok_or_else(|| invalid(span))?;
        Ok(Value::Keyword(Keyword::new(namespace, name)))
    }
}

fn symbol(word: &str, span: Span) -> Result<Symbol> {
    match split(word) {
        Some((namespace, name)) => Ok(Symbol::new(namespace, name).with_span(span)),
        None => Err(invalid(word, span)),
    }
}

fn invalid(word: &str, span: Span) -> Thrown {
    reader_error(format!("Invalid token: {word}"), span)
}

/// Namespace and name of a word; `None` if it cannot be one.
fn split(word: &str) -> Option<(Option<&str>, &str)> {
    if word.is_empty() || word.ends_with(':') && word.len() > 1 || word.contains("::") {
        return None;
    }
    match word.split_once('/') {
        None => Some((None, word)),
        Some(("", "")) => Some((None, word)),
        Some(("", _) | (_, "")) => None,
        Some((namespace, name)) if !namespace.ends_with(':') => Some((Some(namespace), name)),
        Some(_) => None,
    }
}
