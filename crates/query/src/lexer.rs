//! Text to tokens. The longest token wins, as in `metric>1`, which is one name.

use crate::token::{Kind, Token};

/// A place that no token starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub message: String,
    pub offset: usize,
    /// How many tokens come before.
    pub before: usize,
}

/// All tokens, the last of which is the end, and the mistakes between them.
pub(crate) fn tokens(text: &str) -> (Vec<Token<'_>>, Vec<Mistake>) {
    let (mut tokens, mut mistakes) = (Vec::new(), Vec::new());
    let mut offset = 0;
    while let Some(char) = text[offset..].chars().next() {
        let rest = &text[offset..];
        if is_blank(char) {
            offset += 1;
        } else if let Some((kind, length)) = token(rest) {
            tokens.push(Token {
                kind,
                text: &rest[..length],
                offset,
            });
            offset += length;
        } else {
            let wrong = unrecognised(rest);
            let message = format!("token recognition error at: '{}'", escape(wrong));
            mistakes.push(Mistake {
                message,
                offset,
                before: tokens.len(),
            });
            offset += wrong.len();
        }
    }
    tokens.push(Token {
        kind: Kind::End,
        text: "<EOF>",
        offset,
    });
    (tokens, mistakes)
}

/// Text as error messages show it.
pub(crate) fn escape(text: &str) -> String {
    text.replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace('\t', "\\t")
}

/// The token at the start of `text`, and its length.
fn token(text: &str) -> Option<(Kind, usize)> {
    match text.as_bytes()[0] {
        b'(' => return Some((Kind::Open, 1)),
        b')' => return Some((Kind::Close, 1)),
        b'"' => return string(text).map(|length| (Kind::String, length)),
        b'~' => return text.starts_with("~=").then_some((Kind::Match, 2)),
        b'=' if text.starts_with("=~") => return Some((Kind::Like, 2)),
        _ => {}
    }
    let name = name(text);
    let other = number(text).or_else(|| character(text));
    match (name, other) {
        (Some(name), Some((_, length))) if name > length => Some(word(text, name)),
        (_, Some(other)) => Some(other),
        (Some(name), None) => Some(word(text, name)),
        (None, None) => None,
    }
}

fn word(text: &str, length: usize) -> (Kind, usize) {
    (Kind::of_word(&text[..length]).unwrap_or(Kind::Name), length)
}

/// A quote to the next that is not escaped; if there is none, to the last that is.
fn string(text: &str) -> Option<usize> {
    let (mut escaped, mut last) = (false, None);
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return Some(index + 1),
            b'"' => last = Some(index + 1),
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    last
}

/// A head, then heads, digits and points, with colons within.
fn name(text: &str) -> Option<usize> {
    let mut length = text
        .chars()
        .next()
        .filter(|char| is_head(*char))?
        .len_utf8();
    loop {
        let rest = &text[length..];
        length += rest.find(|char| !is_rest(char)).unwrap_or(rest.len());
        let mut next = text[length..].chars();
        match (next.next(), next.next()) {
            (Some(':'), Some(after)) if is_rest(after) => length += 1,
            _ => return Some(length),
        }
    }
}

fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\n' | '\r' | '\t' | ',')
}

fn is_head(char: char) -> bool {
    const NEVER: &str = "^`'\"#~@:/%()[]{}";
    !char.is_ascii_digit() && !is_blank(char) && !NEVER.contains(char)
}

fn is_rest(char: char) -> bool {
    is_head(char) || char.is_ascii_digit()
}

fn number(text: &str) -> Option<(Kind, usize)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes.get(from..).map_or(0, |bytes| {
            bytes.iter().take_while(|b| b.is_ascii_digit()).count()
        })
    };
    let sign = usize::from(bytes[0] == b'-');
    let whole = sign + digits(sign);
    if whole == sign {
        return None;
    }
    if sign == 0 && bytes[0] == b'0' && matches!(bytes.get(1), Some(b'x' | b'X')) {
        let hex = bytes[2..]
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        if hex > 0 {
            return Some((Kind::Stray, 2 + hex));
        }
    }
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let from = end + 1 + usize::from(bytes.get(end + 1) == Some(&b'-'));
        if digits(from) > 0 {
            end = from + digits(from);
        }
    }
    Some(match bytes.get(whole) {
        _ if end > whole => (Kind::Float, end),
        Some(b'l' | b'L') => (Kind::Long, whole + 1),
        Some(b'n' | b'N') => (Kind::Big, whole + 1),
        _ => (Kind::Long, whole),
    })
}

/// A character in Clojure's writing: a backslash and any character.
fn character(text: &str) -> Option<(Kind, usize)> {
    let char = text.strip_prefix('\\')?.chars().next()?;
    let longest = name(text).unwrap_or(0);
    Some((Kind::Stray, longest.max(1 + char.len_utf8())))
}

/// What the lexer had seen when it gave up: the character that no token goes on with included.
fn unrecognised(text: &str) -> &str {
    let length = match text.as_bytes()[0] {
        b'"' => text.len(),
        b'~' => 1 + text[1..].chars().next().map_or(0, char::len_utf8),
        _ => text.chars().next().map_or(0, char::len_utf8),
    };
    &text[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let (tokens, mistakes) = tokens(text);
        let mut shown: Vec<String> = tokens
            .iter()
            .map(|token| format!("{:?} {}", token.kind, token.text))
            .collect();
        shown.extend(mistakes.into_iter().map(|mistake| mistake.message));
        assert_eq!(shown.join(" | "), expected);
    }

    #[test]
    fn what_no_token_starts_with_is_skipped() {
        let twice = "token recognition error at: '~\"' | token recognition error at: '\"'";
        check(
            "a=~\"x\"",
            &format!("Name a= | Name x | End <EOF> | {twice}"),
        );
        check(
            "#@",
            "End <EOF> | token recognition error at: '#' | token recognition error at: '@'",
        );
    }

    #[test]
    fn the_longest_token_wins() {
        check("metric>1", "Name metric>1 | End <EOF>");
        check("metric > 1", "Name metric | Greater > | Long 1 | End <EOF>");
        check("a =~\"x\"", "Name a | Like =~ | String \"x\" | End <EOF>");
        check(
            "-1 -1.5e-3 -x 1x",
            "Long -1 | Float -1.5e-3 | Name -x | Long 1 | Name x | End <EOF>",
        );
        check("0x1F 0x", "Stray 0x1F | Long 0 | Name x | End <EOF>");
        check(
            r"\a \abc \(",
            r"Stray \a | Stray \abc | Stray \( | End <EOF>",
        );
        check("1e 1.x", "Long 1 | Name e | Long 1 | Name .x | End <EOF>");
        check(
            "a:b:1 a:",
            "Name a:b:1 | Name a | End <EOF> | token recognition error at: ':'",
        );
        check("nullx or", "Name nullx | Or or | End <EOF>");
    }
}
