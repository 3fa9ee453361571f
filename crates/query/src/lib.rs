//! Riemann's query language: text to predicate.
//!
//! [`parse`] makes an [`Ast`] of a text, or a [`QueryError`] with the place and the words that
//! Riemann's clients know. [`Query::compile`] makes a predicate of an [`Ast`], for events owned or
//! still in their receive buffer. [`host_and_service`] tells the queries that are a look-up.
//!
//! This crate never searches: the index does.

mod ast;
mod compile;
mod error;
mod java_regex;
mod lexer;
mod like;
mod literal;
mod parser;
mod token;

pub use ast::{Ast, Comparison, Term, host_and_service};
pub use compile::Query;
pub use error::QueryError;
pub use parser::parse;
