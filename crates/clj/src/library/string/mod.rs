//! `clojure.string`. Positions count characters.

pub mod replace;
mod search;
mod shape;
mod split;

use crate::Native;

pub const NATIVES: &[&[Native]] = &[
    shape::NATIVES,
    search::NATIVES,
    split::NATIVES,
    replace::NATIVES,
];

/// What Java calls whitespace: no-break spaces are none, the four separators are.
fn is_whitespace(char: char) -> bool {
    match char {
        '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}' => false,
        '\u{1c}'..='\u{1f}' => true,
        _ => char.is_whitespace(),
    }
}
