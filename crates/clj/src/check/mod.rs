//! Finding everything that is wrong with a source, and what is odd about it.
//!
//! A form that fails is looked through for all its errors ([`examine`]); the forms after it are
//! evaluated as if it had been right, without the errors that only follow from it (`aftermath`).

mod aftermath;
mod calls;
mod definitions;
pub mod examine;
mod names;

use std::sync::Arc;
use std::thread::{self, ThreadId};

use parking_lot::Mutex;

use crate::reader::Reader;
use crate::{Cx, Runtime, Span, Thrown, Value, Var, compile, dynamic, load};
use aftermath::Aftermath;
pub use calls::Remark;
use definitions::Definitions;

/// What is odd about a source that works.
#[derive(Clone, Debug)]
pub struct Warning {
    pub span: Span,
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// What to look for.
#[derive(Clone, Copy)]
pub struct Checks {
    /// Also what is certain to go wrong once code runs, and warnings.
    pub strict: bool,
    /// Notices what the language knows nothing of about the call of a var, as it was written.
    pub review: fn(&Var, &[Value]) -> Vec<Remark>,
    /// True for functions of which one that throws need not keep the others from being called.
    pub is_builder: fn(&Var) -> bool,
}

impl Default for Checks {
    fn default() -> Checks {
        Checks {
            strict: false,
            review: |_, _| Vec::new(),
            is_builder: |_| false,
        }
    }
}

/// The checking of one configuration with all its files; attached to the runtime.
pub struct Checker {
    checks: Checks,
    /// The thread that checks, while one does.
    thread: Mutex<Option<ThreadId>>,
    notes: Mutex<Notes>,
}

#[derive(Default)]
struct Notes {
    warnings: Vec<Warning>,
    aftermath: Aftermath,
    definitions: Definitions,
}

impl Default for Checker {
    fn default() -> Checker {
        Checker::new(Checks::default())
    }
}

impl Checker {
    pub fn new(checks: Checks) -> Checker {
        Checker {
            checks,
            thread: Mutex::default(),
            notes: Mutex::default(),
        }
    }

    /// What has been odd, in the order of the sources; empty unless checks are strict. Only a
    /// source that `works` as a whole tells which definitions nobody uses.
    pub fn warnings(&self, works: bool) -> Vec<Warning> {
        let notes = self.notes.lock();
        let mut all = notes.warnings.clone();
        if self.checks.strict && works {
            all.extend(notes.definitions.unused());
        }
        all.sort_by_key(|it| (it.span.file.clone(), it.span.line, it.span.column));
        all.dedup_by(|a, b| a.span == b.span && a.message == b.message);
        all
    }

    fn is_at_work(&self) -> bool {
        *self.thread.lock() == Some(thread::current().id())
    }
}

impl Runtime {
    /// As [`Runtime::eval_source`], but goes on after an error, within a form and with the next,
    /// and gives all errors found, at most `errors_max`. What a [`Checker`] that is attached says
    /// is looked for.
    pub fn check_source(
        &self,
        cx: &Cx<'_>,
        file: &str,
        text: &str,
        errors_max: usize,
    ) -> Vec<Thrown> {
        let namespace = self.ns_var.get().unwrap_or_default();
        let vars = vec![
            (self.ns_var.clone(), namespace),
            (self.file_var.clone(), Value::str(file)),
        ];
        let own = Checker::default();
        let checker = self.extension::<Checker>().unwrap_or(&own);
        let before = checker.thread.lock().replace(thread::current().id());
        let mut errors = dynamic::with(vars, || check_text(cx, checker, file, text, errors_max));
        *checker.thread.lock() = before;
        errors.truncate(errors_max);
        errors
    }

