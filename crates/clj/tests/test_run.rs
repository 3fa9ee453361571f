//! The program runs the tests of namespaces and gets what they found.

mod pretend;

use clj::library::test::{self, Choice, Kind, Report};
use clj::{Cx, Runtime};

const SOURCE: &str = r#"
(ns mycorp.test-a (:require [clojure.test :refer [deftest is testing]]))
(deftest passes (println "hello") (is (= 1 1)))
(deftest ^:slow fails
  (testing "outer" (testing "inner"
    (is (= 1 2) "no"))))
(deftest breaks (throw (ex-info "broken" {})))
(ns ^:integration mycorp.test-b (:require [clojure.test :refer [deftest is]]))
(deftest passes (is true))
"#;

fn run(choice: &Choice) -> (Report, String) {
    let host = pretend::host();
    let rt = Runtime::new(host.clone());
    let cx = Cx::new(&rt);
    rt.eval_source(&cx, "mycorp.config", SOURCE).unwrap();
    let report = test::run(&cx, &["mycorp.test-a", "mycorp.test-b"], choice).unwrap();
    (report, host.take_printed())
}

#[test]
fn every_test_is_reported() {
    let (report, printed) = run(&Choice::default());
    let names: Vec<String> = report
        .tests
        .iter()
        .map(|test| format!("{}/{}", test.namespace, test.name))
        .collect();
    assert_eq!(
        names,
        [
            "mycorp.test-a/passes",
            "mycorp.test-a/fails",
            "mycorp.test-a/breaks",
            "mycorp.test-b/passes"
        ]
    );
    assert_eq!(
        (
            report.count(Kind::Pass),
            report.count(Kind::Fail),
            report.count(Kind::Error)
        ),
        (2, 1, 1)
    );
    assert!(!report.is_successful());
    assert_eq!(report.tests[0].output, "hello\n");
    assert!(
        printed.starts_with("\nTesting mycorp.test-a\nhello\n"),
        "{printed}"
    );
    assert!(
        printed.ends_with("Ran 4 tests containing 4 assertions.\n1 failures, 1 errors.\n"),
        "{printed}"
    );
}

#[test]
fn assertions_say_what_and_where() {
    let (report, _) = run(&Choice::default());
    let failed = &report.tests[1].assertions[0];
    assert_eq!(failed.kind, Kind::Fail);
    assert_eq!(failed.message.as_deref(), Some("no"));
    assert_eq!(failed.contexts, ["outer", "inner"]);
    assert_eq!(
        (failed.expected.as_str(), failed.actual.as_str()),
        ("(= 1 2)", "(not (= 1 2))")
    );
    assert_eq!(
        (failed.file.as_deref(), failed.line),
        (Some("mycorp.config"), Some(6))
    );
    let broken = &report.tests[2].assertions[0];
    assert_eq!(broken.kind, Kind::Error);
    assert_eq!(broken.actual, "clojure.lang.ExceptionInfo: broken");
}

/// The tests that run with a choice.
fn chosen(choice: Choice) -> Vec<String> {
    let name = |test: &test::TestResult| format!("{}/{}", test.namespace, test.name);
    run(&choice).0.tests.iter().map(name).collect()
}

#[test]
fn one_test_can_be_chosen() {
    let names = |only: &str| {
        chosen(Choice {
            only: Some(only.to_owned()),
            ..Choice::default()
        })
    };
    let both = ["mycorp.test-a/passes", "mycorp.test-b/passes"];
    assert_eq!(names("passes"), both);
    assert_eq!(names("mycorp.test-b/passes"), both[1..]);
    assert!(names("nothing").is_empty());
}

#[test]
fn tests_are_chosen_by_their_metadata_and_their_namespaces() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let names = |include: &[&str], exclude: &[&str]| {
        chosen(Choice {
            only: None,
            include: words(include),
            exclude: words(exclude),
        })
    };
    assert_eq!(names(&["slow"], &[]), ["mycorp.test-a/fails"]);
    assert_eq!(names(&[":integration"], &[]), ["mycorp.test-b/passes"]);
    assert_eq!(
        names(&["slow", "integration"], &[]),
        ["mycorp.test-a/fails", "mycorp.test-b/passes"]
    );
    assert_eq!(
        names(&[], &["slow", "integration"]),
        ["mycorp.test-a/passes", "mycorp.test-a/breaks"]
    );
    assert!(names(&["slow"], &["slow"]).is_empty());
}

#[test]
fn a_fixture_that_throws_is_counted() {
    let host = pretend::host();
    let rt = Runtime::new(host.clone());
    let cx = Cx::new(&rt);
    let source = "(ns mycorp.test-c (:require [clojure.test :refer [deftest is use-fixtures]]))
        (use-fixtures :once (fn [f] (f) (throw (Exception. \"at the end\"))))
        (deftest passes (is true))";
    rt.eval_source(&cx, "mycorp.config", source).unwrap();
    let report = test::run(&cx, &["mycorp.test-c"], &Choice::default()).unwrap();
    assert_eq!(
        (report.count(Kind::Pass), report.count(Kind::Error)),
        (1, 1)
    );
    let printed = host.take_printed();
    assert!(printed.ends_with("0 failures, 1 errors.\n"), "{printed}");
}
