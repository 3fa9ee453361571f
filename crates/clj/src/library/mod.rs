//! The namespaces besides `clojure.core` that configurations use: `clojure.string`, `cheshire.core`,
//! `clj-time.core` … Most are native and there from the start; a few are in the dialect and loaded
//! when first required.

pub mod absent;
mod cheshire;
mod data;
mod edn;
pub mod histogram;
mod io;
mod logging;
mod pprint;
mod repl;
mod set;
mod shell;
mod stacktrace;
pub mod string;
mod template;
pub mod test;
pub mod time;
mod walk;

use crate::macros::deferred;
use crate::{Native, Runtime};

const TABLES: &[(&str, &[Native])] = &[
    ("clojure.set", set::NATIVES),
    ("clojure.walk", walk::NATIVES),
    ("clojure.edn", edn::NATIVES),
    ("clojure.data", data::NATIVES),
    ("clojure.pprint", pprint::NATIVES),
    ("clojure.repl", repl::NATIVES),
    ("clojure.stacktrace", stacktrace::NATIVES),
    ("clojure.template", template::NATIVES),
    ("clojure.java.io", io::NATIVES),
    ("cauchy.histogram", histogram::NATIVES),
    ("cheshire.core", cheshire::NATIVES),
    (cheshire::encoders::NAMESPACE, cheshire::encoders::NATIVES),
    (logging::INNER, logging::NATIVES),
];

const MACROS: &[(&str, &[Native])] = &[
    ("clojure.repl", repl::MACROS),
    ("clojure.tools.logging", logging::MACROS),
    ("clojure.template", template::MACROS),
];

/// What of native namespaces is easier said in the dialect: namespace, file and source.
const SOURCES: &[(&str, &str, &str)] = &[
    (
        "clojure.java.io",
        "clojure/java/io.clj",
        include_str!("../clj/clojure/java/io.clj"),
    ),
    (
        "clojure.pprint",
        "clojure/pprint.clj",
        include_str!("../clj/clojure/pprint.clj"),
    ),
    (
        "clj-time.core",
        "clj_time/more.clj",
        include_str!("../clj/clj_time/more.clj"),
    ),
    (
        "clj-time.predicates",
        "clj_time/predicates.clj",
        include_str!("../clj/clj_time/predicates.clj"),
    ),
    (
        "clj-time.coerce",
        "clj_time/coerce.clj",
        include_str!("../clj/clj_time/coerce.clj"),
    ),
];

/// Defines the native namespaces, and makes the sources of the others known.
pub fn install(rt: &mut Runtime) {
    for natives in string::NATIVES {
        rt.define_natives("clojure.string", natives);
    }
    for (namespace, natives) in TABLES {
        rt.define_natives(namespace, natives);
    }
    for (namespace, macros) in MACROS {
        rt.define_native_macros(namespace, macros);
    }
    test::install(rt);
    shell::install(rt);
    time::install(rt);
    for (namespace, file, source) in SOURCES {
        rt.refer_core(&rt.ensure_namespace(namespace));
        deferred::define(rt, namespace, file, source);
    }
    rt.embed("clojure/math", include_str!("../clj/clojure/math.clj"));
}
