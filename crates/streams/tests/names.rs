//! Every name that configurations know from Riemann is there.

mod pretend;

use pretend::Pretend;

/// The public vars of Riemann's `riemann.streams`, but for its macros' internals.
const STREAMS: &str = "infinity -infinity *exception-stream* expired? call-rescue exception-stream
    bit-bucket dual smap* smap smapcat sflatten sreduce sdo stream execute-on moving-event-window
    window fixed-event-window moving-time-window fixed-time-window fixed-offset-time-window
    periodically-until-expired part-time-fast part-time-simple fold-interval fold-interval-metric
    fill-in fill-in-last* fill-in-last interpolate-constant ddt-real ddt-events ddt rate percentiles
    counter sum-over-time mean-over-time ewma-timeless ewma top throttle rollup batch
    coalesce-with-event coalesce append register forward match tagged-all? tagged-any? tagged-all
    tagged tagged-any expired not-expired with default adjust scale tag untag pipe by by-builder by-fn
    changed changed-state over under where-rewrite where-partition-clauses where* where split*-match
    split* split splitp runs stable project* project apdex* apdex clock-skew predict-linear";

const FOLDS: &str =
    "sorted-sample-extract sorted-sample non-nil-metrics fold* fold fold-all sum* sum
    product* product difference* difference quotient* quotient quotient-sloppy mean adjust-occurence
    modes mode median extremum minimum maximum std-dev count";

fn check(namespace: &str, names: &str) {
    let pretend = Pretend::new();
    let missing: Vec<&str> = names
        .split_whitespace()
        .filter(|name| {
            pretend
                .rt
                .var(namespace, name)
                .and_then(|var| var.root())
                .is_none()
        })
        .collect();
    assert!(missing.is_empty(), "{namespace}: {missing:?}");
}

#[test]
fn all_streams_are_there() {
    check("riemann.streams", STREAMS);
}

#[test]
fn all_folds_are_there() {
    check("riemann.folds", FOLDS);
}
