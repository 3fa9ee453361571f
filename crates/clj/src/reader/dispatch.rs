//! What begins with `#`.

use std::sync::Arc;

use super::{Item, Reader, list_at, reader_error, tagged};
use crate::{Keyword, Map, Result, Span, Symbol, Value};

/// The parameters that a `#()` has used so far.
#[derive(Default)]
pub(super) struct Parameters {
    /// By number from 1; a gap is a parameter nobody looks at.
    numbered: Vec<Option<Symbol>>,
    rest: Option<Symbol>,
}

/// Highest `%n` of a `#()`, as Clojure has it.
const PARAMETERS_MAX: usize = 20;

impl Reader<'_> {
    pub(super) fn dispatch(&mut self, span: Span) -> Result<Item> {
        self.advance(1);
        let Some(char) = self.peek() else {
            return Err(reader_error("EOF while reading", span));
        };
        Ok(match char {
            '(' => Item::Form(self.lambda(span)?),
            '{' => {
                self.advance(1);
                let items = self.until("#{", '}', span.clone())?;
                Item::Form(self.set_of(items, span)?)
            }
            '"' => {
                let text = self.regex_text()?;
                Item::Form(tagged::regex(&self.cx, &text).map_err(|thrown| thrown.at(span, None))?)
            }
            '\'' => Item::Form(self.wrapped("var", span)?),
            '^' => {
                self.advance(1);
                Item::Form(self.with_meta(span)?)
            }
            '_' => {
                self.advance(1);
                self.form()?;
                Item::Nothing
            }
            '!' => {
                self.skip_line();
                Item::Nothing
            }
            '#' => {
                self.advance(1);
                Item::Form(self.symbolic(span)?)
            }
            '?' => {
                self.advance(1);
                self.conditional(span)?
            }
            ':' => Item::Form(self.namespaced_map(span)?),
            '<' => return Err(reader_error("Unreadable form", span)),
            '=' => {
                return Err(reader_error(
                    "Evaluation while reading (#=) is not supported",
                    span,
                ));
            }
            _ => Item::Form(self.tagged(span)?),
        })
    }

    fn lambda(&mut self, span: Span) -> Result {
        if self.lambda.is_some() {
            return Err(reader_error("Nested #()s are not allowed", span)
                .with_hint("write the inner one as (fn [x] …)"));
        }
        self.lambda = Some(Parameters::default());
        let body = self.list(span.clone())?;
        let used = self.lambda.take().unwrap_or_default();
        let mut parameters = Vec::new();
        for symbol in used.numbered {
            parameters.push(Value::Symbol(
                symbol.unwrap_or_else(|| self.cx.rt.gensym("p__")),
            ));
        }
        if let Some(rest) = used.rest {
            parameters.extend([Value::symbol("&"), Value::Symbol(rest)]);
        }
        let head = Value::Symbol(Symbol::new(None, "fn*").with_span(span.clone()));
        Ok(list_at(vec![head, Value::vector(parameters), body], span))
    }

    /// `%`, `%2`, `%&` inside a `#()`.
    pub(super) fn parameter(&mut self, word: &str, span: Span) -> Result {
        let fresh = self.cx.rt.gensym("p__");
        let parameters = self.lambda.get_or_insert_default();
        let slot = match &word[1..] {
            "&" => &mut parameters.rest,
            number => {
                let index = if number.is_empty() {
                    Some(1)
                } else {
                    number.parse().ok()
                };
                let Some(index @ 1..=PARAMETERS_MAX) = index else {
                    return Err(reader_error("arg literal must be %, %& or %integer", span));
                };
                if parameters.numbered.len() < index {
                    parameters.numbered.resize(index, None);
                }
                &mut parameters.numbered[index - 1]
            }
        };
        Ok(Value::Symbol(slot.get_or_insert(fresh).with_span(span)))
    }

    /// `##Inf`, `##-Inf`, `##NaN`.
    fn symbolic(&mut self, span: Span) -> Result {
        Ok(Value::Double(match self.word() {
            "Inf" => f64::INFINITY,
            "-Inf" => f64::NEG_INFINITY,
            "NaN" => f64::NAN,
            word => {
                let message = format!("Invalid token: ##{word}");
                return Err(reader_error(message, span));
            }
        }))
    }

    /// `#?(:clj a :default b)`, and `#?@` which splices.
    fn conditional(&mut self, span: Span) -> Result<Item> {
        let splice = self.peek() == Some('@');
        if splice {
            self.advance(1);
        }
        self.skip_blank();
        if self.peek() != Some('(') {
            return Err(reader_error("read-cond body must be a list", span));
        }
        self.advance(1);
        let clauses = self.until("#?(", ')', span.clone())?;
        if clauses.len() % 2 == 1 {
            return Err(reader_error(
                "read-cond requires an even number of forms",
                span,
            ));
        }
        let chosen = clauses.chunks_exact(2).find(|clause| {
            clause[0] == Value::keyword("clj") || clause[0] == Value::keyword("default")
        });
        Ok(match chosen {
            None => Item::Nothing,
            Some(clause) if splice => Item::Splice(crate::seq::to_vec(&clause[1])?),
            Some(clause) => Item::Form(clause[1].clone()),
        })
    }

    /// `#:a{:b 1}` as `{:a/b 1}`, and `#::{…}`, `#::alias{…}`.
    fn namespaced_map(&mut self, span: Span) -> Result {
        let word = self.word().to_owned();
        let namespace: Arc<str> = match word.strip_prefix("::") {
            Some("") => self.cx.rt.current_namespace().name.clone(),
            Some(alias) => {
                let aliases = self
                    .cx
                    .rt
                    .current_namespace()
                    .aliases
                    .read()
                    .get(alias)
                    .cloned();
                aliases.ok_or_else(|| {
                    reader_error(
                        format!("Unknown auto-resolved namespace alias: {alias}"),
                        span.clone(),
                    )
                })?
            }
            None => word[1..].into(),
        };
        self.skip_blank();
        if namespace.is_empty() || self.peek() != Some('{') {
            return Err(reader_error(
                "Namespaced map must specify a namespace and a map",
                span,
            ));
        }
        let Value::Map(map) = self.form()? else {
            return Err(reader_error("Namespaced map must specify a map", span));
        };
        let entries: Map = map
            .iter()
            .map(|(key, value)| (qualified(key, &namespace), value.clone()))
            .collect();
        Ok(Value::Map(entries))
    }

    /// `#inst "…"`, `#uuid "…"`, `#riemann.codec.Event{…}`, `#my.Record{…}`.
    fn tagged(&mut self, span: Span) -> Result {
        let tag = self.word().to_owned();
        if tag.is_empty() {
            let message = "Reader tag must be a symbol";
            return Err(reader_error(message, span));
        }
        let form = self.form()?;
        tagged::read(&self.cx, &tag, form).map_err(|thrown| thrown.at(span, None))
    }
}

/// The key in a namespace; `:_/x` stays without one.
fn qualified(key: &Value, namespace: &str) -> Value {
    let place = |own: Option<&str>| match own {
        None => Some(namespace.to_owned()),
        Some("_") => None,
        Some(own) => Some(own.to_owned()),
    };
    match key {
        Value::Keyword(keyword) => {
            let namespace = place(keyword.namespace());
            Value::Keyword(Keyword::new(namespace.as_deref(), keyword.name()))
        }
        Value::Symbol(symbol) => {
            let namespace = place(symbol.namespace());
            Value::Symbol(Symbol::new(namespace.as_deref(), symbol.name()))
        }
        _ => key.clone(),
    }
}
