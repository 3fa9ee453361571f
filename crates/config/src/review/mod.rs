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
    impl clj::Host for Nothing {}

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
