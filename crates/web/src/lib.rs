//! What each URL answers; the page and its assets.
//!
//! Start at [`Site::answer`]: a [`Request`] goes in, an [`Answer`] comes out. What changes while
//! the server runs is handed in: a [`Status`] for `/api/status`, a list of [`Metric`]s for
//! `/metrics`. The page is plain ES modules in `assets/`, embedded as they are; it reads the index
//! over the server's own websocket. A [`HistoryRequest`] answers itself, piece by piece.
//!
//! This crate never opens a socket, never reads a clock or a file, and knows no protocol.

mod answer;
mod assets;
mod history;
mod metrics;
mod site;
mod status;

pub use answer::Answer;
pub use history::{HistoryRequest, busy};
pub use metrics::{Metric, MetricKind};
pub use site::{Request, Site};
pub use status::{Port, Reload, Status};
