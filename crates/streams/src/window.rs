//! Windows of equal length, aligned to the moment a stream was built, that cost nothing while no
//! event comes.

use std::sync::Arc;

use clj::{Cx, Result};
use clock::Interval;
use event::Time;
use parking_lot::Mutex;

use crate::World;
use crate::timer::{self, Grid};

/// What happens in and at the end of each window.
pub trait Windowed: Send + Sync + 'static {
    type State: Send + 'static;

    /// The state that a window begins with, given how the last one ended.
    ///
    /// # Errors
    /// What a function of the configuration throws.
    fn reset(&self, cx: &Cx<'_>, last: Option<&Self::State>) -> Result<Self::State>;

    /// Called once at the end of each window that an event came in.
    ///
    /// # Errors
    /// What a function of the configuration throws.
    fn finish(&self, cx: &Cx<'_>, state: Self::State, start: Time, end: Time) -> Result<()>;
}

/// A running row of windows. As Riemann's `part-time-simple`.
pub struct Windows<W: Windowed> {
    grid: Grid,
    shared: Arc<Shared<W>>,
}

struct Shared<W: Windowed> {
    windowed: W,
    slot: Mutex<Slot<W::State>>,
}

struct Slot<S> {
    state: S,
    /// True from the first event of a window to its end, for which a task is scheduled.
    open: bool,
}

impl<W: Windowed> Windows<W> {
    /// Windows of `dt` from now on.
    ///
    /// # Errors
    /// What [`Windowed::reset`] throws.
    pub fn new(cx: &Cx<'_>, dt: Interval, windowed: W) -> Result<Windows<W>> {
        let slot = Slot {
            state: windowed.reset(cx, None)?,
            open: false,
        };
        let shared = Arc::new(Shared {
            windowed,
            slot: Mutex::new(slot),
        });
        Ok(Windows {
            grid: Grid::from_now(cx, dt)?,
            shared,
        })
    }

    pub fn inner(&self) -> &W {
        &self.shared.windowed
    }

    /// Changes the state of the window that is now. `change` must not call back into the stream.
    ///
    /// # Errors
    /// What `change` throws; the state is as `change` left it.
    pub fn add<R>(
        &self,
        cx: &Cx<'_>,
        change: impl FnOnce(&mut W::State) -> Result<R>,
    ) -> Result<R> {
        let mut slot = self.shared.slot.lock();
        let result = change(&mut slot.state)?;
        let first = !std::mem::replace(&mut slot.open, true);
        drop(slot);
        if first {
            let (start, end) = self.grid.window(cx.get::<World>()?.now());
            let shared = self.shared.clone();
            timer::once_at(cx, end, move |cx| shared.end(cx, start, end))?;
        }
        Ok(result)
    }
}

impl<W: Windowed> Shared<W> {
    fn end(&self, cx: &Cx<'_>, start: Time, end: Time) -> Result<()> {
        let mut slot = self.slot.lock();
        let next = self.windowed.reset(cx, Some(&slot.state))?;
        let state = std::mem::replace(&mut slot.state, next);
        slot.open = false;
        drop(slot);
        self.windowed.finish(cx, state, start, end)
    }
}
