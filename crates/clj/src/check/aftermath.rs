//! Errors that only follow from earlier ones.

use std::collections::HashSet;

use crate::{Thrown, Value, diagnostics, form};

/// What failed forms would have made known.
#[derive(Default)]
pub struct Aftermath {
    /// Names of definitions, namespaces and aliases, and names referred to.
    names: HashSet<String>,
    /// Something that may have defined any name has failed.
    anything: bool,
}

/// Forms that make names of elsewhere known.
const BRINGERS: &[&str] = &[
    "ns",
    "require",
    "use",
    "import",
    "refer",
    "include",
    "load-file",
    "load-plugin",
];

impl Aftermath {
    /// A form has failed.
    pub fn form(&mut self, form: &Value) {
        let Some(items) = form::items(form) else {
            return;
        };
        if let Some(Value::Symbol(head)) = items.first() {
            if head.name().starts_with("def")
                && let Some(Value::Symbol(name)) = items.get(1)
            {
                self.names.insert(name.name().to_owned());
            }
            if BRINGERS.contains(&head.name()) {
                self.anything |= matches!(head.name(), "use" | "include" | "load-file");
                items[1..].iter().for_each(|item| self.all_of(item));
            }
        }
        items.iter().for_each(|item| self.form(item));
    }

    fn all_of(&mut self, form: &Value) {
        match form {
            Value::Symbol(symbol) => {
                self.names.insert(symbol.name().to_owned());
            }
            Value::Vector(items) => items.iter().for_each(|item| self.all_of(item)),
            Value::List(_) => form::items(form)
                .into_iter()
                .flatten()
                .for_each(|item| self.all_of(&item)),
            _ => {}
        }
    }

    /// A text could not be read.
    pub fn text(&mut self, text: &str) {
        for after in text.split("(def").skip(1) {
            let mut words = after.split_whitespace();
            let name = words.by_ref().skip(1).find(|word| !word.starts_with('^'));
            self.names.extend(name.map(str::to_owned));
        }
    }

    /// True if an error would likely not be there but for what failed before.
    pub fn explains(&self, thrown: &Thrown) -> bool {
        let diagnostic = diagnostics::diagnose(thrown);
        let Some((kind, name)) = unknown(&diagnostic.message) else {
            return false;
        };
        self.names.contains(name)
            || self.anything && kind == Kind::Symbol && diagnostic.hint.is_none()
    }

    /// True if the form uses what a failed form should have defined: it cannot be run.
    pub fn touches(&self, form: &Value) -> bool {
        if self.names.is_empty() {
            return false;
        }
        match form {
            Value::Symbol(symbol) => {
                self.names.contains(symbol.name())
                    || symbol
                        .namespace()
                        .is_some_and(|namespace| self.names.contains(namespace))
            }
            Value::Vector(items) => items.iter().any(|item| self.touches(item)),
            Value::Map(map) => map
                .iter()
                .any(|(key, value)| self.touches(key) || self.touches(value)),
            Value::Set(set) => set.iter().any(|item| self.touches(item)),
            Value::List(_) => form::items(form)
                .into_iter()
                .flatten()
                .any(|item| self.touches(&item)),
            _ => false,
        }
    }
}

#[derive(PartialEq)]
enum Kind {
    Symbol,
    Other,
}

/// The name that an error says is not known.
fn unknown(message: &str) -> Option<(Kind, &str)> {
    if let Some(rest) = message.strip_prefix("Unable to resolve symbol: ") {
        return Some((Kind::Symbol, rest.strip_suffix(" in this context")?));
    }
    if let Some(name) = message.strip_prefix("No such namespace: ") {
        return Some((Kind::Other, name));
    }
    if let Some(rest) = message.strip_prefix("No such var: ") {
        return Some((Kind::Other, rest.split_once('/')?.0));
    }
    let var = message
        .strip_prefix("Attempting to call unbound fn: #'")
        .or_else(|| message.strip_prefix("Var ")?.strip_suffix(" is unbound."))?;
    Some((Kind::Other, var.split_once('/')?.1))
}
