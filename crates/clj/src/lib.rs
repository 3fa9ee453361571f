//! The configuration language: Clojure's syntax, and the part of its library that configurations use.
//!
//! [`Runtime`] holds namespaces; [`Cx`] is what running code is handed; [`Value`] is the currency.
//! The language knows no stream and no server, and asks its [`Host`] for files, time, environment
//! and output.

pub mod callable;
pub mod check;
pub mod closure;
pub mod collection;
pub mod compile;
pub mod core;
pub mod deep;
pub mod diagnostics;
pub mod dynamic;
mod equality;
pub mod event_value;
pub mod exception;
pub mod form;
pub mod histogram_value;
pub mod host;
pub mod interrupt;
pub mod java;
pub mod json;
pub mod keyword;
pub mod library;
pub mod list;
pub mod load;
mod macros;
pub mod namespace;
pub mod object;
pub mod print;
pub mod reader;
pub mod runtime;
pub mod seq;
pub mod suggest;
pub mod symbol;
pub mod thrown;
pub mod types;
pub mod value;
pub mod var;

pub use callable::{Callable, Native, NativeFn};
pub use collection::{Map, Set, Vector};
pub use host::{Host, LogLevel, Program, Ran};
pub use keyword::Keyword;
pub use list::{LazySeq, List};
pub use namespace::Namespace;
pub use object::Object;
pub use runtime::{Cx, Runtime};
pub use symbol::{Span, Symbol};
pub use thrown::{Exception, Thrown};
pub use value::Value;
pub use var::Var;

/// What every evaluation gives: a value, or what was thrown.
pub type Result<T = Value> = std::result::Result<T, Thrown>;
