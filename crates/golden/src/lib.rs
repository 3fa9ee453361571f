//! Runs the text tests of spec/.
