//! Proves that `cauchy eval` and `cauchy repl` evaluate, and that `cauchy test` runs files of `clojure.test` tests
//! as they are: with the machine's time, and namespaces found in the folders given.

mod server;

use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

use server::{Server, program};
use tempfile::TempDir;

/// A folder with files.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = TempDir::new().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder takes another");
            fs::write(path, text).expect("the folder takes a file");
        }
        Folder(folder)
    }

    /// Runs a command in the folder.
    fn run(&self, arguments: &[&str]) -> Output {
        program()
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .expect("the program starts")
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

#[test]
fn eval_prints_what_is_printed_and_the_last_value() {
    let folder = Folder::new(&[]);
    let value = |code: &str| stdout(&folder.run(&["eval", "-e", code]));
    assert_eq!(value("1 (map inc [1 2 3])"), "(2 3 4)\n");
    assert_eq!(value("(println :seen) \"text\""), ":seen\n\"text\"\n");
    assert_eq!(value("nil"), "nil\n");
    assert_eq!(value("-5"), "-5\n");
    assert_eq!(
        value("(:metric (folds/sum [{:metric 1} {:metric 2}]))"),
        "3\n"
    );
    assert_eq!(
        value("[(str *ns*) riemann.test/*testing*]"),
        "[\"user\" false]\n"
    );
    assert_eq!(
        value("(let [p (promise)] (riemann.time/after! 0.001 #(deliver p :ran)) @p)"),
        ":ran\n"
    );
}

#[test]
fn programs_run_with_what_they_are_given() {
    let folder = Folder::new(&[("seen.txt", "")]);
    let value = |code: &str| {
        let code = format!("(require '[clojure.java.shell :refer [sh with-sh-dir]]) {code}");
        stdout(&folder.run(&["eval", "-e", &code]))
    };
    assert_eq!(
        value("(sh \"cat\" :in \"read\")"),
        "{:exit 0, :out \"read\", :err \"\"}\n"
    );
    assert_eq!(
        value("(sh \"sh\" \"-c\" \"echo $A $HOME >&2; exit 3\" :env {:A \"one\"})"),
        "{:exit 3, :out \"\", :err \"one\\n\"}\n"
    );
    assert_eq!(
        value("(with-sh-dir \"/\" (:out (sh \"pwd\")))"),
        "\"/\\n\"\n"
    );
    assert_eq!(value("(:out (sh \"ls\" :dir \".\"))"), "\"seen.txt\\n\"\n");
    assert_eq!(value("(:exit (sh \"sh\" \"-c\" \"kill -9 $$\"))"), "137\n");
    assert_eq!(
        value("(try (sh \"no-such-program\") (catch java.io.IOException e (.getMessage e)))"),
        "\"Cannot run program \\\"no-such-program\\\": No such file or directory (os error 2)\"\n"
    );
}

#[test]
fn eval_tells_what_is_wrong_and_where() {
    let folder = Folder::new(&[("a.clj", "(+ 1\n  (/ 1 0))")]);
    let output = folder.run(&["eval", "a.clj"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).starts_with("a.clj:2:3: ArithmeticException: Divide by zero\n"),
        "{output:?}"
    );
    for wrong in [
        &["eval", "-e", "(foo"][..],
        &["eval", "-e", "(foo)"],
        &["eval", "none.clj"],
    ] {
        assert_eq!(folder.run(wrong).status.code(), Some(1), "{wrong:?}");
    }
    assert_eq!(folder.run(&["eval"]).status.code(), Some(2));
}

#[test]
fn eval_finds_namespaces_in_the_folders_given() {
    let library = (
        "lib/mycorp/sum.clj",
        "(ns mycorp.sum) (defn of [a b] (+ a b))",
    );
    let script = (
        "a.clj",
        "(ns a (:require [mycorp.sum :as sum])) (sum/of 1 2)",
    );
    let folder = Folder::new(&[library, script]);
    assert_eq!(
        stdout(&folder.run(&["eval", "--path", "lib", "a.clj"])),
        "3\n"
    );
    assert_eq!(folder.run(&["eval", "a.clj"]).status.code(), Some(1));
}

const RULES: &str = "(ns mycorp.rules (:require [riemann.streams :refer :all]))
(defn hot [& children] (where* (fn [event] (< 10 (:metric event))) (apply sdo children)))";

const RULES_TEST: &str = "(ns mycorp.rules-test
  (:use mycorp.rules riemann.test riemann.time.controlled clojure.test)
  (:require [riemann.time :refer [unix-time]]))
(use-fixtures :once control-time!)
(use-fixtures :each reset-time!)
(deftest hot-passes (test-stream (hot) [{:metric 1} {:metric 11}] [{:metric 11}]))
(deftest time-moves (is (= 0 (unix-time))) (advance! 5) (is (= 5 (unix-time))))";

