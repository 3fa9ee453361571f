//! Replacing what matches.

use crate::core::arguments::{not_a, string, text};
use crate::core::native;
use crate::core::regex::{Groups, Regex, after, groups_value};
use crate::{Cx, Native, Result, Thrown, Value};

pub const NATIVES: &[Native] = &[
    native(
        "replace",
        "([s match replacement])",
        "With every match replaced: a character by a character, a text by a text, a regular \
         expression by a text in which $1 is the first group, or by what a function gives for the \
         match (or for a vector of it and its groups).",
        (3, Some(3)),
        |cx, args| replace(cx, args, usize::MAX),
    ),
    native(
        "replace-first",
        "([s match replacement])",
        "With the first match replaced, as replace does.",
        (3, Some(3)),
        |cx, args| replace(cx, args, 1),
    ),
    native(
        "re-quote-replacement",
        "([replacement])",
        "The text as a replacement that stands for itself: its \\ and $ mean nothing special.",
        (1, Some(1)),
        |_, args| Ok(Value::from(quote_replacement(&text(&args[0])?))),
    ),
];

fn replace(cx: &Cx<'_>, args: &[Value], most: usize) -> Result {
    let subject = text(&args[0])?;
    let (wanted, replacement) = (&args[1], &args[2]);
    match wanted {
        Value::Char(wanted) => {
            let Value::Char(replacement) = replacement else {
                return Err(not_a(replacement, "java.lang.Character"));
            };
            let replacement = replacement.to_string();
            Ok(Value::from(subject.replacen(*wanted, &replacement, most)))
        }
        Value::Str(wanted) => Ok(Value::from(subject.replacen(
            &**wanted,
            string(replacement)?,
            most,
        ))),
        _ => match wanted.downcast::<Regex>() {
            Some(regex) => replace_matches(cx, &subject, regex, replacement, most),
            None => {
                let message = format!("Invalid match arg: {}", wanted.to_text());
                Err(Thrown::illegal_argument(message))
            }
        },
    }
}

/// The text with its first `most` matches replaced: by a text with references to groups, or by
/// what a function gives.
///
/// # Errors
/// What the function throws; `IllegalArgumentException` for a reference to nothing.
pub fn replace_matches(
    cx: &Cx<'_>,
    subject: &str,
    regex: &Regex,
    replacement: &Value,
    most: usize,
) -> Result {
    let mut replaced = String::new();
    let (mut from, mut at) = (0, 0);
    for _ in 0..most {
        if at > subject.len() {
            break;
        }
        let Some(groups) = regex.find_from(subject, at)? else {
            break;
        };
        let range = groups.first().cloned().flatten().unwrap_or(at..at);
        replaced.push_str(&subject[from..range.start]);
        match replacement {
            Value::Str(template) => Match {
                subject,
                regex,
                groups,
            }
            .expand(template, &mut replaced)?,
            function => {
                let given = cx.call(function, &[groups_value(subject, &groups)])?;
                replaced.push_str(string(&given)?);
            }
        }
        (from, at) = (range.end, after(subject, &range));
    }
    replaced.push_str(&subject[from..]);
    Ok(Value::from(replaced))
}

struct Match<'a> {
    subject: &'a str,
    regex: &'a Regex,
    groups: Groups,
}

impl Match<'_> {
    /// Appends a replacement with its groups filled in, as Java's `Matcher.appendReplacement`.
    fn expand(&self, template: &str, out: &mut String) -> Result<()> {
        let mut rest = template;
        while let Some(at) = rest.find(['\\', '$']) {
            out.push_str(&rest[..at]);
            let special = &rest[at + 1..];
            rest = if rest[at..].starts_with('\\') {
                let mut chars = special.chars();
                out.push(chars.next().ok_or_else(|| {
                    Thrown::illegal_argument("character to be escaped is missing")
                })?);
                chars.as_str()
            } else {
                self.reference(special, out)?
            };
        }
        out.push_str(rest);
        Ok(())
    }

    /// Appends the group that `1…` or `{name}…` names, and gives what comes after.
    fn reference<'t>(&self, text: &'t str, out: &mut String) -> Result<&'t str> {
        if let Some((name, rest)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) {
            let Some(index) = self.regex.group_named(name) else {
                return Err(Thrown::illegal_argument(format!(
                    "No group with name {{{name}}}"
                )));
            };
            out.push_str(self.group(index));
            return Ok(rest);
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(Thrown::illegal_argument("Illegal group reference"));
        }
        let exists = |len: &usize| {
            text[..*len]
                .parse::<usize>()
                .is_ok_and(|index| index < self.groups.len())
        };
        let Some(len) = (1..=digits).take_while(exists).last() else {
            let message = format!("No group {}", &text[..1]);
            return Err(Thrown::new("java.lang.IndexOutOfBoundsException", message));
        };
        out.push_str(self.group(text[..len].parse().unwrap_or(0)));
        Ok(&text[len..])
    }

    fn group(&self, index: usize) -> &str {
        let range = self.groups.get(index).cloned().flatten();
        range.map_or("", |range| &self.subject[range])
    }
}

/// As Java's `Matcher.quoteReplacement`.
fn quote_replacement(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$")
}
