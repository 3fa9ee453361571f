//! Every limit of a question: its name, its unit and its reason.

/// The most steps of a question: more than any screen has, and some megabytes of answer.
pub const STEPS_MAX: i64 = 50_000;

/// The shortest step, in microseconds.
pub const STEP_US_MIN: i64 = 1_000;

/// The longest stretch of time that is asked for, in microseconds: a century.
pub const RANGE_US_MAX: i64 = 36_525 * 86_400 * 1_000_000;

/// The most series that are merged into one.
pub const SERIES_MAX: usize = 100_000;

/// The most rows of a question that wants each series by itself: steps times series.
pub const ROWS_MAX: i64 = 5_000_000;

/// The most that is shown of each step.
pub const SHOWS_MAX: usize = 32;

/// Steps that are merged over all series at once; fewer, if that takes more memory than the store
/// allows.
pub const WINDOW_STEPS: i64 = 1024;

/// Text or bytes of an answer that are handed on at once.
pub const PIECE_BYTES: usize = 64 << 10;

/// Steps that a question has, about, if it does not say how long they are: a terminal is as wide.
pub const STEPS_USUAL: i64 = 120;

/// The most series that a list of them names, if it does not say how many.
pub const LISTED_USUAL: usize = 10_000;
