//! Keywords: names that stand for themselves.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A keyword, `:name` or `:ns/name`. Carries its hash, so that comparing two different ones is one
/// integer comparison.
#[derive(Clone)]
pub struct Keyword(Arc<Inner>);

struct Inner {
    hash: u64,
    namespace: Option<Box<str>>,
    name: Box<str>,
}

impl Keyword {
    pub fn new(namespace: Option<&str>, name: &str) -> Keyword {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in namespace
            .unwrap_or("")
            .bytes()
            .chain([b'/'])
            .chain(name.bytes())
        {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Keyword(Arc::new(Inner {
            hash,
            namespace: namespace.map(Box::from),
            name: name.into(),
        }))
    }

    pub fn namespace(&self) -> Option<&str> {
        self.0.namespace.as_deref()
    }

    pub fn name(&self) -> &str {
        &self.0.name
    }
}

impl PartialEq for Keyword {
    fn eq(&self, other: &Keyword) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.hash == other.0.hash
                && self.0.name == other.0.name
                && self.0.namespace == other.0.namespace
    }
}

impl Eq for Keyword {}

impl Hash for Keyword {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}
