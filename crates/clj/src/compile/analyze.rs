//! Forms to expressions.

use std::sync::Arc;

use super::closure::Closure;
use super::expr::{Expr, Head};
use super::names::Resolved;
use super::scope::Scope;
use super::{is_special, special};
use crate::check::examine::{self, Examination};
use crate::{Cx, Map, Namespace, Result, Span, Symbol, Thrown, Value, Var, deep, form};

/// Lists within lists that are compiled: what runs them must fit in the stack that every call
/// leaves free.
const DEPTH_MAX: usize = 500;

/// The analysis of one top-level form.
pub struct Analyzer<'a> {
    pub cx: Cx<'a>,
    pub namespace: Arc<Namespace>,
    pub scope: Scope,
    /// Where the form being analysed is, as far as known.
    pub span: Span,
    /// What the `def` around a function calls it.
    pub name_hint: Option<String>,
    /// Set while everything that is wrong is looked for, and not the first thing only.
    pub examination: Option<Box<Examination>>,
    depth: usize,
}

impl<'a> Analyzer<'a> {
    pub fn new(cx: &Cx<'a>) -> Analyzer<'a> {
        let file = match cx.rt.file_var.get() {
            Some(Value::Str(file)) => file,
            _ => "NO_SOURCE_PATH".into(),
        };
        Analyzer {
            cx: *cx,
            namespace: cx.rt.current_namespace(),
            scope: Scope::new("eval".into()),
            span: Span {
                file,
                line: 1,
                column: 1,
            },
            name_hint: None,
            examination: None,
            depth: 0,
        }
    }

    /// The expression of a form. `tail`: its value is what the function or loop around gives.
    pub fn expr(&mut self, form: &Value, tail: bool) -> Result<Expr> {
        if self.examination.is_some() {
            return examine::expr(self, form, tail);
        }
        self.expr_here(form, tail)
    }

    /// As [`Analyzer::expr`], without examining the form itself.
    pub fn expr_here(&mut self, form: &Value, tail: bool) -> Result<Expr> {
        match form {
            Value::Symbol(symbol) => self.symbol(symbol),
            Value::List(_) | Value::Lazy(_) => self.list(form, tail),
            Value::Vector(vector) => {
                let items: Vec<Value> = vector.iter().cloned().collect();
                let items = self.all(&items)?;
                let made = match constants(&items) {
                    Some(items) => Expr::Constant(Value::vector(items)),
                    None => Expr::Vector(items),
                };
                Ok(with_meta(made, vector.meta()))
            }
            Value::Map(map) => self.map(map),
            Value::Set(set) => {
                let items: Vec<Value> = set.iter().cloned().collect();
                let items = self.all(&items)?;
                let made = match constants(&items) {
                    Some(items) => Expr::Constant(Value::Set(items.into_iter().collect())),
                    None => Expr::Set(items),
                };
                Ok(with_meta(made, set.meta()))
            }
            _ => Ok(Expr::Constant(form.clone())),
        }
    }

    pub fn all(&mut self, forms: &[Value]) -> Result<Vec<Expr>> {
        forms.iter().map(|form| self.expr(form, false)).collect()
    }

    /// Forms of which the last gives the value.
    pub fn body(&mut self, forms: &[Value], tail: bool) -> Result<Expr> {
        let Some((last, first)) = forms.split_last() else {
            return Ok(Expr::Constant(Value::Nil));
        };
        let mut exprs = self.all(first)?;
        let last = self.expr(last, tail)?;
        if exprs.is_empty() {
            return Ok(last);
        }
        exprs.push(last);
        Ok(Expr::Do(exprs))
    }

    fn map(&mut self, map: &Map) -> Result<Expr> {
        let mut entries = Vec::with_capacity(map.len());
        for (key, value) in map.iter() {
            entries.push((self.expr(key, false)?, self.expr(value, false)?));
        }
        let constant = |(key, value): &(Expr, Expr)| match (key, value) {
            (Expr::Constant(key), Expr::Constant(value)) => Some((key.clone(), value.clone())),
            _ => None,
        };
        let made = match entries.iter().map(constant).collect::<Option<Map>>() {
            Some(constant) => Expr::Constant(Value::Map(constant)),
            None => Expr::Map(entries),
        };
        Ok(with_meta(made, map.meta()))
    }

    fn symbol(&mut self, symbol: &Symbol) -> Result<Expr> {
        if let Some(place) = self.scope.find(symbol) {
            return Ok(Expr::Local(place));
        }
        let span = self.span_of(symbol);
        match self.resolve(symbol)? {
            Resolved::Var(var) if var.is_macro() => {
                let message = format!(
                    "Can't take value of a macro: #'{}/{}",
                    var.namespace, var.name
                );
                Err(Thrown::runtime(message).at(span, None))
            }
            Resolved::Var(var) => Ok(Expr::Var(var, span)),
            Resolved::Class(class) => Ok(Expr::Constant(crate::java::Class::value(&class))),
            Resolved::Static(class, member) => Ok(Expr::StaticField(class, member, span)),
        }
    }

    fn list(&mut self, form: &Value, tail: bool) -> Result<Expr> {
        if self.depth == DEPTH_MAX {
            return Err(self.error("Forms are nested too deeply to be compiled"));
        }
        let outer = self.enter(form);
        self.depth += 1;
        let result = deep::with_stack(|| self.list_here(form, tail));
        self.depth -= 1;
        if result.is_ok() {
            self.span = outer;
        }
        result
    }

    fn list_here(&mut self, form: &Value, tail: bool) -> Result<Expr> {
        let mut expanded = form.clone();
        while let Some(next) = self.expand(&expanded)? {
            self.enter(&next);
            expanded = next;
        }
        let form = &expanded;
        if !matches!(form, Value::List(_) | Value::Lazy(_)) {
            return self.expr(form, tail);
        }
        let items = crate::seq::to_vec(form)?;
        let Some(head) = items.first() else {
            return Ok(Expr::Constant(form.clone()));
        };
        let span = self.span.clone();
        if let Value::Symbol(symbol) = head
            && self.scope.find(symbol).is_none()
        {
            if symbol.namespace().is_none() && is_special(symbol.name()) {
                return special::analyze(self, symbol.name(), &items, form, tail);
            }
            if let Resolved::Static(class, member) = self.resolve(symbol)? {
                let args = self.all(&items[1..])?;
                return Ok(Expr::StaticCall(class, member, args, span));
            }
        }
        let double = match head {
            Value::Symbol(symbol) if self.scope.find(symbol).is_none() => {
                super::floating::division(self, symbol, &items[1..])
            }
            _ => None,
        };
        let function = self.expr(double.as_ref().unwrap_or(head), false)?;
        if let Expr::Constant(Value::Nil) = function {
            return Err(Thrown::illegal_argument("Can't call nil").at(span, None));
        }
        let args = self.all(&items[1..])?;
        let text = head_text(head, &function);
        Ok(Expr::Call(Box::new(function), args, Head { span, text }))
    }

    /// Makes the place of a form the current one; gives the one before.
    pub fn enter(&mut self, form: &Value) -> Span {
        let outer = self.span.clone();
        match form {
            Value::List(list) => self.span = list.span.clone().unwrap_or_else(|| outer.clone()),
            Value::Symbol(symbol) => self.span = self.span_of(symbol),
            _ => {}
        }
        outer
    }

    pub fn span_of(&self, symbol: &Symbol) -> Span {
        symbol.span().cloned().unwrap_or_else(|| self.span.clone())
    }

    pub fn error(&self, message: impl Into<String>) -> Thrown {
        Thrown::runtime(message).at(self.span.clone(), None)
    }

    /// The form after one step of expansion; `None` if it is no macro call.
    pub fn expand(&mut self, form: &Value) -> Result<Option<Value>> {
        let Value::List(list) = form else {
            return Ok(None);
        };
        let Some(Value::Symbol(head)) = list.first() else {
            return Ok(None);
        };
        let head = head.clone();
        if self.scope.find(&head).is_some() || head.namespace().is_none() && is_special(head.name())
        {
            return Ok(None);
        }
        if let Some(rewritten) = super::interop::rewrite(&head, form)? {
            return Ok(Some(rewritten));
        }
        let Some(var) = self.macro_var(&head)? else {
            return Ok(None);
        };
        self.enter(form);
        self.call_macro(&var, form).map(Some)
    }

    fn macro_var(&mut self, head: &Symbol) -> Result<Option<Arc<Var>>> {
        Ok(match self.lookup(head) {
            Some(var) if var.is_macro() => {
                self.check_access(&var, head)?;
                Some(var)
            }
            _ => None,
        })
    }

    fn call_macro(&mut self, var: &Var, form: &Value) -> Result {
        let function = var.root().unwrap_or_default();
        let wants_environment = match &function {
            Value::Fn(callable) => {
                callable.as_any().is::<Closure>() || *var.namespace != *"clojure.core"
            }
            _ => true,
        };
        let environment = if wants_environment {
            self.scope.environment()
        } else {
            Value::Nil
        };
        let mut args = vec![form.clone(), environment];
        args.extend(form::items(form).into_iter().flatten().skip(1));
        self.cx
            .call(&function, &args)
            .map_err(|thrown| self.macro_error(thrown, var, args.len()))
    }

    /// A macro's own exception, at the place of its call. Its number of arguments is told without
    /// the two that nobody wrote.
    fn macro_error(&self, thrown: Thrown, var: &Var, args: usize) -> Thrown {
        let name = format!("{}/{}", var.namespace, var.name);
        let own_arity = thrown.class() == "clojure.lang.ArityException"
            && thrown
                .message()
                .is_some_and(|message| message.contains(&format!("({args})")));
        if own_arity {
            return Thrown::arity(args.saturating_sub(2), &name).at(self.span.clone(), None);
        }
        if thrown.class() == "clojure.lang.Compiler$CompilerException" {
            return thrown.at(self.span.clone(), None);
        }
        let Span { file, line, column } = &self.span;
        let message = format!("Syntax error macroexpanding {name} at ({file}:{line}:{column}).");
        thrown
            .first_at(self.span.clone())
            .wrapped("clojure.lang.Compiler$CompilerException", message)
    }
}

/// The form after one step of macro expansion, or as it is.
///
/// # Errors
/// What the macro throws.
pub fn macroexpand_1(cx: &Cx<'_>, form: &Value) -> Result {
    let expanded = Analyzer::new(cx).expand(form)?;
    Ok(expanded.unwrap_or_else(|| form.clone()))
}

/// Longest text of a head that errors repeat, in bytes.
const HEAD_TEXT_MAX: usize = 60;

/// The head of a call as it was written, unless it is long or always a function.
fn head_text(head: &Value, function: &Expr) -> Arc<str> {
    match (head, function) {
        (_, Expr::Var(..) | Expr::Constant(Value::Keyword(_)) | Expr::Fn(_)) => "".into(),
        (Value::Symbol(_) | Value::List(_), _) => {
            let text = head.to_readable();
            if text.len() > HEAD_TEXT_MAX {
                "".into()
            } else {
                text.into()
            }
        }
        _ => "".into(),
    }
}

fn constants(exprs: &[Expr]) -> Option<Vec<Value>> {
    let constant = |expr: &Expr| match expr {
        Expr::Constant(value) => Some(value.clone()),
        _ => None,
    };
    exprs.iter().map(constant).collect()
}

fn with_meta(expr: Expr, meta: Option<&Map>) -> Expr {
    match meta {
        Some(meta) => Expr::WithMeta(Box::new(expr), meta.clone()),
        None => expr,
    }
}
