//! Tokens to a tree.
//!
//! Mistakes are met as ANTLR's parsers meet them, because clients know its messages: a token too
//! many is dropped if the next one fits, one that is missing is supplied if what follows fits,
//! and otherwise input is skipped to where an enclosing rule can go on. Between a mistake and the
//! next token that fits, no further mistake is told.

use crate::ast::{Ast, Comparison, Term};
use crate::error::QueryError;
use crate::java_regex;
use crate::lexer::{Mistake, escape, tokens};
use crate::literal;
use crate::token::{Kind, Kinds, Token};

/// Parentheses within parentheses, so that no query can exhaust the stack.
const PARENS_MAX: usize = 128;
/// Rules within rules: two a parenthesis, one a `not`.
const RULES_MAX: usize = 1 + 2 * PARENS_MAX;
/// `and`s and `or`s in one query, each of which is a level of the tree.
const OPERATORS_MAX: usize = 1024;

const NUMBER: Kinds = Kinds::of(&[Kind::Float, Kind::Long, Kind::Big]);
const VALUE: Kinds =
    Kinds::of(&[Kind::String, Kind::Nil, Kind::True, Kind::False, Kind::Name]).with(NUMBER);
const PREDICATE: Kinds = Kinds::of(&[Kind::Tagged, Kind::Open, Kind::Not]).with(VALUE);
const OPERATOR: Kinds = Kinds::of(&[Kind::Or, Kind::And]);

/// Reads a query.
///
/// # Errors
/// When the text is not one, or is nested too deeply.
pub fn parse(text: &str) -> Result<Ast, QueryError> {
    let (tokens, mistakes) = tokens(text);
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        follow: Vec::new(),
        parens: 0,
        recovering: false,
        operators: 0,
        mistakes: Vec::new(),
        literal_mistake: None,
        too_large: None,
    };
    let ast = parser.predicate(Kinds::NONE, Binding::Or);
    if let Some((message, offset)) = parser.too_large {
        return Err(QueryError::at(text, offset, message));
    }
    let all = in_order(mistakes, parser.mistakes);
    if let Some(first) = all.first() {
        let lines: Vec<&str> = all.iter().map(|mistake| &*mistake.message).collect();
        return Err(QueryError::at(text, first.offset, lines.join("\n")));
    }
    match parser.literal_mistake {
        Some((message, offset)) => Err(QueryError::at(text, offset, message)),
        None => Ok(ast),
    }
}

/// The lexer's mistakes among the parser's, in the order in which reading meets them.
fn in_order(mut lexer: Vec<Mistake>, parser: Vec<Mistake>) -> Vec<Mistake> {
    lexer.extend(parser);
    lexer.sort_by_key(|mistake| mistake.before);
    lexer
}

/// How tightly a predicate holds together: it takes operators that bind as tightly or more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
}

/// A mistake that a rule cannot mend.
struct Thrown(String);

struct Parser<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    /// What may come after each of the rules that are being read.
    follow: Vec<Kinds>,
    /// Parentheses that are open.
    parens: usize,
    recovering: bool,
    operators: usize,
    mistakes: Vec<Mistake>,
    /// The first literal with no value; told only of a query that is sound otherwise.
    literal_mistake: Option<(String, usize)>,
    too_large: Option<(String, usize)>,
}

impl<'t> Parser<'t> {
    fn predicate(&mut self, follow: Kinds, binding: Binding) -> Ast {
        self.follow.push(follow);
        let ast = if self.follow.len() > RULES_MAX {
            self.give_up("the query is nested too deeply");
            NOTHING
        } else {
            let read = self.read_predicate(binding);
            self.caught(read, NOTHING)
        };
        self.follow.pop();
        ast
    }

    fn read_predicate(&mut self, binding: Binding) -> Result<Ast, Thrown> {
        self.expect_any(PREDICATE)?;
        let mut left = if self.kind() == Kind::Not {
            self.advance();
            Ast::Not(Box::new(self.predicate(OPERATOR, Binding::Not)))
        } else {
            self.primary()
        };
        while let Some(operator) = self.operator(binding)? {
            self.advance();
            self.operators += 1;
            if self.operators > OPERATORS_MAX {
                self.give_up("the query has too many operators");
                return Ok(NOTHING);
            }
            let join = if operator == Binding::And {
                Ast::And
            } else {
                Ast::Or
            };
            let tighter = if operator == Binding::And {
                Binding::Not
            } else {
                Binding::And
            };
            left = join(Box::new(left), Box::new(self.predicate(OPERATOR, tighter)));
        }
        Ok(left)
    }

    /// The operator that goes on with a predicate, if any does.
    fn operator(&mut self, binding: Binding) -> Result<Option<Binding>, Thrown> {
        loop {
            let operator = match self.kind() {
                Kind::And => Some(Binding::And),
                Kind::Or => Some(Binding::Or),
                _ => None,
            };
            let expected = self.after_predicate();
            if expected.has(self.kind()) || self.recovering || self.kind() == Kind::End {
                return Ok(operator.filter(|operator| *operator >= binding));
            }
            self.drop_extra(expected)?;
        }
    }

    fn primary(&mut self) -> Ast {
        self.follow.push(OPERATOR);
        let ast = if self.kind() == Kind::Open {
            self.advance();
            self.parens += 1;
            let inner = self.predicate(Kinds::of(&[Kind::Close]), Binding::Or);
            self.parens -= 1;
            let closed = self.expect(Kind::Close);
            self.caught(closed.map(|_| inner), NOTHING)
        } else {
            self.simple()
        };
        self.follow.pop();
        ast
    }

