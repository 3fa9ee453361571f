//! What a run of tests found.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::{Cx, Host, Object, Result, Value, seq};

/// How an assertion came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pass,
    Fail,
    /// Something was thrown.
    Error,
}

/// One assertion, or an exception outside of any.
#[derive(Clone, Debug)]
pub struct Assertion {
    pub kind: Kind,
    pub message: Option<String>,
    /// The strings of `testing` around it, outermost first.
    pub contexts: Vec<String>,
    /// The form, printed.
    pub expected: String,
    /// What it was instead, printed; of an exception its class and message.
    pub actual: String,
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// One test.
#[derive(Clone, Debug)]
pub struct TestResult {
    pub namespace: String,
    pub name: String,
    pub passed: usize,
    pub failed: usize,
    pub errors: usize,
    pub assertions: Vec<Assertion>,
    /// What it printed.
    pub output: String,
    pub duration: Duration,
}

/// A whole run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub tests: Vec<TestResult>,
    /// Failures and errors outside of any test.
    pub outside: Vec<Assertion>,
}

impl Report {
    /// The number of assertions of one kind.
    pub fn count(&self, kind: Kind) -> usize {
        let inside = self.tests.iter().flat_map(|test| &test.assertions);
        inside
            .chain(&self.outside)
            .filter(|assertion| assertion.kind == kind)
            .count()
    }

    pub fn is_successful(&self) -> bool {
        self.count(Kind::Fail) == 0 && self.count(Kind::Error) == 0
    }
}

/// Bound to `*collector*` and `*out*` while the program runs tests.
pub struct Collector {
    host: Arc<dyn Host>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    report: Report,
    /// Tests that have begun and not ended, the innermost last, with the time they began.
    open: Vec<(TestResult, i64)>,
}

impl Collector {
    pub fn new(host: Arc<dyn Host>) -> Collector {
        Collector {
            host,
            found: Mutex::default(),
        }
    }

    /// What has been found so far; forgets it.
    pub fn report(&self) -> Report {
        std::mem::take(&mut self.found.lock().report)
    }

    /// Takes note of an event of the run.
    pub fn note(&self, event: &Value, contexts: &Value) -> Result<()> {
        let get = |name: &str| seq::get(event, &Value::keyword(name)).unwrap_or_default();
        let kind = match get("type") {
            Value::Keyword(kind) => kind,
            _ => return Ok(()),
        };
        match kind.name() {
            "begin-test-var" => self.begin(&get("var")),
            "end-test-var" => self.end(),
            "pass" => self.add(assertion(Kind::Pass, event, contexts)?),
            "fail" => self.add(assertion(Kind::Fail, event, contexts)?),
            "error" => self.add(assertion(Kind::Error, event, contexts)?),
            _ => {}
        }
        Ok(())
    }

    fn begin(&self, var: &Value) {
        let (namespace, name) = match var {
            Value::Var(var) => (var.namespace.to_string(), var.name.to_string()),
            other => (String::new(), other.to_text()),
        };
        let test = TestResult {
            namespace,
            name,
            passed: 0,
            failed: 0,
            errors: 0,
            assertions: Vec::new(),
            output: String::new(),
            duration: Duration::ZERO,
        };
        let now = self.host.nano_time();
        self.found.lock().open.push((test, now));
    }

    fn end(&self) {
        let now = self.host.nano_time();
        let mut found = self.found.lock();
        if let Some((mut test, began)) = found.open.pop() {
            test.duration = Duration::from_nanos(u64::try_from(now - began).unwrap_or(0));
            found.report.tests.push(test);
        }
    }

    fn add(&self, assertion: Assertion) {
        let mut found = self.found.lock();
        let Some((test, _)) = found.open.last_mut() else {
            found.report.outside.push(assertion);
            return;
        };
        match assertion.kind {
            Kind::Pass => test.passed += 1,
            Kind::Fail => test.failed += 1,
            Kind::Error => test.errors += 1,
        }
        test.assertions.push(assertion);
    }

    fn print(&self, text: &str) {
        if let Some((test, _)) = self.found.lock().open.last_mut() {
            test.output.push_str(text);
        }
        self.host.print(text);
    }
}

fn assertion(kind: Kind, event: &Value, contexts: &Value) -> Result<Assertion> {
    let get = |name: &str| seq::get(event, &Value::keyword(name)).unwrap_or_default();
    let text = |value: Value| (!value.is_nil()).then(|| value.to_text());
    let mut contexts: Vec<String> = seq::iter(contexts)
        .map(|context| Ok(context?.to_text()))
        .collect::<Result<_>>()?;
    contexts.reverse();
    let actual = get("actual");
    let actual = match actual.downcast::<crate::Exception>() {
        Some(_) => crate::Thrown::from_value(actual).to_string(),
        None => actual.to_readable(),
    };
    Ok(Assertion {
        kind,
        message: text(get("message")),
        contexts,
        expected: get("expected").to_readable(),
        actual,
        file: text(get("file")),
        line: get("line")
            .as_i64()
            .and_then(|line| u32::try_from(line).ok()),
    })
}

impl Object for Collector {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.io.PrintWriter"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(class, "java.io.Writer" | "java.io.Closeable")
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("write" | "append" | "print", [text]) => self.print(&text.to_text()),
            ("println", [text]) => self.print(&format!("{}\n", text.to_text())),
            ("newLine" | "println", []) => self.print("\n"),
            ("flush" | "close", []) => {}
            _ => return None,
        }
        Some(Ok(Value::Nil))
    }
}
