//! What events of a window measured, in one histogram.
//!
//! Windows follow each other from the moment a stream was built, and cost nothing while no event
//! comes. Threads count each in a part of their own; the end of the window merges the parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clj::{Cx, Result, Value, histogram_value};
use clock::Interval;
use event::{Event, Fields, Scalar, Time, View, Views};
use histogram::Histogram;
use parking_lot::Mutex;

use crate::keep::{self, Kept};
use crate::striped::Striped;
use crate::timer::{self, Grid};
use crate::{Batch, Children, Selection, Stream, StreamFn, World, arithmetic, fields};

/// A window that has ended, in which something was counted.
pub struct Window {
    pub histogram: Histogram,
    /// The most recent event that had a metric.
    pub last: Value,
    pub end: Time,
}

/// What becomes of each window.
type Finish = Box<dyn Fn(&Cx<'_>, &Children, Window) -> Result<()> + Send + Sync>;

/// A stream that counts what events measure, and tells its children of each window.
pub struct Distribution {
    name: &'static str,
    interval: Interval,
    grid: Mutex<Grid>,
    shared: Arc<Shared>,
}

struct Shared {
    parts: Striped<Part>,
    /// Counts what was added, so that the most recent of several parts is known.
    added: AtomicU64,
    /// True while the end of a window is scheduled.
    open: AtomicBool,
    children: Children,
    finish: Finish,
}

#[derive(Default)]
struct Part {
    histogram: Histogram,
    /// The most recent event that was counted, nil if none was, and its number among all.
    last: Value,
    number: u64,
}

/// The stream of that name, of windows of `dt`.
///
/// # Errors
/// When `dt` is no length of time above zero.
pub fn stream(
    cx: &Cx<'_>,
    name: &'static str,
    dt: &Value,
    children: &[Value],
    finish: impl Fn(&Cx<'_>, &Children, Window) -> Result<()> + Send + Sync + 'static,
) -> Result {
    let interval = timer::interval(dt)?;
    let shared = Shared {
        parts: Striped::default(),
        added: AtomicU64::new(0),
        open: AtomicBool::new(false),
        children: Children::of(children),
        finish: Box::new(finish),
    };
    let stream = Distribution {
        name,
        interval,
        grid: Mutex::new(Grid::from_now(cx, interval)?),
        shared: Arc::new(shared),
    };
    Ok(StreamFn::value(name, stream))
}

/// Counts the metric of any value: a number once, a histogram with all that it counted. False where
/// there is none.
///
/// # Errors
/// `ClassCastException` when it is neither.
pub fn count_metric(value: &Value, into: &mut Histogram) -> Result<bool> {
    if let Value::Event(event) = value
        && let Some(packed) = event.histogram()
    {
        packed.merge_into(into);
        return Ok(true);
    }
    let metric = fields::get(value, "metric");
    if metric.is_nil() {
        return Ok(false);
    }
    match histogram_value::of(&metric) {
        Some(histogram) => into.merge(histogram),
        None => histogram_value::insert(into, &arithmetic::number(&metric)?, 1),
    }
    Ok(true)
}

/// As [`count_metric`], of received events; the last that has a metric becomes `last`.
pub fn count_views(
    views: &Views<'_>,
    indices: impl Iterator<Item = usize>,
    into: &mut Histogram,
    last: &mut Value,
) -> bool {
    let counted = indices
        .filter(|index| count_view(views.head(*index), into))
        .last();
    let Some(counted) = counted else {
        return false;
    };
    match last {
        Value::Event(event) => event.overwrite(&views.get(counted)),
        other => *other = Value::Event(Event::from_view(&views.get(counted))),
    }
    true
}

fn count_view(view: &View<'_>, into: &mut Histogram) -> bool {
    match (view.metric, view.histogram) {
        (Some(Scalar::Int(int)), _) => into.insert_scaled(int, 0, 1),
        (Some(Scalar::F64(float)), _) => into.insert(float),
        (Some(Scalar::F32(float)), _) => into.insert(histogram_value::meant_by(float)),
        (None, Some(packed)) => packed.merge_into(into),
        (None, None) => return false,
    }
    true
}

impl Shared {
    fn next_number(&self) -> u64 {
        self.added.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts received events that are not expired; true if one had a metric.
    fn count_all(&self, views: &Views<'_>, now: Time, chosen: &Selection) -> bool {
        let live = |index: &usize| !fields::is_view_expired_at(now, views.head(*index));
        self.parts.with(|part| {
            let chosen = chosen.iter().filter(live);
            let counted = count_views(views, chosen, &mut part.histogram, &mut part.last);
            if counted {
                part.number = self.next_number();
            }
            counted
        })
    }

    /// Takes out all that was counted, and the most recent event; nil if there was none.
    fn take(&self) -> (Histogram, Value) {
        let (mut all, mut last, mut latest) = (Histogram::new(), Value::Nil, 0);
        self.parts.each(|part| {
            let counted = std::mem::take(&mut part.histogram);
            let event = std::mem::take(&mut part.last);
            if event.is_nil() {
                return;
            }
            if last.is_nil() {
                all = counted;
            } else {
                all.merge(&counted);
            }
            if last.is_nil() || part.number > latest {
                (last, latest) = (event, part.number);
            }
        });
        (all, last)
    }

    fn end(&self, cx: &Cx<'_>, end: Time) -> Result<()> {
        // Before the parts are taken: who adds to one after that finds the window closed, and has
        // the next one ended.
        self.open.store(false, Ordering::Relaxed);
        let (histogram, last) = self.take();
        if last.is_nil() {
            return Ok(());
        }
        let window = Window {
            histogram,
            last,
            end,
        };
        (self.finish)(cx, &self.children, window)
    }
}

impl Distribution {
    /// Has the window that is now ended, unless somebody has done so. After something was counted.
    fn opened(&self, cx: &Cx<'_>) -> Result<()> {
        let open = &self.shared.open;
        if !open.load(Ordering::Relaxed) && !open.swap(true, Ordering::Relaxed) {
            self.end_window(cx)?;
        }
        Ok(())
    }

    fn end_window(&self, cx: &Cx<'_>) -> Result<()> {
        let (_, end) = self.grid.lock().window(cx.get::<World>()?.now());
        let shared = self.shared.clone();
        timer::once_at(cx, end, move |cx| shared.end(cx, end))?;
        Ok(())
    }

    /// What must be the same for the state to go on.
    fn parameters(&self) -> String {
        keep::seconds(self.interval)
    }
}

impl Stream for Distribution {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        if fields::is_expired(cx, value)? {
            return Ok(Value::Nil);
        }
        let counted = self.shared.parts.with(|part| {
            let counted = count_metric(value, &mut part.histogram)?;
            if counted {
                part.last = value.clone();
                part.number = self.shared.next_number();
            }
            Ok::<bool, clj::Thrown>(counted)
        })?;
        if counted {
            self.opened(cx)?;
        }
        Ok(Value::Nil)
    }

    /// Counts the events where they lie, and keeps the last only.
    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        if let (Some(views), Ok(now)) = (batch.views(), batch.now(cx)) {
            let counted = self.shared.count_all(views, now, chosen);
            if let (true, Some(last)) = (counted, chosen.iter().next_back())
                && let Err(thrown) = self.opened(cx)
            {
                batch.fail(cx, last, self.name, thrown);
            }
            return;
        }
        for index in chosen.iter() {
            if let Err(thrown) = self.call(cx, batch.value(index)) {
                batch.fail(cx, index, self.name, thrown);
            }
        }
    }

    fn is_contained(&self) -> bool {
        self.shared.children.is_contained()
    }

    fn keep(&self, _: &Cx<'_>) -> Option<Kept> {
        let (histogram, last) = self.shared.take();
        let grid = self.grid.lock().clone();
        Some(Kept::new(self.parameters(), (histogram, last, grid)))
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        let (histogram, last, grid): (Histogram, Value, Grid) = kept.state(&self.parameters())?;
        *self.grid.lock() = grid;
        let open = !last.is_nil();
        self.shared.parts.with(|part| {
            part.histogram = histogram;
            part.last = last;
        });
        self.shared.open.store(open, Ordering::Relaxed);
        if open {
            self.end_window(cx).map_err(|thrown| thrown.to_string())?;
        }
        Ok(())
    }
}
