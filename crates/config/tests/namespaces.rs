//! The configurations below `spec/config/namespaces`, each with tests of one namespace.

#[path = "sinks/pretend.rs"]
mod pretend;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use clock::VirtualClock;
use config::{Kept, Mode, Settings, TestChoice, TestKind, Text, load};

fn settings() -> Settings {
    Settings {
        mode: Mode::Test,
        host: Arc::new(pretend::Pretend),
        clock: Arc::new(VirtualClock::new()),
        kept: Kept::default(),
        wire: None,
        telemetry: None,
    }
}

/// Everything that went wrong in one file, as text.
fn failures(name: &str, text: &str) -> Vec<String> {
    let configuration = match load(&Text::Source { name, text }, settings()) {
        Ok(configuration) => configuration,
        Err(problems) => return problems.into_iter().map(|problem| problem.text).collect(),
    };
    let report = match configuration.run_tests(&TestChoice::default()) {
        Ok(report) => report,
        Err(problem) => return vec![problem.text],
    };
    if report.count(TestKind::Pass) == 0 {
        return vec![format!("{name} asserts nothing")];
    }
    let results = report.tests.iter().flat_map(|test| {
        test.assertions
            .iter()
            .filter(|assertion| assertion.kind != TestKind::Pass)
            .map(move |assertion| format!("{name}, {}: {assertion:#?}", test.name))
    });
    results.collect()
}

#[test]
fn every_namespace_keeps_its_word() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/config/namespaces");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let failures: Vec<String> = files
        .iter()
        .flat_map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap();
            failures(name, &fs::read_to_string(file).unwrap())
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
