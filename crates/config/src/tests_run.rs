//! Running the tests of a configuration.

use clj::Cx;
use clj::library::test;

use crate::load::{Configuration, problem};
use crate::problem::Problem;

pub use clj::library::test::{
    Assertion as TestAssertion, Kind as TestKind, Report as TestReport, TestResult,
};

impl Configuration {
    /// Runs every test in namespaces whose name ends in `-test`, or those of one name among them,
    /// and prints what `clojure.test` prints.
    ///
    /// # Errors
    /// What goes wrong outside of tests, such as a fixture that throws.
    pub fn run_tests(&self, only: Option<&str>) -> Result<TestReport, Problem> {
        let namespaces = self.rt.namespaces();
        let mut names: Vec<&str> = namespaces
            .iter()
            .map(|namespace| &*namespace.name)
            .filter(|name| name.ends_with("-test"))
            .collect();
        names.sort_unstable();
        test::run(&Cx::new(&self.rt), &names, only).map_err(|thrown| problem(&self.rt, &thrown))
    }
}
