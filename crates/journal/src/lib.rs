//! An append-only journal of records with named subscribers.
