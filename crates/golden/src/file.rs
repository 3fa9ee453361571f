//! Files of steps: read, run, compared or rewritten.

use std::fs;
use std::path::{Path, PathBuf};

use crate::session::Session;

/// What parts input from output.
const RULE: &str = "----";

/// Runs every `.txt` file of a folder and the folders in it. With `UPDATE=1` the outputs are
/// rewritten.
///
/// # Panics
/// When an output is not what the file says, or a file cannot be read or understood.
pub fn check_folder(folder: &Path) {
    let files = files(folder);
    assert!(!files.is_empty(), "no tests in {}", folder.display());
    let update = std::env::var("UPDATE").is_ok_and(|value| value == "1");
    let mut wrong = Vec::new();
    for path in files {
        let before = fs::read_to_string(&path).expect("a file that was listed can be read");
        let after = run(&before).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if update && after != before {
            fs::write(&path, &after).expect("the repository can be written to");
        } else if after != before {
            wrong.push(format!(
                "{}:\n{}",
                path.display(),
                difference(&before, &after)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nUPDATE=1 rewrites the files",
        wrong.join("\n")
    );
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of tests") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The text with its outputs as they are now.
fn run(text: &str) -> Result<String, String> {
    let mut session = Session::new();
    let mut steps = Vec::new();
    for step in text
        .split("\n\n")
        .map(str::trim)
        .filter(|step| !step.is_empty())
    {
        let body = step
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect::<Vec<_>>();
        if body.is_empty() {
            steps.push(format!("{step}\n"));
            continue;
        }
        let rule = body.iter().position(|line| *line == RULE);
        let input = &body[1..rule.unwrap_or(body.len())];
        let output = session.run(body[0], &input.join("\n"))?;
        let kept = step.lines().take_while(|line| *line != RULE);
        let kept: String = kept.map(|line| format!("{line}\n")).collect();
        steps.push(format!("{kept}{RULE}\n{output}"));
    }
    Ok(steps.join("\n"))
}

/// The lines that differ, wanted first.
fn difference(wanted: &str, got: &str) -> String {
    let (wanted, got): (Vec<&str>, Vec<&str>) = (wanted.lines().collect(), got.lines().collect());
    let same_start = wanted.iter().zip(&got).take_while(|(a, b)| a == b).count();
    let rest = wanted.len().min(got.len()) - same_start;
    let ends = wanted.iter().rev().zip(got.iter().rev());
    let same_end = ends.take_while(|(a, b)| a == b).count().min(rest);
    let mut text = String::new();
    for line in &wanted[same_start..wanted.len() - same_end] {
        text.push_str(&format!("  - {line}\n"));
    }
    for line in &got[same_start..got.len() - same_end] {
        text.push_str(&format!("  + {line}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_what_the_streams_did() {
        let text = "# A comment.\nstreams\n(tap out)\n----\n\nsend\n@1 service=a\n----\nwrong\n";
        let after = run(text).unwrap();
        assert!(
            after.ends_with("@1 service=a\n----\nout @1 service=a\n"),
            "{after}"
        );
        assert_eq!(
            difference(text, &after),
            "  - wrong\n  + out @1 service=a\n"
        );
    }
}
