//! Riemann's protobuf messages: frames, a decoder to borrowed views, an encoder.
//!
//! `FORMAT.md` beside this crate draws the bytes. A receiver walks [`Frames`], calls
//! [`decode_msg`] for each, and answers with one `encode_*` function. The decoder accepts what
//! protobuf's own accept: fields in any order, repeated scalars (the last wins), unknown fields
//! and fields of an unexpected wire type (skipped).

mod decode;
mod encode;
mod frames;
mod repair;
mod wire;

pub use decode::{MsgHead, decode_msg};
pub use encode::{encode_ack, encode_answer, encode_error, encode_events, encode_query, frame};
pub use frames::{FrameError, Frames};
pub use repair::repair_msg;
pub use wire::DecodeError;
