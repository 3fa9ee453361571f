//! `riemann.query`: queries as lists of the language.

use std::any::Any;
use std::sync::Arc;

use clj::{Callable, Cx, Native, Result, Thrown, Value, seq};
use event::{Event, Fields};
use index::Index;
use query::{Ast, Comparison, Query, Term};

use crate::index_object::to_event;

pub const NATIVES: &[Native] = &[
    Native {
        name: "ast",
        arglists: "([query])",
        doc: "The tree of a query: lists of fields, values and what compares them.",
        arity: (1, Some(1)),
        code: |_, args| {
            let text = args[0].as_str().unwrap_or_default();
            Ok(ast_value(
                &query::parse(text).map_err(|error| unreadable(text, &error))?,
            ))
        },
    },
    Native {
        name: "-fun",
        arglists: "([ast])",
        doc: "A function that tells whether a query's tree matches an event.",
        arity: (1, Some(1)),
        code: |_, args| Ok(Value::Fn(Arc::new(QueryFn(compile(&args[0])?)))),
    },
];

/// A query that cannot be read, with its place in the query below.
fn unreadable(text: &str, error: &query::QueryError) -> Thrown {
    let shown = error.render(text);
    let place = shown.split_once('\n').map_or("", |(_, place)| place);
    syntax(&error.to_string()).with_hint(format!("in the query, here:\n{place}"))
}

fn syntax(message: &str) -> Thrown {
    Thrown::runtime(message.to_owned())
}

struct QueryFn(Query);

impl Callable for QueryFn {
    fn call(&self, _: &Cx<'_>, args: &[Value]) -> Result {
        let [event] = args else {
            return Err(Thrown::arity(args.len(), "query"));
        };
        Ok(Value::Bool(self.0.matches(&to_event(event)?)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Makes a query of its text, or of its tree as a list.
pub fn compile(value: &Value) -> Result<Query> {
    let ast = match value {
        Value::Str(text) => query::parse(text).map_err(|error| unreadable(text, &error))?,
        other => value_ast(other)?,
    };
    Query::compile(&ast).map_err(|error| syntax(&error.to_string()))
}

/// What the query matches in the index; one look-up where it names host and service.
pub fn search(index: &Index, query: &Query) -> Vec<Event> {
    match query.host_and_service() {
        Some(key) => index.lookup(key).into_iter().collect(),
        None => index.search(&|event: &dyn Fields| query.matches(event)),
    }
}

fn ast_value(ast: &Ast) -> Value {
    let list = |head: Value, rest: Vec<Value>| Value::list([vec![head], rest].concat());
    let symbol = Value::symbol;
    match ast {
        Ast::Term(term) => term_value(term),
        Ast::Equal(a, b) => list(symbol("="), vec![term_value(a), term_value(b)]),
        Ast::NotEqual(a, b) => {
            let equal = list(symbol("="), vec![term_value(a), term_value(b)]);
            list(symbol("not"), vec![equal])
        }
        Ast::Compare(sign, a, b) => list(symbol(sign.sign()), vec![term_value(a), term_value(b)]),
        Ast::Like(pattern, term) => list(
            Value::keyword("like"),
            vec![Value::str(pattern), term_value(term)],
        ),
        Ast::Regex(pattern, term) => list(
            Value::keyword("regex"),
            vec![Value::str(pattern), term_value(term)],
        ),
        Ast::Tagged(tag) => list(Value::keyword("tagged"), vec![Value::str(tag)]),
        Ast::Not(inner) => list(symbol("not"), vec![ast_value(inner)]),
        Ast::And(a, b) => list(symbol("and"), vec![ast_value(a), ast_value(b)]),
        Ast::Or(a, b) => list(symbol("or"), vec![ast_value(a), ast_value(b)]),
    }
}

fn term_value(term: &Term) -> Value {
    match term {
        Term::Nil => Value::Nil,
        Term::Bool(bool) => Value::Bool(*bool),
        Term::Number(number) => number.clone().into(),
        Term::Text(text) => Value::str(text),
        Term::Field(name) => Value::keyword(name),
    }
}

/// A tree written by hand, `'(and (= :service "a") (> :metric 1))`; `and` and `or` of any number.
fn value_ast(value: &Value) -> Result<Ast> {
    if !matches!(value, Value::List(_) | Value::Lazy(_)) {
        return Ok(Ast::Term(value_term(value)?));
    }
    let items = seq::to_vec(value)?;
    let bad = || Thrown::illegal_argument(format!("not a query: {}", value.to_readable()));
    let (head, arguments) = items.split_first().ok_or_else(bad)?;
    let head = match head {
        Value::Symbol(symbol) => symbol.name().to_owned(),
        Value::Keyword(keyword) => keyword.name().to_owned(),
        _ => return Err(bad()),
    };
    if let ("and" | "or", [first, rest @ ..]) = (head.as_str(), arguments) {
        let mut ast = value_ast(first)?;
        for next in rest {
            let next = Box::new(value_ast(next)?);
            ast = match head.as_str() {
                "and" => Ast::And(Box::new(ast), next),
                _ => Ast::Or(Box::new(ast), next),
            };
        }
        return Ok(ast);
    }
    match (head.as_str(), arguments) {
        ("not", [inner]) => Ok(Ast::Not(Box::new(value_ast(inner)?))),
        ("=", [a, b]) => Ok(Ast::Equal(value_term(a)?, value_term(b)?)),
        ("not=", [a, b]) => Ok(Ast::NotEqual(value_term(a)?, value_term(b)?)),
        ("like", [pattern, term]) => Ok(Ast::Like(pattern.to_text(), value_term(term)?)),
        ("regex", [pattern, term]) => Ok(Ast::Regex(pattern_text(pattern), value_term(term)?)),
        ("tagged", [tag]) => Ok(Ast::Tagged(tag.to_text())),
        (sign, [a, b]) => {
            let sign = comparison(sign).ok_or_else(bad)?;
            Ok(Ast::Compare(sign, value_term(a)?, value_term(b)?))
        }
        _ => Err(bad()),
    }
}

fn comparison(sign: &str) -> Option<Comparison> {
    let all = [
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ];
    all.into_iter().find(|comparison| comparison.sign() == sign)
}

/// A pattern's source, without the `#"…"` that it prints with.
fn pattern_text(pattern: &Value) -> String {
    match pattern {
        Value::Str(text) => text.to_string(),
        Value::Object(_) => {
            let printed = pattern.to_readable();
            let inner = printed
                .strip_prefix("#\"")
                .and_then(|text| text.strip_suffix('"'));
            inner.unwrap_or(&printed).to_owned()
        }
        other => other.to_text(),
    }
}

fn value_term(value: &Value) -> Result<Term> {
    Ok(match value {
        Value::Nil => Term::Nil,
        Value::Bool(bool) => Term::Bool(*bool),
        Value::Str(text) => Term::Text(text.to_string()),
        Value::Keyword(keyword) => Term::Field(keyword.name().to_owned()),
        other => Term::Number(other.as_number().ok_or_else(|| {
            Thrown::illegal_argument(format!("not a value of a query: {}", other.to_readable()))
        })?),
    })
}
