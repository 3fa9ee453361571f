//! What `clojure/java/shell.clj` stands on: a program that the host runs.

use crate::core::arguments::not_a;
use crate::core::native;
use crate::host::Program;
use crate::{Cx, Native, Result, Runtime, Thrown, Value, seq};

const NAMESPACE: &str = "clojure.java.shell";

const RUN_PROGRAM: Native = native(
    "run-program",
    "([words in dir env])",
    "Runs a program to its end; gives its status and what it wrote.",
    (4, Some(4)),
    run_program,
);

/// Defines the namespace, and makes its source known.
pub fn install(rt: &mut Runtime) {
    rt.define_natives(NAMESPACE, &[RUN_PROGRAM]);
    if let Some(var) = rt.var(NAMESPACE, RUN_PROGRAM.name) {
        let private = Value::keyword("private");
        var.set_meta(var.meta().assoc(private, Value::Bool(true)));
    }
    rt.embed(
        "clojure/java/shell",
        include_str!("../clj/clojure/java/shell.clj"),
    );
}

fn run_program(cx: &Cx<'_>, args: &[Value]) -> Result {
    let words = texts(&args[0])?;
    let Some(name) = words.first().cloned() else {
        return Err(Thrown::illegal_argument(
            "sh takes the name of a program, as a string, first",
        ));
    };
    let environment = match &args[3] {
        Value::Nil => None,
        entries => Some(texts(entries)?.iter().map(|entry| pair(entry)).collect()),
    };
    let program = Program {
        words,
        input: args[1].as_str().unwrap_or_default().to_owned(),
        folder: args[2].as_str().map(str::to_owned),
        environment,
    };
    let ran = cx.rt.host.run(&program).map_err(|error| {
        let message = format!("Cannot run program \"{name}\": {error}");
        Thrown::new("java.io.IOException", message)
    })?;
    Ok(Value::map([
        (Value::keyword("exit"), Value::Int(ran.status.into())),
        (Value::keyword("out"), Value::from(ran.out)),
        (Value::keyword("err"), Value::from(ran.err)),
    ]))
}

fn texts(list: &Value) -> Result<Vec<String>> {
    let items = seq::to_vec(list)?;
    let text = |item: &Value| match item.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(not_a(item, "java.lang.String")),
    };
    items.iter().map(text).collect()
}

fn pair(entry: &str) -> (String, String) {
    let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
    (name.to_owned(), value.to_owned())
}
