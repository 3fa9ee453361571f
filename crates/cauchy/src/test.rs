//! `cauchy test`: runs the tests of a configuration.

use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;

use config::{Mode, TestAssertion, TestKind, TestReport, TestResult};

use crate::source::Source;
use crate::{cli, start};

/// Prints what fails and the totals; writes them as JUnit if asked.
pub fn run(test: &cli::Test) -> ExitCode {
    match run_tests(test) {
        Ok(report) if report.is_successful() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("{}", text.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn run_tests(test: &cli::Test) -> Result<TestReport, String> {
    let source = Source::find(test.config.as_deref()).map_err(|line| format!("cauchy: {line}"))?;
    let configuration = start::load(&source, Mode::Test, None).map_err(|problems| {
        let texts: Vec<String> = problems.into_iter().map(|problem| problem.text).collect();
        texts.join("\n")
    })?;
    let report = configuration
        .run_tests(test.only.as_deref())
        .map_err(|problem| problem.text)?;
    if let Some(path) = &test.junit {
        fs::write(path, junit(&report))
            .map_err(|error| format!("cauchy: {}: {error}", path.display()))?;
    }
    Ok(report)
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
