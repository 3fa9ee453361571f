//! Libraries that configurations ask for and that cannot be had here.

/// What to say to code that requires a namespace nobody has.
pub fn reason(namespace: &str) -> String {
    let path = namespace.replace('-', "_").replace('.', "/");
    match LIBRARIES
        .iter()
        .find(|(prefix, _)| is_below(namespace, prefix))
    {
        Some((prefix, Some(instead))) => {
            format!(
                "{prefix} is a library of the Java virtual machine, which cannot be loaded here: {instead}"
            )
        }
        Some((prefix, None)) => format!(
            "{prefix} is a library of the Java virtual machine, which cannot be loaded here; source \
             files beside the configuration can, this one as {path}.clj"
        ),
        None => format!("{path}.clj is looked for beside the configuration"),
    }
}

fn is_below(namespace: &str, prefix: &str) -> bool {
    namespace
        .strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Libraries by the beginning of their names, and what does the same here.
const LIBRARIES: &[(&str, Option<&str>)] = &[
    (
        "clojure.core.async",
        Some("use async-queue! for work on other threads, or future"),
    ),
    ("clojure.java.jdbc", None),
    ("clojure.data.json", Some("use cheshire.core")),
    (
        "clojure.tools.nrepl",
        Some("repl-server is in riemann.config"),
    ),
    ("nrepl", Some("repl-server is in riemann.config")),
    ("clojure.spec", None),
    ("clojure.core.cache", None),
    ("clojure.core.memoize", Some("memoize is in clojure.core")),
    ("clojure.test.check", None),
    ("clojure.data.xml", None),
    ("clojure.data.csv", None),
    ("clojurewerkz", None),
    ("capacitor", Some("influxdb is in riemann.config")),
    ("datomic", None),
    ("aleph", None),
    ("manifold", None),
    ("langohr", Some("rabbitmq is in riemann.config")),
    ("clj-kafka", Some("kafka is in riemann.config")),
    ("taoensso", None),
    (
        "slingshot",
        Some("try, catch and ex-info are in clojure.core"),
    ),
    ("amazonica", None),
    ("postal", Some("mailer is in riemann.config")),
    ("org.httpkit", Some("clj-http.client is there")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_does_the_same() {
        assert!(reason("clojure.core.async").contains("async-queue!"));
        assert!(reason("clojure.core.async.impl").contains("async-queue!"));
        assert!(!reason("clojure.core.asynchronous").contains("async-queue!"));
    }

    #[test]
    fn names_the_file_that_would_do() {
        assert!(reason("mycorp.e-mail").contains("mycorp/e_mail.clj"));
    }
}
