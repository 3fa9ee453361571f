//! `=~`: patterns in which `%` stands for any text.

use fancy_regex::Regex;

/// Characters at which Java's `.` stops, and before which its `$` matches at the end.
const LINE_ENDS: &str = "\\n\\r\\x{85}\\x{2028}\\x{2029}";

/// A pattern that matches a whole text, case and all. As in Riemann `%` does not cross the end of
/// a line, and one end of a line after the match is allowed.
#[derive(Debug)]
pub(crate) struct Like {
    plain: Option<Plain>,
    regex: Regex,
}

/// Patterns that need no regular expression while the text is one line.
#[derive(Debug)]
enum Plain {
    Whole(Box<str>),
    Start(Box<str>),
    End(Box<str>),
    Within(Box<str>),
}

impl Like {
    pub fn new(pattern: &str) -> Result<Like, String> {
        let literals: Vec<_> = pattern.split('%').map(fancy_regex::escape).collect();
        let any = format!("[^{LINE_ENDS}]*");
        let body = literals.join(&any);
        let regex = format!("\\A{body}(?:\\r\\n|[{LINE_ENDS}])?\\z");
        let regex = Regex::new(&regex).map_err(|error| format!("invalid pattern: {error}"))?;
        Ok(Like {
            plain: plain(pattern),
            regex,
        })
    }

    pub fn matches(&self, text: &str) -> bool {
        match &self.plain {
            Some(plain) if !text.contains(is_line_end) => plain.matches(text),
            // A search that runs out of memory or steps has found nothing.
            _ => self.regex.is_match(text).unwrap_or(false),
        }
    }
}

fn is_line_end(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn plain(pattern: &str) -> Option<Plain> {
    let parts: Vec<&str> = pattern.split('%').collect();
    match parts[..] {
        [whole] => Some(Plain::Whole(whole.into())),
        [start, ""] => Some(Plain::Start(start.into())),
        ["", end] => Some(Plain::End(end.into())),
        ["", within, ""] => Some(Plain::Within(within.into())),
        _ => None,
    }
}

impl Plain {
    fn matches(&self, text: &str) -> bool {
        match self {
            Plain::Whole(whole) => text == &**whole,
            Plain::Start(start) => text.starts_with(&**start),
            Plain::End(end) => text.ends_with(&**end),
            Plain::Within(within) => text.contains(&**within),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(pattern: &str, text: &str, expected: bool) {
        assert_eq!(
            Like::new(pattern).unwrap().matches(text),
            expected,
            "{pattern} {text:?}"
        );
    }

    #[test]
    fn percent_is_any_text() {
        check("%s.", "foos.", true);
        check("%s.", "s.", true);
        check("%s.", "s.murf", false);
        check("%s.", "a.", false);
        check("api %", "api 1", true);
        check("API %", "api 1", false);
        check("%b%", "abc", true);
        check("a%b%c", "a-bb-c", true);
        check("a%b%c", "a-c", false);
        check("%", "", true);
        check("", "a", false);
        check("a.c", "abc", false);
    }

    #[test]
    fn lines_end_as_in_java() {
        check("a", "a\n", true);
        check("a", "a\r\n", true);
        check("a", "a\n\n", false);
        check("%b", "a\nb", false);
        check("a%", "a\n", true);
        check("a\n%", "a\nb", true);
    }

    proptest! {
        #[test]
        fn the_short_way_is_as_the_long(pattern in "%?[ab.]{0,2}%?", text in "[ab.]{0,4}") {
            let like = Like::new(&pattern).unwrap();
            prop_assert!(like.plain.is_some() || pattern.matches('%').count() > 1);
            prop_assert_eq!(like.matches(&text), like.regex.is_match(&text).unwrap());
        }
    }
}
