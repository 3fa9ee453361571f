//! Bins that a periodic task switches while events come in, empty ones too.

use std::sync::Arc;

use clj::{Cx, Result, Value};
use clock::Interval;
use event::{Time, View};
use parking_lot::Mutex;

use crate::World;
use crate::keep::Kept;
use crate::periodic::{Periodic, Phase};

/// What is collected in a bin, and what becomes of it.
pub trait Binned: Send + Sync + 'static {
    type Bin: Send + 'static;

    /// An empty bin.
    ///
    /// # Errors
    /// What a function of the configuration throws.
    fn create(&self, cx: &Cx<'_>) -> Result<Self::Bin>;

    /// Called at the end of every interval, with its start and end.
    ///
    /// # Errors
    /// What a function of the configuration throws.
    fn finish(&self, cx: &Cx<'_>, bin: Self::Bin, start: Time, end: Time) -> Result<()>;
}

/// A running row of bins; it starts with the first event and stops with an expired one. As Riemann's
/// `part-time-fast`.
pub struct Bins<B: Binned> {
    shared: Arc<Shared<B>>,
    periodic: Periodic,
}

struct Shared<B: Binned> {
    binned: B,
    current: Mutex<Option<(B::Bin, Time)>>,
}

impl<B: Binned> Bins<B> {
    pub fn new(interval: Interval, binned: B) -> Bins<B> {
        let shared = Arc::new(Shared {
            binned,
            current: Mutex::new(None),
        });
        let switched = shared.clone();
        let delay = interval.after(Time::from_s(0), 1);
        let periodic = Periodic::new(interval, delay, move |cx| switched.switch(cx));
        Bins { shared, periodic }
    }

    pub fn inner(&self) -> &B {
        &self.shared.binned
    }

    /// Adds an event to the current bin; an expired one ends the row, and what the bin held is
    /// forgotten.
    ///
    /// # Errors
    /// What `add` throws.
    pub fn add(
        &self,
        cx: &Cx<'_>,
        event: &Value,
        add: impl FnOnce(&mut B::Bin) -> Result<()>,
    ) -> Result<()> {
        if !self.periodic.see(cx, event)? {
            self.shared.current.lock().take();
            return Ok(());
        }
        self.add_now(cx, add)
    }

    /// As [`Bins::add`], of received events none of which is expired; `last` is the last of them.
    ///
    /// # Errors
    /// What `add` throws.
    pub fn add_live(
        &self,
        cx: &Cx<'_>,
        last: &View<'_>,
        add: impl FnOnce(&mut B::Bin) -> Result<()>,
    ) -> Result<()> {
        self.periodic.see_live(cx, last)?;
        self.add_now(cx, add)
    }

    fn add_now(&self, cx: &Cx<'_>, add: impl FnOnce(&mut B::Bin) -> Result<()>) -> Result<()> {
        let mut current = self.shared.current.lock();
        if current.is_none() {
            *current = Some((self.shared.binned.create(cx)?, cx.get::<World>()?.now()));
        }
        match &mut *current {
            Some((bin, _)) => add(bin),
            None => Ok(()),
        }
    }
}

impl<B: Binned> Bins<B> {
    /// Takes the bin that is filled now, and when it is to be switched.
    pub fn keep(&self, parameters: &str) -> Option<Kept> {
        let phase = self.periodic.keep();
        let current = self.shared.current.lock().take();
        Some(Kept::new(parameters, (current, phase)))
    }

    /// Goes on with what [`Bins::keep`] gave.
    ///
    /// # Errors
    /// Why that does not fit.
    pub fn adopt(
        &self,
        cx: &Cx<'_>,
        kept: Kept,
        parameters: &str,
    ) -> std::result::Result<(), String> {
        let (current, phase): (Option<(B::Bin, Time)>, Phase) = kept.state(parameters)?;
        *self.shared.current.lock() = current;
        self.periodic
            .adopt(cx, phase)
            .map_err(|thrown| thrown.to_string())
    }

    pub fn interval(&self) -> Interval {
        self.periodic.interval()
    }
}

impl<B: Binned> Shared<B> {
    fn switch(&self, cx: &Cx<'_>) -> Result<()> {
        let end = cx.get::<World>()?.now();
        let fresh = self.binned.create(cx)?;
        let full = {
            let mut current = self.current.lock();
            match &mut *current {
                Some(current) => std::mem::replace(current, (fresh, end)),
                None => return Ok(()),
            }
        };
        self.binned.finish(cx, full.0, full.1, end)
    }
}
