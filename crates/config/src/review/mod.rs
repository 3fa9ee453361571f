//! What `cauchy check` notices about calls of the words of a configuration, as they were written.

mod childless;
mod impossible;
mod misspelt;

use clj::check::{Checks, Remark};
use clj::{Value, Var};

use crate::state::Mode;

/// What is looked for when a configuration is loaded.
pub fn checks(mode: Mode) -> Checks {
    Checks {
        strict: mode == Mode::Check,
        review,
        is_builder: |var| var.namespace.starts_with("riemann."),
    }
}

fn review(var: &Var, call: &[Value]) -> Vec<Remark> {
    if !var.namespace.starts_with("riemann.") {
        return Vec::new();
    }
    let mut remarks: Vec<Remark> = misspelt::options(var, &call[1..]).collect();
    if *var.namespace == *"riemann.streams" {
        remarks.extend(childless::childless(var, &call[1..]));
        remarks.extend(impossible::impossible(var, &call[1..]));
    }
    remarks
}

#[cfg(test)]
fn remarks(code: &str) -> Vec<String> {
    use std::sync::Arc;

    struct Nothing;
    impl clj::Host for Nothing {
        fn now_ms(&self) -> i64 {
            0
        }
        fn nano_time(&self) -> i64 {
            0
        }
        fn sleep_ms(&self, _: u64) {}
        fn env(&self, _: &str) -> Option<String> {
            None
        }
        fn envs(&self) -> Vec<(String, String)> {
            Vec::new()
        }
        fn hostname(&self) -> String {
            String::new()
        }
        fn print(&self, _: &str) {}
        fn print_error(&self, _: &str) {}
        fn log(&self, _: clj::LogLevel, _: &str, _: &str) {}
        fn read_file(&self, _: &str) -> std::io::Result<String> {
            Err(std::io::ErrorKind::NotFound.into())
        }
        fn write_file(&self, _: &str, _: &str, _: bool) -> std::io::Result<()> {
            Err(std::io::ErrorKind::NotFound.into())
        }
        fn file_exists(&self, _: &str) -> bool {
            false
        }
        fn is_directory(&self, _: &str) -> bool {
            false
        }
        fn list_directory(&self, _: &str) -> std::io::Result<Vec<String>> {
            Ok(Vec::new())
        }
        fn find_source(&self, _: &str) -> Option<(String, String)> {
            None
        }
        fn random(&self) -> f64 {
            0.0
        }
    }

    let rt = clj::Runtime::unshared(Arc::new(Nothing));
    streams::install(&rt);
    let rt = Arc::new(rt);
    let cx = clj::Cx::new(&rt);
    let forms = clj::reader::read_all(&cx, "test", code).expect("the test's code can be read");
    let mut found = Vec::new();
    for form in forms {
        let items = clj::form::items(&form).expect("the test's forms are calls");
        let Some(Value::Symbol(head)) = items.first() else {
            continue;
        };
        let var = rt.var("riemann.streams", head.name());
        let var = var.expect("the test calls streams");
        found.extend(review(&var, &items).into_iter().map(|it| it.message));
    }
    found
}
