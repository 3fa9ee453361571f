//! Regular expressions in Java's syntax.

use fancy_regex::Regex;

/// A pattern that finds what Java's finds: `\d`, `\w` and `\s` are ASCII, and `\Q…\E` quotes.
///
/// # Errors
/// What is wrong with the pattern.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(&translate(pattern)).map_err(|error| {
        let error = error.to_string();
        let lines: Vec<&str> = error.lines().map(str::trim).collect();
        format!("invalid regular expression: {}", lines.join(" "))
    })
}

/// Java's escapes, where they mean something else or nothing here.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut in_class = 0_u32;
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                let Some(escaped) = chars.next() else {
                    out.push('\\');
                    break;
                };
                if escaped == 'Q' {
                    let rest = chars.as_str();
                    let (quoted, after) = rest.split_once("\\E").unwrap_or((rest, ""));
                    out.push_str(&fancy_regex::escape(quoted));
                    chars = after.chars();
                } else {
                    push_escape(&mut out, escaped, in_class > 0);
                }
            }
            '[' => {
                in_class += 1;
                out.push('[');
            }
            ']' => {
                in_class = in_class.saturating_sub(1);
                out.push(']');
            }
            _ => out.push(char),
        }
    }
    out
}

fn push_escape(out: &mut String, escaped: char, in_class: bool) {
    const BLANKS: &str = r" \t\n\x0B\x0C\r";

    let (set, negated) = match escaped {
        'd' => ("0-9", false),
        'D' => ("0-9", true),
        'w' => ("a-zA-Z0-9_", false),
        'W' => ("a-zA-Z0-9_", true),
        's' => (BLANKS, false),
        'S' => (BLANKS, true),
        'h' => (
            r" \t\x{A0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}",
            false,
        ),
        'Z' if !in_class => {
            out.push_str(r"(?=\n?\z)");
            return;
        }
        _ => {
            out.push('\\');
            out.push(escaped);
            return;
        }
    };
    match (in_class, negated) {
        (true, false) => out.push_str(set),
        (_, true) => out.push_str(&format!("[^{set}]")),
        (false, false) => out.push_str(&format!("[{set}]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str, found: bool) {
        let regex = compile(pattern).unwrap();
        assert_eq!(regex.is_match(text).ok(), Some(found), "{pattern} {text}");
    }

    #[test]
    fn finds_as_java_does() {
        check("foo?[1-9]+", "a fo42", true);
        check("foo?[1-9]+", "fooo42", false);
        check(r"^\d+$", "12", true);
        check(r"^\d+$", "١٢", false);
        check(r"^[\w.-]+$", "a_1.b-c", true);
        check(r"^[\w]+$", "é", false);
        check(r"^[^\d]+$", "a1", false);
        check(r"^[\D]+$", "ab", true);
        check(r"\Qa.b\E+", "a.bb", true);
        check(r"\Qa.b", "axb", false);
        check(r"(?i)ABC", "xabcx", true);
        check(r"(a)\1", "aa", true);
        check(r"^(?!b).*\Z", "ab", true);
    }

    #[test]
    fn bad_patterns_say_so_on_one_line() {
        let error = compile("(").unwrap_err();
        assert!(error.starts_with("invalid regular expression: "), "{error}");
        assert!(!error.contains('\n'));
    }
}
