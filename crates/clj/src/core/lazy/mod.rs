//! Lazy sequences made from others.

mod choosing;
mod endless;
mod grouping;
mod mapping;
mod realizing;

use crate::Native;

pub use choosing::drop;
pub use mapping::{concat, map_one};

pub const NATIVES: [&[Native]; 5] = [
    choosing::NATIVES,
    endless::NATIVES,
    grouping::NATIVES,
    mapping::NATIVES,
    realizing::NATIVES,
];
