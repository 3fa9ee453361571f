//! The decoder and encoder against an independent implementation of protobuf.

mod against_prost;
mod round_trip;
mod schema;
mod wire_tree;
