//! Running the tests of a configuration.

use clj::library::test;
use clj::{Cx, Namespace, Value};

use crate::load::{Configuration, PROBLEMS_MAX, problem};
use crate::problem::Problem;

pub use clj::library::test::{
    Assertion as TestAssertion, Choice as TestChoice, Kind as TestKind, Report as TestReport,
    TestResult,
};

impl Configuration {
    /// Runs every test in namespaces whose name ends in `-test`, or the chosen ones among them,
    /// and prints what `clojure.test` prints.
    ///
    /// # Errors
    /// What goes wrong outside of tests, such as a fixture that throws.
    pub fn run_tests(&self, choice: &TestChoice) -> Result<TestReport, Problem> {
        let namespaces = self.rt.namespaces();
        let mut names: Vec<&str> = namespaces
            .iter()
            .map(|namespace| &*namespace.name)
            .filter(|name| name.ends_with("-test"))
            .collect();
        names.sort_unstable();
        test::run(&Cx::new(&self.rt), &names, choice).map_err(|thrown| problem(&self.rt, &thrown))
    }

    /// Evaluates a file of tests. A form that is wrong costs its own tests, not those of the others.
    ///
    /// # Errors
    /// What is wrong with it, in the order of the file.
    pub fn load_tests(&self, path: &str) -> Result<(), Vec<Problem>> {
        let text = self.rt.host.read_file(path);
        let text = text.map_err(|error| vec![Problem::plain(format!("{path}: {error}"))])?;
        let cx = Cx::new(&self.rt);
        let failed = self.rt.eval_every_form(&cx, path, &text);
        if failed.is_empty() {
            return Ok(());
        }
        let told = failed.iter().take(PROBLEMS_MAX);
        let problems = told.map(|thrown| problem(&self.rt, thrown));
        Err(problems.collect())
    }

    /// Runs every test that was defined in those files, as [`Configuration::run_tests`].
    ///
    /// # Errors
    /// As there.
    pub fn run_tests_of(&self, files: &[&str], choice: &TestChoice) -> Result<TestReport, Problem> {
        let mut namespaces = self.rt.namespaces();
        namespaces.sort_by(|a, b| a.name.cmp(&b.name));
        let mut names: Vec<&str> = Vec::new();
        for file in files {
            for namespace in &namespaces {
                if has_tests(namespace, file) && !names.contains(&&*namespace.name) {
                    names.push(&namespace.name);
                }
            }
        }
        test::run(&Cx::new(&self.rt), &names, choice).map_err(|thrown| problem(&self.rt, &thrown))
    }
}

/// True if a file has defined tests in a namespace, or how to run them.
fn has_tests(namespace: &Namespace, file: &str) -> bool {
    let mappings = namespace.mappings.read();
    let mut own = mappings
        .values()
        .filter(|var| var.namespace == namespace.name);
    own.any(|var| {
        let meta = var.meta();
        let is_test = meta.get_keyword("test").is_some() || &*var.name == "test-ns-hook";
        is_test && meta.get_keyword("file").and_then(Value::as_str) == Some(file)
    })
}
