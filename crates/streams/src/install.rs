//! What a configuration finds in `riemann.streams` and `riemann.folds`.

use clj::{Native, Runtime, Value};

use crate::{folds, macros, ops};

/// The functions of `riemann.streams`.
pub const OPERATORS: &[Native] = &[
    ops::adjust::ADJUST,
    ops::adjust::SCALE,
    ops::apdex::OPERATOR,
    ops::append::OPERATOR,
    ops::append::REGISTER,
    ops::baseline::OPERATOR,
    ops::batch::OPERATOR,
    ops::bit_bucket::OPERATOR,
    ops::by::OPERATOR,
    ops::changed::OPERATOR,
    ops::clock_skew::OPERATOR,
    ops::coalesce::OPERATOR,
    ops::coalesce::WITH_EVENT,
    ops::counter::MEAN_OVER_TIME,
    ops::counter::OPERATOR,
    ops::counter::SUM_OVER_TIME,
    ops::ddt::EVENTS,
    ops::ddt::OPERATOR,
    ops::ddt::REAL,
    ops::dual::OPERATOR,
    ops::ewma::OPERATOR,
    ops::ewma::TIMELESS,
    ops::exception_stream::CALL_RESCUE,
    ops::exception_stream::OPERATOR,
    ops::execute_on::OPERATOR,
    ops::fill_in::LAST,
    ops::fill_in::LAST_STAR,
    ops::fill_in::OPERATOR,
    ops::filters::EXPIRED,
    ops::filters::IS_EXPIRED,
    ops::filters::IS_TAGGED_ALL,
    ops::filters::IS_TAGGED_ANY,
    ops::filters::MATCH,
    ops::filters::MATCH_VALUE,
    ops::filters::NOT_EXPIRED,
    ops::filters::OVER,
    ops::filters::TAGGED,
    ops::filters::TAGGED_ALL,
    ops::filters::TAGGED_ANY,
    ops::filters::UNDER,
    ops::filters::WHERE_STREAM,
    ops::fixed_event_window::OPERATOR,
    ops::fixed_time_window::OFFSET,
    ops::fixed_time_window::OPERATOR,
    ops::fold_interval::METRIC,
    ops::fold_interval::OPERATOR,
    ops::forward::OPERATOR,
    ops::histogram::MERGE,
    ops::histogram::OPERATOR,
    ops::interpolate_constant::OPERATOR,
    ops::keep_state::OPERATOR,
    ops::moving_event_window::OPERATOR,
    ops::moving_event_window::WINDOW,
    ops::moving_time_window::OPERATOR,
    ops::part_time_fast::OPERATOR,
    ops::part_time_simple::OPERATOR,
    ops::percentiles::OPERATOR,
    ops::periodically_until_expired::OPERATOR,
    ops::predict_linear::OPERATOR,
    ops::project::OPERATOR,
    ops::project::STREAM,
    ops::quantiles::OPERATOR,
    ops::rate::OPERATOR,
    ops::rollup::OPERATOR,
    ops::runs::OPERATOR,
    ops::sdo::OPERATOR,
    ops::sdo::STREAM,
    ops::share_above::COUNT,
    ops::share_above::SHARE,
    ops::smap::SFLATTEN,
    ops::smap::SMAP,
    ops::smap::SMAPCAT,
    ops::smap::SMAP_STAR,
    ops::split::SPLITP_STREAM,
    ops::split::SPLIT_MATCH,
    ops::split::SPLIT_STAR,
    ops::split::SPLIT_STREAM,
    ops::sreduce::OPERATOR,
    ops::stable::OPERATOR,
    ops::tag::TAG,
    ops::tag::UNTAG,
    ops::throttle::OPERATOR,
    ops::top::OPERATOR,
    ops::with::DEFAULT,
    ops::with::WITH,
    macros::where_::PARTITION_CLAUSES,
    macros::where_::REWRITE,
];

/// The macros of `riemann.streams`; arguments after the form and the environment.
pub const MACROS: &[Native] = &[
    macros::apdex::MACRO,
    macros::by::BY,
    macros::by::BY_BUILDER,
    macros::by::CHANGED_STATE,
    macros::keep_state::MACRO,
    macros::pipe::MACRO,
    macros::project::MACRO,
    macros::rescue::CALL_RESCUE,
    macros::rescue::EXCEPTION_STREAM,
    macros::split::SPLIT,
    macros::split::SPLITP,
    macros::where_::WHERE,
    macros::where_::WHERE_STAR,
];

/// The functions of `riemann.folds`.
pub const FOLDS: &[Native] = &[
    folds::count::COUNT,
    folds::extremum::EXTREMUM,
    folds::extremum::MAXIMUM,
    folds::extremum::MINIMUM,
    folds::fold::DIFFERENCE,
    folds::fold::DIFFERENCE_STRICT,
    folds::fold::FOLD,
    folds::fold::FOLD_ALL,
    folds::fold::FOLD_STRICT,
    folds::fold::NON_NIL_METRICS,
    folds::fold::PRODUCT,
    folds::fold::PRODUCT_STRICT,
    folds::fold::QUOTIENT,
    folds::fold::QUOTIENT_SLOPPY,
    folds::fold::QUOTIENT_STRICT,
    folds::fold::SUM,
    folds::fold::SUM_STRICT,
    folds::mean::MEAN,
    folds::mean::STD_DEV,
    folds::modes::ADJUST_OCCURENCE,
    folds::modes::MODE,
    folds::modes::MODES,
    folds::sample::EXTRACT,
    folds::sample::MEDIAN,
    folds::sample::SORTED_SAMPLE,
];

/// Names that macros expand to; not for the manual.
pub const INTERNAL: &[&str] = &[
    "by-fn",
    "call-rescue*",
    "exception-stream*",
    "keep-state*",
    "match-value",
    "project-stream",
    "split-stream",
    "splitp-stream",
    "where-stream",
];

/// Defines `riemann.streams` and `riemann.folds`. They need a [`World`](crate::World), attached to
/// the runtime before the first stream is built.
pub fn install(rt: &Runtime) {
    rt.define_natives("riemann.streams", OPERATORS);
    rt.define_native_macros("riemann.streams", MACROS);
    rt.define_natives("riemann.folds", FOLDS);
    let streams = rt.ensure_namespace("riemann.streams");
    streams.define("infinity", Value::Double(f64::INFINITY));
    streams.define("-infinity", Value::Double(f64::NEG_INFINITY));
    streams
        .define("*exception-stream*", Value::Nil)
        .set_dynamic(true);
}
