//! Running tests: what `clojure.test` (in the dialect) asks of the program, and a run whose
//! results the program gets.

mod collector;
mod natives;

use std::sync::Arc;

use crate::{Cx, Result, Runtime, Thrown, Value, Var, dynamic, load};
use collector::Collector;

pub use collector::{Assertion, Kind, Report, TestResult};

const NAMESPACE: &str = "clojure.test";

/// Defines what the namespace stands on, private to it, and makes its source known.
pub fn install(rt: &mut Runtime) {
    rt.define_natives(NAMESPACE, natives::NATIVES);
    for native in natives::NATIVES {
        if let Some(var) = rt.var(NAMESPACE, native.name) {
            var.set_meta(
                var.meta()
                    .assoc(Value::keyword("private"), Value::Bool(true)),
            );
        }
    }
    rt.embed("clojure/test", include_str!("../../clj/clojure/test.clj"));
}

/// Which tests are to run; by default, all.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Those of this name: `deploy-test`, or with its namespace.
    pub only: Option<String>,
    /// Those with one of these keywords in the metadata of the test or of its namespace.
    pub include: Vec<String>,
    /// Not those with one of these.
    pub exclude: Vec<String>,
}

impl Choice {
    /// True if every test is to run.
    pub fn is_all(&self) -> bool {
        self.only.is_none() && self.include.is_empty() && self.exclude.is_empty()
    }

    fn to_value(&self) -> Value {
        if self.is_all() {
            return Value::Nil;
        }
        let keywords = |names: &[String]| {
            let names = names.iter().map(|name| Value::keyword(bare(name)));
            Value::vector(names.collect())
        };
        let only = self.only.as_deref().map(Value::str).into();
        Value::map([
            (Value::keyword("only"), only),
            (Value::keyword("include"), keywords(&self.include)),
            (Value::keyword("exclude"), keywords(&self.exclude)),
        ])
    }
}

/// A keyword may be given with its colon.
fn bare(keyword: &str) -> &str {
    keyword.strip_prefix(':').unwrap_or(keyword)
}

/// Runs the tests of namespaces that are loaded, or the chosen ones among them. Reports are printed
/// as `clojure.test` prints them.
///
/// # Errors
/// What goes wrong outside of tests: a namespace that is not there, a fixture that throws.
pub fn run(cx: &Cx<'_>, namespaces: &[&str], choice: &Choice) -> Result<Report> {
    load::load_namespace(cx, NAMESPACE, false)?;
    let collector = Arc::new(Collector::new(cx.rt.host.clone()));
    let out = var(cx, "clojure.core", "*out*")?;
    let plain_out = out.get().unwrap_or_default();
    let bindings = vec![
        (
            var(cx, NAMESPACE, "*collector*")?,
            Value::Object(collector.clone()),
        ),
        (var(cx, NAMESPACE, "*test-out*")?, plain_out),
        (out, Value::Object(collector.clone())),
    ];
    let run = Value::Var(var(cx, NAMESPACE, "run-chosen")?);
    let names = namespaces.iter().map(|name| Value::symbol(name)).collect();
    let args = [Value::vector(names), choice.to_value()];
    dynamic::with(bindings, || cx.call(&run, &args))?;
    Ok(collector.report())
}

fn var(cx: &Cx<'_>, namespace: &str, name: &str) -> Result<Arc<Var>> {
    cx.rt
        .var(namespace, name)
        .ok_or_else(|| Thrown::illegal_state(format!("{namespace}/{name} is not defined")))
}
