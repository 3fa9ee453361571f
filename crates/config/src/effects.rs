//! What a configuration would do to the world outside, told instead of done.

use std::sync::Arc;

/// Something that would have left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What it would have left through: a sink and its target, a client, a file.
    pub sink: String,
    /// What would have been done, such as `POST`.
    pub action: String,
    /// Where to: a URL without its query, an address, a path; may be empty.
    pub to: String,
    /// What would have been said.
    pub body: String,
}

/// Hears of effects in place of the world.
pub type Effects = Arc<dyn Fn(Effect) + Send + Sync>;

/// A URL without its query, which may hold secrets.
pub(crate) fn without_query(url: &str) -> String {
    url.split('?').next().unwrap_or_default().to_owned()
}
