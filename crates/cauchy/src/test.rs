//! `cauchy test`: runs the tests of configurations, or of files of `clojure.test` tests.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use config::{Mode, Problem, TestAssertion, TestChoice, TestKind, TestReport, TestResult};

use crate::source::Source;
use crate::{cli, start};

/// Prints what fails and the totals; writes them as JUnit if asked.
pub fn run(test: &cli::Test) -> ExitCode {
    match run_tests(test) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("{}", text.trim_end());
            ExitCode::FAILURE
        }
    }
}

/// Each configuration by itself, then all files of tests together; true if everything loaded and
/// passed.
fn run_tests(test: &cli::Test) -> Result<bool, String> {
    let (plain, configurations): (Vec<&PathBuf>, Vec<&PathBuf>) =
        test.files.iter().partition(|path| is_plain(path));
    let mut run = Run::default();
    let named = configurations.into_iter().map(|path| Some(path.as_path()));
    let default = test.files.is_empty().then_some(None);
    for path in named.chain(default) {
        let source = Source::find(path).map_err(|line| format!("cauchy: {line}"))?;
        match start::load(&source, Mode::Test, &test.search) {
            Ok(configuration) => run.add(configuration.run_tests(&choice(test))),
            Err(problems) => run.fail(&start::all(&problems)),
        }
    }
    if !plain.is_empty() {
        run_plain(&plain, test, &mut run)?;
    }
    if let (Some(name), []) = (&test.only, &run.report.tests[..]) {
        run.fail(&format!("cauchy: no test is named {name}"));
    }
    if let Some(path) = &test.junit {
        fs::write(path, junit(&run.report))
            .map_err(|error| format!("cauchy: {}: {error}", path.display()))?;
    }
    Ok(!run.failed && run.report.is_successful())
}

fn choice(test: &cli::Test) -> TestChoice {
    TestChoice {
        only: test.only.clone(),
        include: test.include.clone(),
        exclude: test.exclude.clone(),
    }
}

/// What has run so far.
#[derive(Default)]
struct Run {
    report: TestReport,
    /// Something did not load.
    failed: bool,
}

impl Run {
    fn add(&mut self, outcome: Result<TestReport, Problem>) {
        match outcome {
            Ok(report) => {
                self.report.tests.extend(report.tests);
                self.report.outside.extend(report.outside);
            }
            Err(problem) => self.fail(&problem.text),
        }
    }

    fn fail(&mut self, text: &str) {
        eprintln!("{}", text.trim_end());
        self.failed = true;
    }
}

/// Files of tests share one world, so that they may require each other.
fn run_plain(files: &[&PathBuf], test: &cli::Test, run: &mut Run) -> Result<(), String> {
    let mut search = test.search.clone();
    for file in files {
        search.extend(Source::File((*file).clone()).search());
    }
    let configuration = start::load_nothing(search)?;
    let names: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    for name in &names {
        if let Err(problems) = configuration.load_tests(name) {
            run.fail(&start::all(&problems));
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    run.add(configuration.run_tests_of(&names, &choice(test)));
    Ok(())
}

/// True for Clojure source that is no configuration: it has no `(tests …)` of its own, and says by
/// a namespace or by what it requires that it is a file of tests.
fn is_plain(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    if !matches!(ending, Some("clj" | "cljc")) {
        return false;
    }
    let Ok(text) = fs::read_to_string(path) else {
        return false;
    };
    let mut code = text.lines().filter(|line| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with(';')
    });
    if code.next().is_some_and(|first| first.starts_with("(ns")) {
        return !text.lines().any(|line| line.starts_with("(tests"));
    }
    text.contains("clojure.test") && !text.contains("(tests")
}

fn junit(report: &TestReport) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuites>\n<testsuite name=\"cauchy\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
        report.tests.len(),
        report.count(TestKind::Fail),
        report.count(TestKind::Error)
    );
    for test in &report.tests {
        case(&mut xml, test);
    }
    xml.push_str("</testsuite>\n</testsuites>\n");
    xml
}

fn case(xml: &mut String, test: &TestResult) {
    let _ = write!(
        xml,
        "<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\">",
        escape(&test.namespace),
        escape(&test.name),
        test.duration.as_secs_f64()
    );
    for assertion in &test.assertions {
        let element = match assertion.kind {
            TestKind::Pass => continue,
            TestKind::Fail => "failure",
            TestKind::Error => "error",
        };
        let _ = write!(xml, "\n<{element}>{}</{element}>", escape(&told(assertion)));
    }
    if !test.output.is_empty() {
        let _ = write!(xml, "\n<system-out>{}</system-out>", escape(&test.output));
    }
    xml.push_str("</testcase>\n");
}

fn told(assertion: &TestAssertion) -> String {
    let place = match (&assertion.file, assertion.line) {
        (Some(file), Some(line)) => format!("{file}:{line}\n"),
        _ => String::new(),
    };
    let message = assertion
        .message
        .as_ref()
        .map_or(String::new(), |text| format!("{text}\n"));
    format!(
        "{place}{message}expected: {}\n  actual: {}",
        assertion.expected, assertion.actual
    )
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        match char {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(char),
            control if control.is_control() => escaped.push('\u{fffd}'),
            _ => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_xml_cannot_hold_is_escaped() {
        assert_eq!(
            super::escape("<a & \"b\">\u{1}"),
            "&lt;a &amp; &quot;b&quot;&gt;\u{fffd}"
        );
    }
}
