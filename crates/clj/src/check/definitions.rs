//! Definitions that nothing uses.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Warning;
use crate::{Span, Symbol, Value, form};

/// What all forms of a configuration define, and which names stand in them.
#[derive(Default)]
pub struct Definitions {
    made: Vec<(String, Span)>,
    /// How often each name stands anywhere.
    named: HashMap<String, usize>,
    /// Files that are namespaces of their own: who else uses them is not known.
    libraries: HashSet<Arc<str>>,
}

impl Definitions {
    /// Takes note of a top-level form.
    pub fn see(&mut self, form: &Value) {
        self.count(form);
        self.define(form);
    }

    fn define(&mut self, form: &Value) {
        let Some(items) = form::items(form) else {
            return;
        };
        let Some(Value::Symbol(head)) = items.first() else {
            return;
        };
        match (head.name(), items.get(1)) {
            ("def" | "defn" | "defn-" | "defmacro" | "defonce", Some(Value::Symbol(name))) => {
                let is_value = matches!(head.name(), "def" | "defonce");
                if let Some(span) = name.span()
                    && !(is_value && items.last().is_some_and(acts))
                {
                    self.made.push((name.name().to_owned(), span.clone()));
                }
            }
            ("ns" | "in-ns", _) => self.library(head),
            ("do", _) => items[1..].iter().for_each(|item| self.define(item)),
            ("let", _) => items.iter().skip(2).for_each(|item| self.define(item)),
            _ => {}
        }
    }

    fn library(&mut self, head: &Symbol) {
        if let Some(span) = head.span() {
            self.libraries.insert(span.file.clone());
        }
    }

    fn count(&mut self, form: &Value) {
        match form {
            Value::Symbol(symbol) => {
                *self.named.entry(symbol.name().to_owned()).or_default() += 1;
            }
            Value::Vector(items) => items.iter().for_each(|item| self.count(item)),
            Value::Map(map) => {
                for (key, value) in map.iter() {
                    self.count(key);
                    self.count(value);
                }
            }
            Value::Set(set) => set.iter().for_each(|item| self.count(item)),
            Value::List(_) => form::items(form)
                .into_iter()
                .flatten()
                .for_each(|item| self.count(&item)),
            _ => {}
        }
    }

    /// Warnings of those that stand nowhere but where they are defined.
    pub fn unused(&self) -> Vec<Warning> {
        let unused = self.made.iter().filter(|(name, span)| {
            self.named.get(name) == Some(&1)
                && !name.starts_with(['_', '-'])
                && !self.libraries.contains(&span.file)
        });
        unused
            .map(|(name, span)| Warning {
                span: span.clone(),
                message: format!("{name} is defined and never used"),
                hint: None,
            })
            .collect()
    }
}

/// True for a call that is made for what it does, as its name says: `every!`.
fn acts(value: &Value) -> bool {
    let head = form::items(value).and_then(|items| items.first().cloned());
    matches!(head, Some(Value::Symbol(head)) if head.name().ends_with('!'))
}
