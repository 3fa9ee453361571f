//! Errors for names that are not in the table, with the nearest that are.

use super::JavaClass;
use crate::{Thrown, Value};

pub(super) fn class(name: &str) -> Thrown {
    let hint = nearest(name, super::class_names());
    Thrown::new("java.lang.ClassNotFoundException", format!("{name}{hint}"))
}

pub(super) fn constructor(class: &JavaClass) -> Thrown {
    Thrown::illegal_argument(format!("No matching ctor found for class {}", class.name))
}

pub(super) fn static_member(class: &JavaClass, member: &str) -> Thrown {
    let names =
        class.statics.iter().map(|(name, _)| *name).chain(class.fields.iter().map(|(n, _)| *n));
    let hint = nearest(member, names);
    Thrown::illegal_argument(format!(
        "No matching method {member} found for class {}{hint}",
        class.name
    ))
}

pub(super) fn method(target: &Value, name: &str, known: &[&'static str]) -> Thrown {
    let hint = nearest(name, known.iter().copied());
    Thrown::illegal_argument(format!(
        "No matching method {name} found for class {}{hint}",
        target.class_name()
    ))
}

/// `; did you mean …?` with the known name that takes the fewest edits, if few enough.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let short = |name: &'a str| name.rsplit_once('.').map_or(name, |(_, short)| short);
    let wanted = name.rsplit_once('.').map_or(name, |(_, short)| short);
    let closest = known.map(|known| (distance(wanted, short(known)), known)).min();
    match closest {
        Some((edits, known)) if edits <= wanted.len() / 3 + 1 => {
            format!("; did you mean {known}?")
        }
        _ => String::new(),
    }
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in b.iter().enumerate() {
            let replace = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
