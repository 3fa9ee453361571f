//! Names that `let` binds and nobody uses.

use super::Warning;
use crate::{Span, Value};

/// Names bound by the `let`s around the code that is looked at.
#[derive(Default)]
pub struct Names(Vec<Bound>);

struct Bound {
    name: String,
    span: Span,
    used: bool,
}

impl Names {
    /// Takes note of the names of a `let` as it was written; gives how many there were before, for
    /// [`Names::leave`], or nothing if the form is no `let`.
    pub fn enter(&mut self, items: &[Value]) -> Option<usize> {
        let [Value::Symbol(head), Value::Vector(bindings), ..] = items else {
            return None;
        };
        if head.namespace().is_some() || head.name() != "let" || bindings.len() % 2 == 1 {
            return None;
        }
        let from = self.0.len();
        for pattern in bindings.iter().step_by(2) {
            self.bind(pattern);
        }
        Some(from)
    }

    fn bind(&mut self, pattern: &Value) {
        match pattern {
            Value::Symbol(symbol) => {
                let name = symbol.name();
                let meant = !name.starts_with('_') && name != "&";
                if let (true, Some(span)) = (meant, symbol.span()) {
                    self.0.push(Bound {
                        name: name.to_owned(),
                        span: span.clone(),
                        used: false,
                    });
                }
            }
            Value::Vector(items) => items.iter().for_each(|item| self.bind(item)),
            Value::Map(map) => {
                for (key, value) in map.iter() {
                    match key {
                        Value::Keyword(group) if group.name() == "as" => self.bind(value),
                        Value::Keyword(group) if group.name() == "or" => {}
                        Value::Keyword(_) => self.bind(value),
                        pattern => self.bind(pattern),
                    }
                }
            }
            _ => {}
        }
    }

    /// A name is used. Whichever `let` around it is meant, all count: better to miss one.
    pub fn used(&mut self, name: &str) {
        for bound in &mut self.0 {
            bound.used |= bound.name == name;
        }
    }

    /// The `let` ends; what of it was not used.
    pub fn leave(&mut self, from: usize) -> Vec<Warning> {
        let ended = self.0.split_off(from.min(self.0.len()));
        ended
            .into_iter()
            .filter(|bound| !bound.used)
            .map(|bound| Warning {
                message: format!("{} is bound and never used", bound.name),
                hint: Some(format!("take it out, or call it _{}", bound.name)),
                span: bound.span,
            })
            .collect()
    }

    /// Something below could not be looked at, and may use any of them.
    pub fn forget(&mut self) {
        for bound in &mut self.0 {
            bound.used = true;
        }
    }
}
