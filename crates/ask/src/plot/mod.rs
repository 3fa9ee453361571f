//! Answers as pictures: panels one above the other, time to the right.

mod axis;
mod grid;
mod panel;
pub mod svg;
pub mod terminal;
