//! Proves that `cauchy test` passes the files of tests below `spec/tests`, which are written as those that came
//! with Riemann: with namespaces of their own, real servers, clients, and time moved by hand.

mod server;

use std::fs;
use std::path::{Path, PathBuf};

use server::{free_port, program};
use tempfile::TempDir;

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of tests") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.to_string_lossy().ends_with("_test.clj") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn files_of_tests_pass_as_they_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/tests");
    let files = files_below(&folder);
    assert!(!files.is_empty());
    for file in files {
        let output = program()
            .args(["test", "--path"])
            .args([&folder, &file])
            .env("FREE_PORT", free_port().to_string())
            .output()
            .expect("the program starts");
        let told = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let name = file.display();
        assert!(output.status.success(), "{name}\n{told}\n{errors}");
        assert!(!told.contains("containing 0 assertions"), "{name}\n{told}");
    }
}

/// Status, output and errors of a run of files of tests.
fn run(files: &[(&str, &str)], test: &str) -> (bool, String, String) {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder takes another");
        fs::write(path, text).expect("the folder takes a file");
    }
    let output = program()
        .args(["test", "--path", ".", test])
        .current_dir(&folder)
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let success = output.status.success();
    (success, text(&output.stdout), text(&output.stderr))
}

#[test]
fn what_is_wrong_costs_its_own_test_and_the_run() {
    let text = [
        "(ns part-test",
        "  (:require [no.such.library :as x] [clojure.string :as string])",
        "  (:use clojure.test))",
        "(deftest needs-it (is (= 1 (x/one))))",
        "(deftest unread (is (= [1 1)))",
        "(deftest whole (is (string/blank? \"\")))",
    ]
    .join("\n");
    let (success, told, errors) = run(&[("part_test.clj", &text)], "part_test.clj");
    assert!(!success);
    assert!(
        told.contains("Ran 1 tests containing 1 assertions.\n0 failures, 0 errors."),
        "{told}{errors}"
    );
    for error in [
        "part_test.clj:1:1: FileNotFoundException: Could not locate no/such/library",
        "No such namespace: x",
        "part_test.clj:5:28: Unmatched delimiter: )",
    ] {
        assert!(errors.contains(error), "no {error:?} in {errors}");
    }
}

#[test]
fn sources_for_java_do_not_take_the_place_of_what_is_built_in() {
    let throws = "(ns riemann.graphite) (throw (Exception. \"loaded\"))";
    let test = "(ns own-test (:use clojure.test riemann.graphite))
                (deftest path (is (= \"b.a\" (graphite-path-basic {:host \"b\" :service \"a\"}))))";
    let files = [("riemann/graphite.clj", throws), ("own_test.clj", test)];
    let (success, told, errors) = run(&files, "own_test.clj");
    assert!(success, "{told}{errors}");
}