    /// As [`Runtime::eval_source`]; while a source is checked, all errors of this one together.
    pub(crate) fn eval_included(&self, cx: &Cx<'_>, file: &str, text: &str) -> crate::Result {
        match self.extension::<Checker>() {
            Some(checker) if checker.is_at_work() => {
                let errors = self.check_source(cx, file, text, usize::MAX);
                Thrown::together(errors).map_or(Ok(Value::Nil), Err)
            }
            _ => self.eval_source(cx, file, text),
        }
    }
}

fn check_text(
    cx: &Cx<'_>,
    checker: &Checker,
    file: &str,
    text: &str,
    errors_max: usize,
) -> Vec<Thrown> {
    let file: Arc<str> = load::remember(cx.rt, file, text);
    let mut reader = Reader::new(cx, file.clone(), text).passing_over_errors();
    let mut errors: Vec<Thrown> = Vec::new();
    while errors.len() < errors_max {
        let read = reader.read();
        let unread = reader.take_errors();
        let form = match read {
            Ok(None) => {
                errors.extend(unread);
                break;
            }
            Ok(Some(form)) => form,
            Err(thrown) => {
                errors.extend(unread);
                checker.notes.lock().aftermath.text(reader.since_top());
                errors.push(thrown);
                reader.recover();
                continue;
            }
        };
        let place = Span {
            file: file.clone(),
            line: 1,
            column: 1,
        };
        errors.extend(check_form(cx, checker, &form, place, unread));
    }
    errors
}

/// What is wrong with a top-level form, of which `unread` could not be read.
fn check_form(
    cx: &Cx<'_>,
    checker: &Checker,
    form: &Value,
    place: Span,
    unread: Vec<Thrown>,
) -> Vec<Thrown> {
    checker.notes.lock().definitions.see(form);
    let place = match form {
        Value::List(list) => list.span.clone().unwrap_or(place),
        _ => place,
    };
    let errors = if unread.is_empty() {
        evaluated(cx, checker, form, &place)
    } else {
        let (found, _) = examine::look(cx, checker.checks, form, &place);
        unread.into_iter().chain(found).collect()
    };
    let told = |thrown| calls::explained(cx, checker.checks, form, thrown);
    let all = errors.into_iter().flat_map(Thrown::each);
    let mut errors: Vec<Thrown> = all.map(told).collect();
    let mut seen: Vec<(Option<Span>, String)> = Vec::new();
    errors.retain(|thrown| {
        let place = thrown.trace().first().map(|frame| frame.span.clone());
        let error = (place, crate::diagnostics::diagnose(thrown).message);
        let new = !seen.contains(&error);
        seen.push(error);
        new
    });
    let mut notes = checker.notes.lock();
    if !errors.is_empty() {
        errors.retain(|thrown| !notes.aftermath.explains(thrown));
        notes.aftermath.form(form);
    }
    errors
}

/// Evaluates a form, as [`compile::eval`] does.
fn evaluated(cx: &Cx<'_>, checker: &Checker, form: &Value, place: &Span) -> Vec<Thrown> {
    if checker.checks.strict {
        return examined_and_run(cx, checker, form, place);
    }
    if cannot_run(checker, form) {
        return examine::look(cx, checker.checks, form, place).0;
    }
    match compile::eval(cx, form) {
        Ok(_) => Vec::new(),
        Err(thrown) => failed(cx, checker, form, place, thrown),
    }
}

/// True if what a form needs has failed; then what it would define will be missing, too.
fn cannot_run(checker: &Checker, form: &Value) -> bool {
    let mut notes = checker.notes.lock();
    let touches = notes.aftermath.touches(form);
    if touches {
        notes.aftermath.form(form);
    }
    touches
}

/// Looks at a form before it runs; each form of a top-level `do` by itself, since what one defines
/// the next may use. Macros such as `defrecord` come down to a `do`, too.
fn examined_and_run(cx: &Cx<'_>, checker: &Checker, form: &Value, place: &Span) -> Vec<Thrown> {
    if let Some(items) = compile::top_forms(cx, form) {
        let each = items.iter();
        return each
            .flat_map(|item| examined_and_run(cx, checker, item, place))
            .collect();
    }
    let (errors, warnings) = examine::look(cx, checker.checks, form, place);
    checker.notes.lock().warnings.extend(warnings);
    if !errors.is_empty() || cannot_run(checker, form) {
        return errors;
    }
    match compile::eval(cx, form) {
        Ok(_) => Vec::new(),
        Err(thrown) => failed(cx, checker, form, place, thrown),
    }
}

/// All errors of a form that has thrown.
fn failed(
    cx: &Cx<'_>,
    checker: &Checker,
    form: &Value,
    place: &Span,
    thrown: Thrown,
) -> Vec<Thrown> {
    let plain = Checks {
        strict: false,
        ..checker.checks
    };
    let (found, _) = examine::look(cx, plain, form, place);
    if !found.is_empty() {
        return found;
    }
    if !thrown.others().is_empty() {
        return vec![thrown];
    }
    let again = examine::run(cx, checker.checks, form, place);
    if again.is_empty() {
        vec![thrown]
    } else {
        again
    }
}
