//! What to say of names that Riemann had once, or has in a namespace that is not referred.

/// Names that cannot be resolved, and what to write instead.
pub(crate) const ADVICE: &[(&str, &str)] = &[
    ("combine", "combine is smap now, as in (smap folds/sum …)"),
    ("within", "use where, as in (where (<= 0 metric 1) …)"),
    (
        "without",
        "use where, as in (where (not (<= 0 metric 1)) …)",
    ),
    ("after!", "it is in riemann.time: (riemann.time/after! …)"),
    (
        "service",
        "the fields of events are names only in where, and not inside its vectors, maps and sets; \
         elsewhere write :service, or (:service event)",
    ),
    (
        "metric",
        "the fields of events are names only in where, and not inside its vectors, maps and sets; \
         elsewhere write :metric, or (:metric event)",
    ),
];
