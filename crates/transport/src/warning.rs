//! Warnings that a client could otherwise repeat without end.

use std::sync::Mutex;
use std::time::Instant;

use crate::limits::WARNING_INTERVAL;

/// Lets one warning through in each [`WARNING_INTERVAL`], and counts the others.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    state: Mutex<(Option<Instant>, u64)>,
}

impl Warnings {
    /// `Some(n)` if a warning is due now, `n` others having been left out since the last.
    pub(crate) fn due(&self) -> Option<u64> {
        self.due_at(Instant::now())
    }

    fn due_at(&self, now: Instant) -> Option<u64> {
        let mut state = self
            .state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        match state.0 {
            Some(last) if now.saturating_duration_since(last) < WARNING_INTERVAL => {
                state.1 += 1;
                None
            }
            _ => {
                let left_out = std::mem::take(&mut state.1);
                state.0 = Some(now);
                Some(left_out)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_each_interval() {
        let warnings = Warnings::default();
        let start = Instant::now();
        assert_eq!(warnings.due_at(start), Some(0));
        assert_eq!(warnings.due_at(start), None);
        assert_eq!(warnings.due_at(start + WARNING_INTERVAL / 2), None);
        assert_eq!(warnings.due_at(start + WARNING_INTERVAL), Some(2));
        assert_eq!(warnings.due_at(start + WARNING_INTERVAL * 2), Some(0));
    }
}
