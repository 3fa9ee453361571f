//! Cutting a text into pieces.

use crate::core::arguments::{int, not_a, optional, text};
use crate::core::native;
use crate::core::regex::{Regex, after};
use crate::{Cx, Native, Result, Value};

pub const NATIVES: &[Native] = &[
    native(
        "split",
        "([s re] [s re limit])",
        "The pieces of s between the matches of a regular expression. Empty pieces at the end are \
         left out, unless there is a limit: a positive one is the most pieces there will be.",
        (2, Some(3)),
        split,
    ),
    native(
        "split-lines",
        "([s])",
        "The lines of a text, without empty ones at its end.",
        (1, Some(1)),
        split_lines,
    ),
];

fn split(_: &Cx<'_>, args: &[Value]) -> Result {
    let text = text(&args[0])?;
    let limit = match optional(args, 2) {
        Value::Nil => 0,
        limit => int(limit)?,
    };
    let Some(regex) = args[1].downcast::<Regex>() else {
        return Err(not_a(&args[1], "java.util.regex.Pattern")
            .with_hint("write what to split at as a regular expression: #\",\""));
    };
    let pieces = split_at(&text, regex, limit)?;
    Ok(Value::vector(pieces.into_iter().map(Value::str).collect()))
}

/// As Java's `Pattern.split`.
fn split_at<'t>(text: &'t str, regex: &Regex, limit: i64) -> Result<Vec<&'t str>> {
    let most = usize::try_from(limit)
        .ok()
        .filter(|most| *most > 0)
        .unwrap_or(usize::MAX);
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while pieces.len() + 1 < most && at <= text.len() {
        let Some(found) = regex
            .find_from(text, at)?
            .and_then(|groups| groups[0].clone())
        else {
            break;
        };
        at = after(text, &found);
        if found.end > 0 {
            pieces.push(&text[from..found.start]);
            from = found.end;
        }
    }
    pieces.push(&text[from..]);
    if limit == 0 && from > 0 {
        while pieces.last().is_some_and(|piece| piece.is_empty()) {
            pieces.pop();
        }
    }
    Ok(pieces)
}

fn split_lines(_: &Cx<'_>, args: &[Value]) -> Result {
    let text = text(&args[0])?;
    let mut lines: Vec<&str> = text.split('\n').collect();
    let last = lines.len() - 1;
    for line in &mut lines[..last] {
        *line = line.strip_suffix('\r').unwrap_or(line);
    }
    while lines.len() > 1 && lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    if lines == [""] && !text.is_empty() {
        lines.clear();
    }
    Ok(Value::vector(lines.into_iter().map(Value::str).collect()))
}
