//! The configuration language: Clojure's syntax and core library.
