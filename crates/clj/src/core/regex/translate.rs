//! Java's regular expressions in the engine's words: what both write the same but mean otherwise.

/// Line breaks, as the members of a class.
const BREAKS: &str = r"\n\r\x{85}\x{2028}\x{2029}";
const VERTICAL: &str = r"\n\x0B\f\r\x{85}\x{2028}\x{2029}";
const HORIZONTAL: &str = r" \t\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}";

pub(super) struct Translated {
    pub text: String,
    /// It has a `$` or `\Z` that means the end of the text or the place before a last line break.
    pub has_end: bool,
}

/// Translates an expression; for texts that end with a line break if `before_break`.
pub(super) fn translate(source: &str, before_break: bool) -> Translated {
    let mut translator = Translator {
        rest: source.chars().peekable(),
        out: String::with_capacity(source.len() + 16),
        depth: 0,
        before_break,
        has_end: false,
        dot_all: has_flag(source, 's'),
        multi_line: has_flag(source, 'm'),
        unicode: has_flag(source, 'U'),
    };
    translator.run();
    Translated {
        text: translator.out,
        has_end: translator.has_end,
    }
}

/// True if a flag is set somewhere in the expression, as in `(?s)` or `(?is:…)`.
fn has_flag(source: &str, flag: char) -> bool {
    source.match_indices("(?").any(|(at, _)| {
        let flags = source[at + 2..]
            .chars()
            .take_while(char::is_ascii_alphabetic);
        flags.into_iter().any(|char| char == flag)
            && source[at + 2..]
                .trim_start_matches(|char: char| char.is_ascii_alphabetic() || char == '-')
                .starts_with([')', ':'])
    })
}

struct Translator<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    out: String,
    /// How deep in `[…[…]…]`; 0 is outside.
    depth: usize,
    before_break: bool,
    has_end: bool,
    dot_all: bool,
    multi_line: bool,
    unicode: bool,
}