    fn simple(&mut self) -> Ast {
        if self.kind() == Kind::Tagged {
            self.advance();
            return Ast::Tagged(self.string());
        }
        let left = self.value();
        let sign = self.kind();
        let comparison = match sign {
            Kind::Less => Comparison::Less,
            Kind::LessOrEqual => Comparison::LessOrEqual,
            Kind::Greater => Comparison::Greater,
            Kind::GreaterOrEqual => Comparison::GreaterOrEqual,
            Kind::Equal | Kind::NotEqual => {
                self.advance();
                let right = self.expect_any(VALUE).map(|()| self.value());
                let right = self.caught(right, Term::Nil);
                let make = if sign == Kind::Equal {
                    Ast::Equal
                } else {
                    Ast::NotEqual
                };
                return make(left, right);
            }
            Kind::Like => {
                self.advance();
                return Ast::Like(self.string(), left);
            }
            Kind::Match => {
                self.advance();
                return Ast::Regex(self.regex(), left);
            }
            _ => return Ast::Term(left),
        };
        self.advance();
        let right = self.expect_any(NUMBER).map(|()| self.value());
        Ast::Compare(comparison, left, self.caught(right, Term::Nil))
    }

    /// The value that the next token is; one of [`VALUE`] is there.
    fn value(&mut self) -> Term {
        let token = self.token();
        self.advance();
        match token.kind {
            Kind::String => Term::Text(self.text_of(token)),
            Kind::Nil => Term::Nil,
            Kind::True => Term::Bool(true),
            Kind::False => Term::Bool(false),
            Kind::Name => Term::Field(token.text.into()),
            _ => match literal::number(token) {
                Ok(number) => Term::Number(number),
                Err(message) => {
                    self.literal_mistake.get_or_insert((message, token.offset));
                    Term::Nil
                }
            },
        }
    }

    fn string(&mut self) -> String {
        let token = self.expect(Kind::String);
        let text = token.map(|token| token.map(|token| self.text_of(token)).unwrap_or_default());
        self.caught(text, String::new())
    }

    fn regex(&mut self) -> String {
        let offset = self.token().offset;
        let pattern = self.string();
        if let Err(message) = java_regex::compile(&pattern) {
            self.literal_mistake.get_or_insert((message, offset));
        }
        pattern
    }

    fn text_of(&mut self, token: &Token<'_>) -> String {
        literal::string(token).unwrap_or_else(|(message, offset)| {
            self.literal_mistake
                .get_or_insert((message, token.offset + offset));
            String::new()
        })
    }

    fn token(&self) -> &'t Token<'t> {
        self.ahead(0)
    }

    /// The token some places on; the end, for all that are beyond.
    fn ahead(&self, places: usize) -> &'t Token<'t> {
        &self.tokens[(self.at + places).min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    /// Goes past a token that fits.
    fn advance(&mut self) {
        self.recovering = false;
        self.skip();
    }

    fn skip(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Sees to it that the next token is of one of some kinds.
    fn expect_any(&mut self, kinds: Kinds) -> Result<(), Thrown> {
        if kinds.has(self.kind()) {
            return Ok(());
        }
        if self.recovering || self.kind() == Kind::End {
            let text = escape(self.token().text);
            return Err(Thrown(format!("no viable alternative at input '{text}'")));
        }
        self.drop_extra(kinds)
    }

    /// Goes past a token of one kind. `None` if it is missing, but what is there can follow it.
    fn expect(&mut self, kind: Kind) -> Result<Option<&'t Token<'t>>, Thrown> {
        if self.kind() != kind {
            let next = self.ahead(1).kind;
            if next != kind && self.after_predicate().has(self.kind()) {
                let text = escape(self.token().text);
                self.report(format!("missing {} at '{text}'", kind.name()));
                return Ok(None);
            }
            self.drop_extra(Kinds::of(&[kind]))?;
        }
        let token = self.token();
        self.advance();
        Ok(Some(token))
    }

    /// Drops a token that does not fit, if the next one does.
    fn drop_extra(&mut self, kinds: Kinds) -> Result<(), Thrown> {
        let text = escape(self.token().text);
        if !kinds.has(self.ahead(1).kind) {
            return Err(Thrown(format!(
                "mismatched input '{text}' expecting {kinds}"
            )));
        }
        self.report(format!("extraneous input '{text}' expecting {kinds}"));
        self.advance();
        Ok(())
    }

    /// What can come after a predicate where this one is.
    fn after_predicate(&self) -> Kinds {
        let end = if self.parens > 0 {
            Kind::Close
        } else {
            Kind::End
        };
        OPERATOR.with(Kinds::of(&[end]))
    }

    fn report(&mut self, message: String) {
        if !self.recovering {
            self.recovering = true;
            let Token { offset, .. } = *self.token();
            self.mistakes.push(Mistake {
                message,
                offset,
                before: self.at + 1,
            });
        }
    }

    /// The result of a rule. If it failed, tells so and skips to where one around it can go on.
    fn caught<T>(&mut self, result: Result<T, Thrown>, otherwise: T) -> T {
        let Thrown(message) = match result {
            Ok(value) => return value,
            Err(thrown) => thrown,
        };
        self.report(message);
        let stop = self
            .follow
            .iter()
            .fold(Kinds::of(&[Kind::End]), |all, kinds| all.with(*kinds));
        while !stop.has(self.kind()) {
            self.skip();
        }
        otherwise
    }

    fn give_up(&mut self, message: &str) {
        self.too_large
            .get_or_insert((message.into(), self.token().offset));
        self.at = self.tokens.len() - 1;
    }
}

/// Stands for what could not be read; the query is refused in the end.
const NOTHING: Ast = Ast::Term(Term::Nil);

#[cfg(test)]
mod tests;
