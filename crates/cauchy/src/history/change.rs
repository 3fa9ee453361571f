//! What history is open after a reload: what the configuration says.

use std::sync::Arc;

use config::HistorySpec;

use super::History;
use crate::handler::Live;

/// What a reload does to the open history.
pub enum Change {
    Stay,
    Close,
    Open(Arc<History>),
}

/// Opens what the next configuration asks for; nothing changes yet.
///
/// # Errors
/// One line for the user.
pub fn prepare(live: &Live, wanted: Option<HistorySpec>) -> Result<Change, String> {
    let running = live.history.load_full();
    let Some(wanted) = wanted else {
        return Ok(Change::Close);
    };
    if let Some(running) = running.filter(|running| running.spec.dir == wanted.dir) {
        if running.spec != wanted {
            tracing::warn!("the history's new options hold from the next start on");
        }
        return Ok(Change::Stay);
    }
    open(&wanted)
}

/// Opens a history, unless it is optional and cannot be opened.
pub(super) fn open(wanted: &HistorySpec) -> Result<Change, String> {
    match History::open(wanted) {
        Ok(history) => Ok(Change::Open(history)),
        Err(error) if wanted.is_optional => {
            tracing::warn!("{error}; the server goes on without history");
            Ok(Change::Close)
        }
        Err(error) => Err(error),
    }
}

impl Change {
    /// The next configuration runs.
    pub fn commit(self, live: &Live) {
        let before = match self {
            Change::Stay => None,
            Change::Close => live.set_history(None),
            Change::Open(history) => live.set_history(Some(history)),
        };
        if let Some(before) = before {
            before.close();
        }
    }

    /// The next configuration does not come.
    pub fn abandon(self) {
        if let Change::Open(history) = self {
            history.close();
        }
    }
}
