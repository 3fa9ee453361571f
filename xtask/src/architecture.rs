//! The table of crates in ARCHITECTURE.md is a contract: each crate uses what its row allows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Compares every `crates/*/Cargo.toml` with the table.
pub fn check(root: &Path) -> Result<(), String> {
    let text =
        fs::read_to_string(root.join("ARCHITECTURE.md")).map_err(|error| error.to_string())?;
    let table = read_table(&text);
    let mut problems = Vec::new();
    let crates = fs::read_dir(root.join("crates")).map_err(|error| error.to_string())?;
    for folder in crates.flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        let manifest = fs::read_to_string(folder.path().join("Cargo.toml"))
            .map_err(|error| format!("crates/{name}: {error}"))?;
        let Some(allowed) = table.get(&name) else {
            problems.push(format!("crates/{name} has no row in ARCHITECTURE.md"));
            continue;
        };
        for used in read_uses(&manifest) {
            if !allowed.contains("all") && !allowed.contains(&used) {
                problems.push(format!(
                    "crates/{name} uses {used}: its row does not allow it"
                ));
            }
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}

/// Rows `| `crate` | is | may use | never |`: the crate, and what it may use.
fn read_table(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut table = BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, _, uses, _, _] = cells[..] else {
            continue;
        };
        if let Some(name) = name
            .strip_prefix('`')
            .and_then(|name| name.strip_suffix('`'))
        {
            let words = uses.split([',', ' ']).filter(|word| !word.is_empty());
            table.insert(name.to_owned(), words.map(str::to_owned).collect());
        }
    }
    table
}

/// Our own crates under `[dependencies]`; tests may use anything.
fn read_uses(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut uses = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[dependencies]"
            && let Some(rest) = line.strip_prefix("cauchy-")
        {
            uses.extend(rest.split(['.', ' ', '=']).next().map(str::to_owned));
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_keep_to_the_table() {
        assert_eq!(check(&crate::steps::root()), Ok(()));
    }

    #[test]
    fn a_row_names_what_may_be_used() {
        let table = read_table("| `codec` | bytes | event, histogram | does I/O |");
        assert_eq!(
            table["codec"],
            BTreeSet::from(["event".to_owned(), "histogram".to_owned()])
        );
    }

    #[test]
    fn uses_are_read_from_the_manifest() {
        let manifest = "[dependencies]\ncauchy-event.workspace = true\nserde = \"1\"\n[dev-dependencies]\ncauchy-clj = {}";
        assert_eq!(read_uses(manifest), ["event"]);
    }
}
