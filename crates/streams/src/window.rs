//! Windows of equal length, aligned to the moment a stream was built, that cost nothing while no
//! event comes.

use std::sync::Arc;

use clj::{Cx, Result};
use clock::Interval;
use event::Time;
use parking_lot::Mutex;

use crate::World;
use crate::keep::Kept;
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
    interval: Interval,
    grid: Mutex<Grid>,
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
            interval: dt,
            grid: Mutex::new(Grid::from_now(cx, dt)?),
            shared,
        })
    }

    pub fn interval(&self) -> Interval {
        self.interval
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
            let (start, end) = self.grid.lock().window(cx.get::<World>()?.now());
            self.end_at(cx, start, end)?;
        }
        Ok(result)
    }

    fn end_at(&self, cx: &Cx<'_>, start: Time, end: Time) -> Result<()> {
        let shared = self.shared.clone();
        timer::once_at(cx, end, move |cx| shared.end(cx, start, end))?;
        Ok(())
    }

    /// Takes the state of the window that is now, and where windows begin.
    pub fn keep(&self, cx: &Cx<'_>, parameters: &str) -> Option<Kept> {
        let fresh = self.shared.windowed.reset(cx, None).ok()?;
        let mut slot = self.shared.slot.lock();
        let state = std::mem::replace(&mut slot.state, fresh);
        let open = std::mem::take(&mut slot.open);
        let grid = self.grid.lock().clone();
        Some(Kept::new(parameters, (state, open, grid)))
    }

    /// Goes on with what [`Windows::keep`] gave.
    ///
    /// # Errors
    /// Why that does not fit.
    pub fn adopt(
        &self,
        cx: &Cx<'_>,
        kept: Kept,
        parameters: &str,
    ) -> std::result::Result<(), String> {
        let (state, open, grid): (W::State, bool, Grid) = kept.state(parameters)?;
        let (start, end) = match cx.get::<World>() {
            Ok(world) => grid.window(world.now()),
            Err(thrown) => return Err(thrown.to_string()),
        };
        *self.grid.lock() = grid;
        *self.shared.slot.lock() = Slot { state, open };
        if open {
            self.end_at(cx, start, end)
                .map_err(|thrown| thrown.to_string())?;
        }
        Ok(())
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
