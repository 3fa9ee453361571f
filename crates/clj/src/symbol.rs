//! Symbols, and where in the source a form stood.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::Map;

/// Where a form begins: file (shared), line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

/// A symbol, `name` or `ns/name`. Metadata and place do not count in `=`.
#[derive(Clone)]
pub struct Symbol(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    namespace: Option<Arc<str>>,
    name: Arc<str>,
    meta: Option<Map>,
    span: Option<Span>,
}

impl Symbol {
    pub fn new(namespace: Option<&str>, name: &str) -> Symbol {
        Symbol(Arc::new(Inner {
            namespace: namespace.map(Arc::from),
            name: name.into(),
            meta: None,
            span: None,
        }))
    }

    /// `ns/name` split at its slash; `/` alone is a name.
    pub fn parse(text: &str) -> Symbol {
        match text.split_once('/') {
            Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
                Symbol::new(Some(namespace), name)
            }
            _ => Symbol::new(None, text),
        }
    }

    pub fn namespace(&self) -> Option<&str> {
        self.0.namespace.as_deref()
    }

    pub fn name(&self) -> &str {
        &self.0.name
    }

    pub fn meta(&self) -> Option<&Map> {
        self.0.meta.as_ref()
    }

    pub fn span(&self) -> Option<&Span> {
        self.0.span.as_ref()
    }

    #[must_use]
    pub fn with_meta(&self, meta: Option<Map>) -> Symbol {
        Symbol(Arc::new(Inner {
            meta,
            ..(*self.0).clone()
        }))
    }

    #[must_use]
    pub fn with_span(&self, span: Span) -> Symbol {
        Symbol(Arc::new(Inner {
            span: Some(span),
            ..(*self.0).clone()
        }))
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Symbol) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.name == other.0.name && self.0.namespace == other.0.namespace
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
        self.0.namespace.hash(state);
    }
}
