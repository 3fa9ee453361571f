//! Binds the language to all that a configuration can name.
