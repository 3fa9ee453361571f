//! Whose requests to Amazon are signed.

use clj::Cx;

use super::options::Options;

/// Access key and secret key: of the options, or of the environment.
pub fn keys(cx: &Cx<'_>, of: &str, options: &Options) -> (String, String) {
    let key = |key: &str, variable: &str| {
        let named = options.text(key).or_else(|| cx.rt.host.env(variable));
        named.unwrap_or_default()
    };
    let access = key("access-key", "AWS_ACCESS_KEY_ID");
    let secret = key("secret-key", "AWS_SECRET_ACCESS_KEY");
    if access.is_empty() || secret.is_empty() {
        tracing::warn!("{of}: no :access-key and :secret-key; requests will be refused");
    }
    (access, secret)
}
