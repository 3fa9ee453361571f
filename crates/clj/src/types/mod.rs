//! Types that code defines: records, types, protocols, multimethods.

pub mod record;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::Result;
use crate::Value;
use crate::compile::analyze::Analyzer;
use crate::compile::expr::Expr;

/// The types that code has defined in a runtime.
#[derive(Default)]
pub struct Types {
    /// The function that makes one, by full class name.
    constructors: RwLock<HashMap<Arc<str>, Value>>,
}

impl Types {
    pub fn constructor(&self, class: &str) -> Option<Value> {
        self.constructors.read().get(class).cloned()
    }
}

pub fn analyze_deftype(a: &mut Analyzer<'_>, _args: &[Value]) -> Result<Expr> {
    Err(a.error("deftype"))
}
