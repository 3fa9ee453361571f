//! What `baseline` asks of history.

use std::ops::ControlFlow;

use config::Filing;
use event::{Event, Fields, Time};
use histogram::Histogram;
use store::{Result, Store};

use super::samples::names_of;

/// The cells that a distribution is put together of, in microseconds.
const STEP_US: i64 = 60 * 1_000_000;

/// The distribution of an event's series from one time to before another; `None` if it is empty.
pub fn of(
    store: &Store,
    by: &[Filing],
    event: &Event,
    from: Time,
    to: Time,
) -> Result<Option<Histogram>> {
    let names = names_of(by, event);
    let named = store.choose_named(event.host(), event.service());
    let its_own = named.singles().find(|one| {
        let by = one.names().flat_map(|series| &series.by);
        by.map(|(name, value)| (&**name, &**value))
            .eq(names.iter().copied())
    });
    let mut sum = Histogram::new();
    if let Some(series) = its_own {
        store.cells_of(&series, from.us..to.us, STEP_US, &mut |_, _, cell| {
            sum.merge(&cell.histogram);
            ControlFlow::Continue(())
        })?;
    }
    Ok((!sum.is_empty()).then_some(sum))
}
