//! Conditions of `where` that no event can meet.

use clj::check::Remark;
use clj::{Value, Var, form};

pub fn impossible(var: &Var, args: &[Value]) -> Option<Remark> {
    if &*var.name != "where" {
        return None;
    }
    let hint = never(args.first()?)?;
    Some(Remark {
        span: match args.first()? {
            Value::List(list) => list.span.clone(),
            _ => None,
        },
        message: "no event can meet this condition".to_owned(),
        hint: Some(hint),
    })
}

/// Why an expression is never true; `None` if it may be.
fn never(expression: &Value) -> Option<String> {
    if !expression.truthy() {
        return Some(format!("{} is never true", expression.to_readable()));
    }
    let items = form::items(expression)?;
    let Some(Value::Symbol(head)) = items.first() else {
        return None;
    };
    let clauses = &items[1..];
    match head.name() {
        "and" => clauses
            .iter()
            .find_map(never)
            .or_else(|| contradiction(clauses)),
        "or" => {
            let reasons: Option<Vec<String>> = clauses.iter().map(never).collect();
            reasons?.into_iter().next()
        }
        "=" => match clauses {
            [Value::Symbol(field), pattern] | [pattern, Value::Symbol(field)]
                if is_regex(pattern) && FIELDS.contains(&field.name()) =>
            {
                let (field, pattern) = (field.name(), pattern.to_readable());
                Some(format!(
                    "= does not look for a pattern; write ({field} {pattern})"
                ))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Fields that hold text.
const FIELDS: &[&str] = &["host", "service", "state", "description"];

fn is_regex(value: &Value) -> bool {
    value.class_name() == "java.util.regex.Pattern"
}

/// Two clauses that cannot both be true of one event.
fn contradiction(clauses: &[Value]) -> Option<String> {
    for (index, clause) in clauses.iter().enumerate() {
        for other in &clauses[index + 1..] {
            let texts = match (texts(clause), texts(other)) {
                (Some((field, some)), Some((same, others))) if field == same => {
                    !some.iter().any(|text| others.contains(text))
                }
                _ => false,
            };
            let ranges = match (range(clause), range(other)) {
                (Some((field, some)), Some((same, others))) if field == same => {
                    some.excludes(&others) || others.excludes(&some)
                }
                _ => false,
            };
            if texts || ranges {
                return Some(format!(
                    "{} and {} are never both true",
                    clause.to_readable(),
                    other.to_readable()
                ));
            }
        }
    }
    None
}

/// The field and the texts of `(state "a" "b")` and `(= state "a")`.
fn texts(clause: &Value) -> Option<(String, Vec<Value>)> {
    let items = form::items(clause)?;
    let Some(Value::Symbol(head)) = items.first() else {
        return None;
    };
    let (field, texts) = match (head.name(), &items[1..]) {
        ("=", [Value::Symbol(field), text] | [text, Value::Symbol(field)]) => {
            (field.name(), vec![text.clone()])
        }
        (field, texts) => (field, texts.to_vec()),
    };
    let all_text = texts.iter().all(|text| matches!(text, Value::Str(_)));
    (FIELDS.contains(&field) && all_text && !texts.is_empty()).then(|| (field.to_owned(), texts))
}

/// What a comparison leaves of the numbers.
struct Range {
    least: Option<(f64, Edge)>,
    most: Option<(f64, Edge)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Edge {
    In,
    Out,
}

impl Range {
    /// True if this one begins where the other has ended.
    fn excludes(&self, other: &Range) -> bool {
        match (self.least, other.most) {
            (Some((least, low)), Some((most, high))) => {
                least > most || least == most && (low == Edge::Out || high == Edge::Out)
            }
            _ => false,
        }
    }
}

/// The field and the numbers of `(> metric 5)`, `(< 5 metric)` and their like.
fn range(clause: &Value) -> Option<(String, Range)> {
    let items = form::items(clause)?;
    let [Value::Symbol(head), a, b] = &items[..] else {
        return None;
    };
    let number = |value: &Value| value.as_number().map(|number| number.to_f64());
    let (field, number, turned) = match (a, b) {
        (Value::Symbol(field), bound) => (field, number(bound)?, false),
        (bound, Value::Symbol(field)) => (field, number(bound)?, true),
        _ => return None,
    };
    if !matches!(field.name(), "metric" | "ttl" | "time") {
        return None;
    }
    let (least, most) = match (head.name(), turned) {
        (">", false) | ("<", true) => (Some((number, Edge::Out)), None),
        (">=", false) | ("<=", true) => (Some((number, Edge::In)), None),
        ("<", false) | (">", true) => (None, Some((number, Edge::Out))),
        ("<=", false) | (">=", true) => (None, Some((number, Edge::In))),
        ("=" | "==", _) => (Some((number, Edge::In)), Some((number, Edge::In))),
        _ => return None,
    };
    Some((field.name().to_owned(), Range { least, most }))
}

#[cfg(test)]
mod tests {
    use crate::review::remarks;

    #[test]
    fn only_what_is_certain_is_told_of() {
        let never = "(where false index) (where (and (state \"a\") (state \"b\")) index)
            (where (and (> metric 5) (< metric 3)) index) (where (and (< 5 metric) (= 5 metric)) index)
            (where (or nil false) index) (where (= service #\"^a\") index)
            (where (and (service \"a\") (and (host \"b\") (host \"c\"))) index)";
        assert_eq!(remarks(never).len(), 7, "{:?}", remarks(never));
        let may = "(where (and (state \"a\") (state \"b\" \"a\")) index) (where true index)
            (where (and (>= metric 5) (<= metric 5)) index) (where (service #\"^a\") index)
            (where (and (> metric 3) (< ttl 2)) index) (where (or false (state \"a\")) index)";
        assert!(remarks(may).is_empty(), "{:?}", remarks(may));
    }
}