const REAL_TEST: &str = "(ns mycorp.real-test
  (:require [clojure.test :refer :all] [mycorp.rules-test :as rules]))
(deftest real (is (< 1000000 (riemann.time/unix-time))) (is (not riemann.test/*testing*)))
(deftest wrong (is (= 1 2)))";

const CONFIGURATION: &str = "(streams (tap :seen))
(tests (deftest injects (is (= 1 (count (:seen (inject! [{:time 3}])))))))";

fn project() -> Folder {
    Folder::new(&[
        ("src/mycorp/rules.clj", RULES),
        ("test/mycorp/rules_test.clj", RULES_TEST),
        ("test/mycorp/real_test.clj", REAL_TEST),
        ("riemann.clj", CONFIGURATION),
    ])
}

const PATHS: [&str; 5] = ["test", "--path", "src", "--path", "test"];

fn test(folder: &Folder, more: &[&str]) -> Output {
    folder.run(&[&PATHS, more].concat())
}

#[test]
fn files_of_tests_run_together_once() {
    let folder = project();
    let output = test(
        &folder,
        &["test/mycorp/real_test.clj", "test/mycorp/rules_test.clj"],
    );
    let text = stdout(&output);
    assert!(
        text.contains("Ran 4 tests containing 6 assertions.\n1 failures, 0 errors."),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(1));
    let output = test(&folder, &["test/mycorp/rules_test.clj"]);
    let text = stdout(&output);
    assert!(
        text.contains("Ran 2 tests containing 3 assertions.\n0 failures, 0 errors."),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(0));
    let output = test(&folder, &["--only", "real", "test/mycorp/real_test.clj"]);
    assert!(
        stdout(&output).contains("Ran 1 tests containing 2 assertions."),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_configuration_stays_one_beside_them() {
    let folder = project();
    let output = test(
        &folder,
        &[
            "riemann.clj",
            "test/mycorp/rules_test.clj",
            "--junit",
            "report.xml",
        ],
    );
    let text = stdout(&output);
    assert!(
        text.contains("Ran 1 tests containing 1 assertions."),
        "{output:?}"
    );
    assert!(
        text.contains("Ran 2 tests containing 3 assertions."),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(0));
    let report = fs::read_to_string(folder.0.path().join("report.xml")).expect("a report");
    assert!(
        report.contains("tests=\"3\" failures=\"0\" errors=\"0\""),
        "{report}"
    );
}

#[test]
fn a_file_that_does_not_load_fails_the_run_and_not_the_others() {
    let folder = project();
    fs::write(folder.0.path().join("broken.clj"), "(ns broken\n").expect("the folder takes a file");
    let output = test(&folder, &["broken.clj", "test/mycorp/rules_test.clj"]);
    assert!(
        stderr(&output).contains("broken.clj:1:1: EOF while reading"),
        "{output:?}"
    );
    assert!(
        stdout(&output).contains("Ran 2 tests containing 3 assertions."),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(1));
}

/// Types at a prompt; gives what it printed, and what it printed as errors.
fn type_in(arguments: &[&str], text: &str) -> (String, String) {
    let mut prompt = program()
        .arg("repl")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut keyboard = prompt.stdin.take().expect("standard input is piped");
    keyboard.write_all(text.as_bytes()).expect("it reads");
    drop(keyboard);
    let output = prompt.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    (stdout(&output), stderr(&output))
}

const TYPED: &str = "(+ 1
  2)
(inc *1)
(println :seen)
(foo)
(.getMessage *e)
(doc where*)
(in-ns 'riemann.config)
(str *ns*)
(read-line)
a line
";

fn expect_answers((out, err): (String, String)) {
    assert!(out.starts_with("3\n4\n:seen\nnil\n"), "{out}");
    assert!(out.contains("\nriemann.streams/where*\n"), "{out}");
    assert!(out.ends_with("\"riemann.config\"\n\"a line\"\n"), "{out}");
    assert!(
        err.starts_with("REPL:1:2: Unable to resolve symbol: foo"),
        "{err}"
    );
}

#[test]
fn a_prompt_evaluates_form_by_form() {
    expect_answers(type_in(&[], TYPED));
}

#[test]
fn a_prompt_evaluates_in_a_running_server() {
    let server = Server::start("(def mark :here) (repl-server {:port 0})");
    let address = server.address("nrepl").to_string();
    expect_answers(type_in(&["--connect", &address], TYPED));
    let (out, _) = type_in(&["--connect", &address], "mark\n");
    assert_eq!(out, ":here\n");
}

#[test]
fn a_prompt_tells_that_nobody_listens() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    drop(taken);
    let output = Folder::new(&[]).run(&["repl", "--connect", &address]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains(&address), "{output:?}");
}
