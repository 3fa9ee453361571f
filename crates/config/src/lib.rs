//! Binds the language to all that a configuration can name.
//!
//! [`load`] makes a [`Configuration`] of a source: a runtime with the `riemann.*` namespaces (natives
//! here, the rest in `clj/`), in which the source has been evaluated. [`Configuration::apply`] starts
//! what it asks for, through the [`Wire`] of the program.
//!
//! This crate never opens a socket or a file itself.

mod advice;
mod client;
mod client_options;
mod common;
mod effects;
mod embedded;
mod executor;
mod gate;
mod given;
mod history;
mod http;
mod http_words;
mod index_object;
mod journal;
mod kept;
mod lines;
mod load;
mod logging;
mod natives;
mod pipeline;
mod problem;
mod pubsub;
mod query;
mod queue;
mod repl;
mod repl_names;
mod repl_session;
mod review;
mod server;
mod sinks_binding;
mod state;
mod tests_run;
mod time;
mod words;

pub use effects::{Effect, Effects};
pub use given::Durability;
pub use history::{Filing, Full, HistoryLog, HistorySlot, HistorySpec, Retained};
pub use journal::JournalSpec;
pub use kept::{Backlogs, IndexLog, Kept, LogSlot};
pub use load::{Configuration, Counts, Settings, Text, load};
pub use logging::{LogFile, LogRequest};
pub use pipeline::{MakeStore, PipelineSpec, PipelineStore};
pub use problem::Problem;
pub use queue::QueueSpec;
pub use repl_names::{Completion, Meaning};
pub use repl_session::{Code, Console, Failure, Session};
pub use server::{Handle, Kind, LineHook, ServerSpec, Tls, Wire};
pub use state::{Mode, Telemetry};
pub use tests_run::{TestAssertion, TestChoice, TestKind, TestReport, TestResult};
