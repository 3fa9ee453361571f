//! What `baseline` asks of history.

use std::ops::ControlFlow;

use config::Filing;
use event::{Event, Fields, Time};
use histogram::Histogram;
use store::{Query, Result, Series, Store};

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
    let is_its = |series: &Series| {
        let own = series.by.iter().map(|(name, value)| (&**name, &**value));
        series.host.as_deref() == event.host()
            && series.service.as_deref() == event.service()
            && own.eq(names.iter().copied())
    };
    let query = Query {
        matches: &is_its,
        from_us: from.us,
        to_us: to.us,
    };
    let mut sum = Histogram::new();
    store.cells(&query, STEP_US, &mut |_, _, cell| {
        sum.merge(&cell.histogram);
        ControlFlow::Continue(())
    })?;
    Ok((!sum.is_empty()).then_some(sum))
}
