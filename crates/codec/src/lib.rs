//! Bytes to events and back, a module a format.
