//! Riemann's query language: text to predicate.
