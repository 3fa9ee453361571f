//! `cauchy test`: runs the tests of a configuration.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use config::{Mode, TestReport, TestResult};

use crate::source::Source;
use crate::{cli, start};

/// Prints what fails and the totals; writes them as JUnit if asked.
pub fn run(test: &cli::Test) -> ExitCode {
    let loaded = Source::find(test.config.as_deref()).and_then(|source| {
        start::load(&source, Mode::Test, None).map_err(|problems| {
            let texts: Vec<String> = problems.into_iter().map(|problem| problem.text).collect();
            texts.join("\n\n")
        })
    });
    let configuration = match loaded {
        Ok(configuration) => configuration,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::FAILURE;
        }
    };
    let report = configuration.run_tests(test.only.as_deref());
    print!("{}", report.text);
    if let Some(path) = &test.junit
        && let Err(line) = write_junit(path, &report)
    {
        eprintln!("cauchy: {line}");
        return ExitCode::FAILURE;
    }
    if report.failures + report.errors == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn write_junit(path: &Path, report: &TestReport) -> Result<(), String> {
    fs::write(path, junit(report)).map_err(|error| format!("{}: {error}", path.display()))
}

fn junit(report: &TestReport) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        xml,
        "<testsuites>\n<testsuite name=\"cauchy\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
        report.tests.len(),
        report.failures,
        report.errors
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
    for (kind, text) in &test.problems {
        let _ = write!(xml, "\n<{kind}>{}</{kind}>\n", escape(text));
    }
    xml.push_str("</testcase>\n");
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
