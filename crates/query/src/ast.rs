//! What a query says, as a tree.

use std::fmt;

use event::Number;

/// A query. Its [`Display`](fmt::Display) is the list that Riemann makes of it.
///
/// ```
/// let ast = query::parse(r#"service = "www" and not metric > 1"#).unwrap();
/// assert_eq!(ast.to_string(), r#"(and (= :service "www") (not (> :metric 1)))"#);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Ast {
    /// True if the value is neither nil nor false.
    Term(Term),
    Equal(Term, Term),
    NotEqual(Term, Term),
    /// False unless both are numbers.
    Compare(Comparison, Term, Term),
    /// The whole text matches a pattern in which `%` stands for any text.
    Like(String, Term),
    /// A regular expression, in Java's syntax, is found in the text.
    Regex(String, Term),
    Tagged(String),
    Not(Box<Ast>),
    And(Box<Ast>, Box<Ast>),
    Or(Box<Ast>, Box<Ast>),
}

/// A literal, or the value of a field or attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Nil,
    Bool(bool),
    Number(Number),
    Text(String),
    Field(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Host and service, if a query asks for exactly these: `host = … and service = …`, in either
/// order, each a string or nil. Such a query has at most one answer.
///
/// ```
/// let ast = query::parse(r#"service = "www" and host = nil"#).unwrap();
/// assert_eq!(query::host_and_service(&ast), Some((None, Some("www"))));
/// ```
pub fn host_and_service(ast: &Ast) -> Option<(Option<&str>, Option<&str>)> {
    let Ast::And(left, right) = ast else {
        return None;
    };
    match (key(left)?, key(right)?) {
        (("host", host), ("service", service)) => Some((host, service)),
        (("service", service), ("host", host)) => Some((host, service)),
        _ => None,
    }
}

fn key(ast: &Ast) -> Option<(&str, Option<&str>)> {
    match ast {
        Ast::Equal(Term::Field(field), Term::Text(text)) => Some((field, Some(text))),
        Ast::Equal(Term::Field(field), Term::Nil) => Some((field, None)),
        _ => None,
    }
}

impl Comparison {
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ast::Term(term) => write!(f, "{term}"),
            Ast::Equal(a, b) => write!(f, "(= {a} {b})"),
            Ast::NotEqual(a, b) => write!(f, "(not= {a} {b})"),
            Ast::Compare(comparison, a, b) => write!(f, "({} {a} {b})", comparison.sign()),
            Ast::Like(pattern, term) => write!(f, "(:like {} {term})", Quoted(pattern)),
            Ast::Regex(pattern, term) => write!(f, "(:regex #\"{pattern}\" {term})"),
            Ast::Tagged(tag) => write!(f, "(:tagged {})", Quoted(tag)),
            Ast::Not(inner) => write!(f, "(not {inner})"),
            Ast::And(a, b) => write!(f, "(and {a} {b})"),
            Ast::Or(a, b) => write!(f, "(or {a} {b})"),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Nil => f.write_str("nil"),
            Term::Bool(bool) => write!(f, "{bool}"),
            Term::Number(number) => write!(f, "{number}"),
            Term::Text(text) => write!(f, "{}", Quoted(text)),
            Term::Field(name) => write!(f, ":{name}"),
        }
    }
}

/// A string as Clojure prints it.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for char in self.0.chars() {
            match char {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                '\u{8}' => f.write_str("\\b")?,
                '\u{c}' => f.write_str("\\f")?,
                _ => write!(f, "{char}")?,
            }
        }
        f.write_str("\"")
    }
}
