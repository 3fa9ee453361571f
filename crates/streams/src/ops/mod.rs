//! The stream operators, one a file. To add one, copy a neighbour and list it in `install.rs`.

pub mod adjust;
pub mod apdex;
pub mod append;
pub mod baseline;
pub mod batch;
pub mod bit_bucket;
pub mod by;
pub mod changed;
pub mod clock_skew;
pub mod coalesce;
pub mod counter;
pub mod ddt;
pub mod dual;
pub mod ewma;
pub mod exception_stream;
pub mod execute_on;
pub mod fill_in;
pub mod filters;
pub mod fixed_event_window;
pub mod fixed_time_window;
pub mod fold_interval;
pub mod forward;
pub mod histogram;
pub mod interpolate_constant;
pub mod keep_state;
mod latest;
pub mod moving_event_window;
pub mod moving_time_window;
pub mod part_time_fast;
pub mod part_time_simple;
pub mod percentiles;
pub mod periodically_until_expired;
pub mod predict_linear;
pub mod project;
pub mod quantiles;
pub mod rate;
pub mod rollup;
pub mod runs;
pub mod sdo;
pub mod share_above;
pub mod smap;
pub mod split;
pub mod sreduce;
pub mod stable;
pub mod tag;
pub mod throttle;
pub mod top;
pub mod with;

use clj::{Result, Thrown, Value};

/// An argument that says how many.
fn count_argument(value: &Value) -> Result<usize> {
    let number = crate::arithmetic::number(value)?;
    usize::try_from(number.to_i64_lossy())
        .map_err(|_| Thrown::illegal_argument(format!("{number} is not a count")))
}
