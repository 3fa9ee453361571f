//! The names nearest to one that was not found.

/// Names offered at most.
const NAMES_MAX: usize = 3;

/// `did you mean a or b?`, if any name is near enough.
pub fn sentence<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let near = nearest(wanted, names);
    if near.is_empty() {
        None
    } else {
        Some(format!("did you mean {}?", near.join(" or ")))
    }
}

/// The names that few enough edits turn into `wanted`, nearest first.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let edits_max = (wanted.chars().count() / 3).min(3);
    let mut near: Vec<(usize, &str)> = names
        .filter(|name| name.len().abs_diff(wanted.len()) <= edits_max * 4)
        .map(|name| (distance(wanted, name), name))
        .filter(|(edits, name)| *edits <= edits_max && *name != wanted)
        .collect();
    near.sort_unstable();
    near.dedup();
    let fewest = near.first().map_or(0, |(edits, _)| *edits);
    near.into_iter()
        .filter(|(edits, _)| *edits == fewest)
        .map(|(_, name)| name)
        .take(NAMES_MAX)
        .collect()
}

/// Edits between two words: letters added, dropped, replaced, or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        rows[i][0] = i;
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut fewest = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                fewest = fewest.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = fewest;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_what_is_near() {
        let names = ["where", "with", "when", "throttle", "smap"];
        assert_eq!(nearest("wehre", names.into_iter()), ["where"]);
        assert_eq!(nearest("trottle", names.into_iter()), ["throttle"]);
        assert!(nearest("xyzzy", names.into_iter()).is_empty());
    }
}
