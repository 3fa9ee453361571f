//! Runs the benches that have a target, prints target beside figure, and keeps both with the machine.

mod machine;
mod rows;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::steps::{root, run};
use rows::{Limit, ROWS, Row};

/// Where a bench notes its figures, as `benches/recorded.rs` of the program has it.
const FILE_VARIABLE: &str = "CAUCHY_BENCH_FIGURES";
const RESULTS: &str = "benches/results";

/// `--quick` only shows that everything runs; other arguments name rows.
pub fn bench(arguments: &[String]) -> Result<(), String> {
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let names: Vec<&String> = arguments.iter().filter(|a| *a != "--quick").collect();
    if let Some(unknown) = names.iter().find(|name| !is_row(name)) {
        let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        return Err(format!(
            "no row '{unknown}'; there are: {}",
            known.join(" ")
        ));
    }
    let chosen: Vec<&Row> = ROWS
        .iter()
        .filter(|row| names.is_empty() || names.iter().any(|name| *name == row.name))
        .collect();
    let mut figures = BTreeMap::new();
    // Each in a process of its own: what one leaves behind is not counted with the next.
    let mut runs: Vec<(&str, &str)> = chosen.iter().map(|row| (row.bench, row.word)).collect();
    runs.dedup();
    for (bench, word) in runs {
        figures.extend(run_bench(bench, word, quick)?);
    }
    let table = table(&chosen, &figures)?;
    print!("\n{table}");
    if quick {
        println!("\nToo short to mean anything: that was --quick.");
        return Ok(());
    }
    keep(&table)
}

fn is_row(name: &str) -> bool {
    ROWS.iter().any(|row| row.name == name)
}

/// Runs a bench with the word that chooses its rows; gives its figures.
fn run_bench(bench: &str, word: &str, quick: bool) -> Result<BTreeMap<String, f64>, String> {
    let file = std::env::temp_dir().join(format!("cauchy-bench-{}", std::process::id()));
    let _ = fs::remove_file(&file);
    let mut command = Command::new("cargo");
    // A bench that is run as a test, optimised or not, does little.
    match quick {
        true => command.args(["test", "--release"]),
        false => command.arg("bench"),
    };
    command
        .arg("--quiet")
        .args(package(bench))
        .args(["--bench", bench, "--", word])
        .env(FILE_VARIABLE, &file);
    run(&format!("bench {bench} {word}"), &mut command)?;
    let text = fs::read_to_string(&file).map_err(|error| format!("bench {bench}: {error}"))?;
    let _ = fs::remove_file(&file);
    Ok(read_figures(&text))
}

/// Where a bench is, and what it has to be built with.
fn package(bench: &str) -> &'static [&'static str] {
    match bench {
        "queues" => &["-p", "cauchy-pipe", "--features", "zmq"],
        _ => &["-p", "cauchy"],
    }
}

fn read_figures(text: &str) -> BTreeMap<String, f64> {
    text.lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)))
        .collect()
}

fn table(rows: &[&Row], figures: &BTreeMap<String, f64>) -> Result<String, String> {
    let mut table = "| row | work | target | measured | met |\n|---|---|---|---|---|\n".to_owned();
    for row in rows {
        let figure = figures
            .get(row.figure)
            .ok_or_else(|| format!("bench {} gave no '{}'", row.bench, row.figure))?;
        let met = if row.limit.holds(*figure) {
            "yes"
        } else {
            "no"
        };
        let target = match row.limit {
            Limit::AtMost(most) => format!("≤ {most}"),
            Limit::AtLeast(least) => format!("≥ {least}"),
        };
        table += &format!(
            "| {} | {} | {target} {} | {} | {met} |\n",
            row.name,
            row.work,
            row.unit,
            short(*figure)
        );
    }
    Ok(table)
}

/// Three digits that count.
fn short(figure: f64) -> String {
    let whole = figure.abs().max(1.0).log10() as usize;
    format!("{figure:.*}", 2_usize.saturating_sub(whole))
}

fn keep(table: &str) -> Result<(), String> {
    let folder = root().join(RESULTS);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let machine = machine::Machine::here()?;
    let path = folder.join(format!("{}-{}.md", machine.date, machine.commit));
    let text = format!("{}\n{table}", machine.describe());
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("\nkept in {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_held_against_its_target() {
        let row = ROWS.iter().find(|row| row.name == "1k").expect("a row");
        let check = |value, end: &str| {
            let figures = BTreeMap::from([(row.figure.to_owned(), value)]);
            let table = table(&[row], &figures).expect("the figure is there");
            assert!(table.trim_end().ends_with(end), "{table}");
        };
        check(2.1, "| 2.10 | yes |");
        check(2.345, "| 2.35 | no |");
        check(23.45, "| 23.4 | no |");
    }

    #[test]
    fn a_figure_that_did_not_come_is_told() {
        assert!(table(&[&ROWS[0]], &BTreeMap::new()).is_err());
    }

    #[test]
    fn names_are_of_one_row_each() {
        let mut names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ROWS.len());
    }

    #[test]
    fn figures_are_read_by_name() {
        let figures = read_figures("a b, ns\t1.5\nbroken\n");
        assert_eq!(figures, BTreeMap::from([("a b, ns".to_owned(), 1.5)]));
    }
}
