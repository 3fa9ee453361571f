//! Running the tests of a configuration.

use std::time::Duration;

use crate::load::Configuration;

#[derive(Default)]
pub struct TestReport {
    pub text: String,
    pub failures: usize,
    pub errors: usize,
    pub tests: Vec<TestResult>,
}
pub struct TestResult {
    pub namespace: String,
    pub name: String,
    pub duration: Duration,
    pub problems: Vec<(String, String)>,
}

impl Configuration {
    pub fn run_tests(&self, only: Option<&str>) -> TestReport {
        let _ = only;
        TestReport::default()
    }
}