impl Translator<'_> {
    fn run(&mut self) {
        while let Some(char) = self.rest.next() {
            match char {
                '\\' => self.escape(),
                '[' => {
                    self.depth += 1;
                    self.out.push('[');
                    if self.rest.next_if_eq(&'^').is_some() {
                        self.out.push('^');
                    }
                    if self.rest.next_if_eq(&']').is_some() {
                        self.out.push_str("\\]");
                    }
                }
                ']' if self.depth > 0 => {
                    self.depth -= 1;
                    self.out.push(']');
                }
                ']' => self.out.push_str("\\]"),
                '-' | '~' if self.depth > 0 && self.rest.peek() == Some(&char) => {
                    self.out.push('\\');
                    self.out.push(char);
                }
                _ if self.depth > 0 => self.out.push(char),
                '.' if !self.dot_all => {
                    self.out.push_str("[^");
                    self.out.push_str(BREAKS);
                    self.out.push(']');
                }
                '$' if !self.multi_line => self.end(),
                '(' => self.group(),
                _ => self.out.push(char),
            }
        }
    }

    fn end(&mut self) {
        self.has_end = true;
        self.out.push_str(if self.before_break {
            r"(?=(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z)"
        } else {
            r"\z"
        });
    }

    /// Flags that the engine lacks, or has with another meaning, are left out.
    fn group(&mut self) {
        self.out.push('(');
        if self.rest.next_if_eq(&'?').is_none() {
            return;
        }
        self.out.push('?');
        let mut flags = String::new();
        while let Some(flag) = self
            .rest
            .next_if(|char| char.is_ascii_alphabetic() || *char == '-')
        {
            if !matches!(flag, 'd' | 'u' | 'U') {
                flags.push(flag);
            }
        }
        let flags = flags.trim_end_matches('-');
        match self.rest.peek() {
            Some(')') if flags.is_empty() => {
                self.rest.next();
                self.out.truncate(self.out.len() - 2);
            }
            _ => self.out.push_str(flags),
        }
    }

    fn escape(&mut self) {
        let Some(char) = self.rest.next() else {
            self.out.push('\\');
            return;
        };
        match char {
            'Q' => self.quoted(),
            'd' => self.class("0-9", r"\d", false),
            'D' => self.class("0-9", r"\d", true),
            'w' => self.class("a-zA-Z0-9_", r"\w", false),
            'W' => self.class("a-zA-Z0-9_", r"\w", true),
            's' => self.class(r" \t\n\x0B\f\r", r"\s", false),
            'S' => self.class(r" \t\n\x0B\f\r", r"\s", true),
            'h' => self.class(HORIZONTAL, HORIZONTAL, false),
            'H' => self.class(HORIZONTAL, HORIZONTAL, true),
            'v' => self.class(VERTICAL, VERTICAL, false),
            'V' => self.class(VERTICAL, VERTICAL, true),
            'R' => self
                .out
                .push_str(r"(?:\r\n|[\n\x0B\f\r\x{85}\x{2028}\x{2029}])"),
            'Z' => self.end(),
            'e' => self.out.push_str(r"\x1B"),
            'u' => self.code_point(4, 16),
            '0' => self.code_point(3, 8),
            'c' => {
                let control = self.rest.next().map_or(0, |char| u32::from(char) ^ 64);
                self.push_code(control);
            }
            'p' | 'P' => self.property(char == 'P'),
            _ if char.is_ascii_alphanumeric() => {
                self.out.push('\\');
                self.out.push(char);
            }
            _ => self.literal(char),
        }
    }

    fn literal(&mut self, char: char) {
        if r"\.+*?()|[]{}^$#&-~ ".contains(char) {
            self.out.push('\\');
        }
        self.out.push(char);
    }

    fn quoted(&mut self) {
        while let Some(char) = self.rest.next() {
            if char == '\\' && self.rest.next_if_eq(&'E').is_some() {
                return;
            }
            self.literal(char);
        }
    }

    /// A class by its ASCII members, or as the engine calls it when all of Unicode is meant.
    fn class(&mut self, ascii: &str, unicode: &str, negated: bool) {
        let members = if self.unicode { unicode } else { ascii };
        match (self.depth > 0, negated) {
            (true, false) => self.out.push_str(members),
            (_, true) => {
                self.out.push_str("[^");
                self.out.push_str(members);
                self.out.push(']');
            }
            (false, false) => {
                self.out.push('[');
                self.out.push_str(members);
                self.out.push(']');
            }
        }
    }

    fn code_point(&mut self, digits_max: usize, radix: u32) {
        let mut code = 0;
        for _ in 0..digits_max {
            match self.rest.peek().and_then(|char| char.to_digit(radix)) {
                Some(digit) => code = code * radix + digit,
                None => break,
            }
            self.rest.next();
        }
        self.push_code(code);
    }

    fn push_code(&mut self, code: u32) {
        self.out.push_str(&format!("\\x{{{code:X}}}"));
    }

    fn property(&mut self, negated: bool) {
        let mut name = String::new();
        if self.rest.next_if_eq(&'{').is_some() {
            name.extend(self.rest.by_ref().take_while(|char| *char != '}'));
        } else {
            name.extend(self.rest.next());
        }
        let members = match &*name {
            "Lower" => "a-z",
            "Upper" => "A-Z",
            "ASCII" => r"\x00-\x7F",
            "Alpha" => "a-zA-Z",
            "Digit" => "0-9",
            "Alnum" => "a-zA-Z0-9",
            "Punct" => r"!-/:-@\[-`{-~",
            "Graph" => "!-~",
            "Print" => r"\x20-~",
            "Blank" => r" \t",
            "Cntrl" => r"\x00-\x1F\x7F",
            "XDigit" => "0-9a-fA-F",
            "Space" => r" \t\n\x0B\f\r",
            "javaLowerCase" => r"\p{Ll}",
            "javaUpperCase" => r"\p{Lu}",
            "javaWhitespace" => r"\s",
            "javaLetter" => r"\p{L}",
            "javaDigit" => r"\p{Nd}",
            "javaLetterOrDigit" => r"\p{L}\p{Nd}",
            _ => {
                let name = name.strip_prefix("Is").unwrap_or(&name);
                self.out
                    .push_str(&format!("\\{}{{{name}}}", if negated { 'P' } else { 'p' }));
                return;
            }
        };
        self.class(members, members, negated);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Regex;

    fn check(source: &str, text: &str, found: Option<&str>) {
        let groups = Regex::new(source).unwrap().find_from(text, 0).unwrap();
        let whole = groups
            .and_then(|groups| groups[0].clone())
            .map(|range| &text[range]);
        assert_eq!(whole, found, "{source} in {text:?}");
    }

    #[test]
    fn means_what_java_means() {
        check(r"\d+", "a\u{661}12", Some("12"));
        check(r"\w+", "é_a1", Some("_a1"));
        check(r"foo$", "foo\n", Some("foo"));
        check(r"foo$", "foo\nbar", None);
        check(r"(?m)foo$", "foo\nbar", Some("foo"));
        check(r"a.c", "a\rc", None);
        check(r"(?s)a.c", "a\nc", Some("a\nc"));
        check(r"\Qa.b\E+", "xa.bbb", Some("a.bbb"));
        check(r"[a-z&&[^aeiou]]+", "aexyz", Some("xyz"));
        check(r"\p{Alpha}+", "12ab", Some("ab"));
        check(r"[\p{Upper}\d]+", "abC1", Some("C1"));
        check(r"\/a\:b\<c", "/a:b<c", Some("/a:b<c"));
        check(r"(?U)\w+", "é1", Some("é1"));
        check(r"(?i)ABC", "xabc", Some("abc"));
        check(r"(a)\1", "baa", Some("aa"));
        check(r"(?<=x)a++", "xaaa", Some("aaa"));
        check(r"\u0041\x42", "AB", Some("AB"));
        check(r"^\S+\s\[(\d+)\]$", "a [12]", Some("a [12]"));
        check(r"[^.]+", "ab.c", Some("ab"));
        check(r"[\w.-]+", "a-b.c d", Some("a-b.c"));
    }

    #[test]
    fn whole_matches_try_every_branch() {
        let regex = Regex::new("a|ab").unwrap();
        assert!(regex.match_whole("ab").unwrap().is_some());
        assert!(regex.match_whole("abc").unwrap().is_none());
        assert!(Regex::new("(").is_err());
    }

    #[test]
    fn catastrophes_end() {
        let regex = Regex::new(r"^(?:(a|b|ab)(?=.))+\1$").unwrap();
        let text = format!("{}!", "ab".repeat(64));
        assert!(regex.is_match(&text).is_err());
    }
}
