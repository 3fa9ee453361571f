//! Syntax-quote: templates of forms.

use std::sync::Arc;

use super::{Reader, list_at};
use crate::compile::is_special;
use crate::{Map, Result, Span, Symbol, Value, form};

/// The symbols that `name#` stands for within one syntax-quote.
pub(super) type Gensyms = Vec<(Arc<str>, Symbol)>;

const UNQUOTE: &str = "clojure.core/unquote";
const SPLICE: &str = "clojure.core/unquote-splicing";

impl Reader<'_> {
    pub(super) fn syntax_quoted(&mut self) -> Result {
        self.gensyms.push(Vec::new());
        let template = self.form();
        let quoted = template.and_then(|template| self.quoted(&template));
        self.gensyms.pop();
        quoted
    }

    /// `~x` and `~@x`, as calls that the syntax-quote around them takes apart.
    pub(super) fn unquoted(&mut self, span: Span) -> Result {
        self.advance(1);
        let splice = self.peek() == Some('@');
        if splice {
            self.advance(1);
        }
        let suspended = self.gensyms.pop();
        let form = self.form();
        self.gensyms.extend(suspended);
        let head = Symbol::parse(if splice { SPLICE } else { UNQUOTE });
        Ok(list_at(vec![Value::Symbol(head), form?], span))
    }

    /// Code that builds the template. A part with nothing to fill in is quoted as a whole.
    fn quoted(&mut self, template: &Value) -> Result {
        match self.part(template)? {
            Part::Constant(value) => Ok(form::quote(value)),
            Part::Code(code) => Ok(code),
            Part::Splice(_) => Err(self.error("splice not in list")),
        }
    }

    fn part(&mut self, template: &Value) -> Result<Part> {
        Ok(match template {
            Value::Symbol(symbol) => Part::Constant(Value::Symbol(self.resolved(symbol))),
            Value::List(list) => {
                let items = list.as_slice().unwrap_or_default();
                if let [Value::Symbol(head), inner] = items
                    && head.namespace() == Some("clojure.core")
                {
                    match head.name() {
                        "unquote" => return Ok(Part::Code(inner.clone())),
                        "unquote-splicing" => return Ok(Part::Splice(inner.clone())),
                        _ => {}
                    }
                }
                let parts = self.parts(items)?;
                self.collected(parts, "list", Value::list, None)
            }
            Value::Vector(vector) => {
                let items: Vec<Value> = vector.iter().cloned().collect();
                let parts = self.parts(&items)?;
                let meta = vector.meta().cloned();
                self.collected(parts, "vector", Value::vector, meta)
            }
            Value::Set(set) => {
                let items: Vec<Value> = set.iter().cloned().collect();
                let parts = self.parts(&items)?;
                let constant = |items: Vec<Value>| Value::Set(items.into_iter().collect());
                self.collected(parts, "hash-set", constant, None)
            }
            Value::Map(map) => {
                let items: Vec<Value> = map
                    .iter()
                    .flat_map(|(key, value)| [key.clone(), value.clone()])
                    .collect();
                let parts = self.parts(&items)?;
                self.collected(parts, "hash-map", pairs, None)
            }
            _ => Part::Constant(template.clone()),
        })
    }

    fn parts(&mut self, items: &[Value]) -> Result<Vec<Part>> {
        items.iter().map(|item| self.part(item)).collect()
    }

    fn collected(
        &mut self,
        parts: Vec<Part>,
        builder: &str,
        constant: fn(Vec<Value>) -> Value,
        meta: Option<Map>,
    ) -> Part {
        if parts.iter().all(|part| matches!(part, Part::Constant(_))) {
            let built = constant(parts.into_iter().map(Part::into_form).collect());
            return Part::Constant(match (built, meta) {
                (Value::Vector(vector), Some(meta)) => Value::Vector(vector.with_meta(Some(meta))),
                (built, _) => built,
            });
        }
        if !parts.iter().any(|part| matches!(part, Part::Splice(_))) {
            let arguments = parts.into_iter().map(Part::into_code);
            return Part::Code(form::call(builder, arguments));
        }
        let mut pieces: Vec<Value> = Vec::new();
        let mut run: Vec<Value> = Vec::new();
        for part in parts {
            match part {
                Part::Splice(code) => {
                    if !run.is_empty() {
                        pieces.push(form::call("list", run.drain(..)));
                    }
                    pieces.push(code);
                }
                part => run.push(part.into_code()),
            }
        }
        if !run.is_empty() {
            pieces.push(form::call("list", run));
        }
        let joined = form::call("concat", pieces);
        Part::Code(match builder {
            "list" => form::call("seq", [joined]),
            "vector" => form::call("vec", [joined]),
            _ => form::call("apply", [Value::Symbol(form::core(builder)), joined]),
        })
    }

    /// The symbol as syntax-quote writes it: `name#` made unique, others with their namespace.
    fn resolved(&mut self, symbol: &Symbol) -> Symbol {
        let name = symbol.name();
        if symbol.namespace().is_none()
            && let Some(stem) = name.strip_suffix('#')
        {
            return self.auto_gensym(stem);
        }
        let plain = match symbol.namespace() {
            None if is_special(name) => Symbol::new(None, name),
            None => self.cx.rt.qualify(name),
            Some(namespace) => {
                let current = self.cx.rt.current_namespace();
                let alias = current.aliases.read().get(namespace).cloned();
                let class = current.imports.read().get(namespace).cloned();
                let full = alias.or(class);
                Symbol::new(Some(full.as_deref().unwrap_or(namespace)), name)
            }
        };
        match symbol.meta() {
            Some(meta) => plain.with_meta(Some(meta.clone())),
            None => plain,
        }
    }

    fn auto_gensym(&mut self, stem: &str) -> Symbol {
        let known = self
            .gensyms
            .last()
            .and_then(|names| names.iter().find(|(n, _)| **n == *stem));
        if let Some((_, symbol)) = known {
            return symbol.clone();
        }
        let fresh = self.cx.rt.gensym(&format!("{stem}__"));
        let fresh = Symbol::new(None, &format!("{}__auto__", fresh.name()));
        if let Some(names) = self.gensyms.last_mut() {
            names.push((stem.into(), fresh.clone()));
        }
        fresh
    }
}

/// One part of a template.
enum Part {
    Constant(Value),
    Code(Value),
    /// Code whose elements take this place.
    Splice(Value),
}

impl Part {
    fn into_code(self) -> Value {
        match self {
            Part::Constant(value) => form::quote(value),
            Part::Code(code) | Part::Splice(code) => code,
        }
    }

    fn into_form(self) -> Value {
        match self {
            Part::Constant(value) | Part::Code(value) | Part::Splice(value) => value,
        }
    }
}

fn pairs(items: Vec<Value>) -> Value {
    let mut items = items.into_iter();
    let mut map = Map::default();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        map.insert(key, value);
    }
    Value::Map(map)
}
