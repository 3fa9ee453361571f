//! Events on their way together.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};

use clj::{Cx, Result, Thrown, Value};
use event::{Attr, Draft, Event, Field, Fields, Number, Time, Views};

use crate::World;
use crate::predicate::Subject;

/// Some events: either as they were received, in their buffer, or as values. A received event is
/// made into an owned value when something first asks for it, once.
pub struct Batch<'a> {
    source: Source<'a>,
    /// Made from received events; empty for values.
    owned: Vec<OnceCell<Value>>,
    /// What was thrown where nothing rescues, by index.
    failures: RefCell<Vec<(usize, Thrown)>>,
    rescued: Cell<bool>,
    /// The stream that has it at the moment.
    name: Cell<&'static str>,
    now: Cell<Option<Time>>,
}

enum Source<'a> {
    Views(&'a Views<'a>),
    Values(&'a [Value]),
}

type Cells = Vec<OnceCell<Value>>;

/// Batches made of batches that a thread keeps the memory of; deeper ones allocate.
const SPARE_MAX: usize = 8;

thread_local! {
    /// The emptied cells of batches, for the next ones.
    static CELLS: RefCell<Vec<Cells>> = const { RefCell::new(Vec::new()) };
    /// The same of events that streams derived from received ones.
    static DERIVED: RefCell<Vec<Views<'static>>> = const { RefCell::new(Vec::new()) };
}

impl<'a> Batch<'a> {
    /// Received events.
    pub fn of_views(views: &'a Views<'a>) -> Batch<'a> {
        let mut owned = CELLS.with_borrow_mut(Vec::pop).unwrap_or_default();
        owned.resize_with(views.len(), OnceCell::new);
        Batch::new(Source::Views(views), owned)
    }

    pub fn of_values(values: &'a [Value]) -> Batch<'a> {
        Batch::new(Source::Values(values), Vec::new())
    }

    fn new(source: Source<'a>, owned: Cells) -> Batch<'a> {
        Batch {
            source,
            owned,
            failures: RefCell::default(),
            rescued: Cell::new(true),
            name: Cell::new("stream"),
            now: Cell::new(None),
        }
    }

    pub fn len(&self) -> usize {
        match self.source {
            Source::Views(views) => views.len(),
            Source::Values(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The event as an owned value.
    ///
    /// # Panics
    /// If `index` is not below [`Batch::len`].
    pub fn value(&self, index: usize) -> &Value {
        match self.source {
            Source::Values(values) => &values[index],
            Source::Views(views) => {
                self.owned[index].get_or_init(|| Value::Event(Event::from_view(&views.get(index))))
            }
        }
    }

    /// The fields of a received event, to pack it with some of them changed.
    pub fn draft(&self, index: usize) -> Option<Draft<'_>> {
        let view = self.views()?.get(index);
        let tags = || view.tags.iter().map(|tag| Cow::Borrowed(*tag)).collect();
        let attrs = view
            .attrs
            .iter()
            .map(|(k, v)| (Cow::Borrowed(*k), Cow::Borrowed(*v)));
        let histogram = view.histogram();
        let histogram = histogram.map(|h| (Field::Metric, Attr::Histogram(h.to_owned())));
        Some(Draft {
            host: view.host.map(Cow::Borrowed),
            service: view.service.map(Cow::Borrowed),
            state: view.state.map(Cow::Borrowed),
            description: view.description.map(Cow::Borrowed),
            metric: view.metric.map(Number::from),
            tags: (!view.tags.is_empty()).then(tags),
            time: view.time,
            ttl: view.ttl.map(Number::from),
            attrs: attrs.collect(),
            odd_fields: histogram.into_iter().collect(),
            ..Draft::record()
        })
    }

    /// Gives `body` a batch of events derived from received ones, those that `fill` pushes, of this
    /// same moment.
    pub(crate) fn derive<'b>(
        &self,
        fill: impl FnOnce(&mut Views<'b>),
        body: impl FnOnce(&Batch<'_>),
    ) {
        let spare = DERIVED.with_borrow_mut(Vec::pop).unwrap_or_default();
        let mut views = spare.recycle();
        fill(&mut views);
        let derived = Batch::of_views(&views);
        derived.now.set(self.now.get());
        body(&derived);
        drop(derived);
        let _ = DERIVED.try_with(|spare| keep(&mut spare.borrow_mut(), views.recycle()));
    }

    /// The event as it lies, for a predicate.
    pub fn subject(&self, index: usize) -> Subject<'_> {
        Subject::Row(self, index)
    }

    /// The time, read once for all events.
    ///
    /// # Errors
    /// When the runtime has no [`World`].
    pub fn now(&self, cx: &Cx<'_>) -> Result<Time> {
        if let Some(now) = self.now.get() {
            return Ok(now);
        }
        let now = cx.get::<World>()?.now();
        self.now.set(Some(now));
        Ok(now)
    }

    /// The received events, unless these are values.
    pub fn views(&self) -> Option<&Views<'a>> {
        match self.source {
            Source::Views(views) => Some(views),
            Source::Values(_) => None,
        }
    }

    /// Tells that a stream threw on the event at `index`. Below another stream that is reported,
    /// as `call-rescue` does; at the top it is kept for whoever sent the event.
    pub fn fail(&self, cx: &Cx<'_>, index: usize, who: &str, thrown: Thrown) {
        if self.rescued.get() {
            crate::rescue::rescue(cx, who, thrown, self.value(index));
        } else {
            self.failures.borrow_mut().push((index, thrown));
        }
    }

    /// Runs `body` with failures kept (`rescued` false) or reported.
    pub(crate) fn with_rescue<R>(&self, rescued: bool, body: impl FnOnce() -> R) -> R {
        let before = self.rescued.replace(rescued);
        let result = body();
        self.rescued.set(before);
        result
    }

    /// The name of the stream that has it at the moment.
    pub(crate) fn name(&self) -> &'static str {
        self.name.get()
    }

    /// Runs `body`, the push of the stream of that name.
    pub(crate) fn with_name(&self, name: &'static str, body: impl FnOnce()) {
        let before = self.name.replace(name);
        body();
        self.name.set(before);
    }

    pub(crate) fn take_failures(&self) -> Vec<(usize, Thrown)> {
        self.failures.take()
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut owned = std::mem::take(&mut self.owned);
        if owned.capacity() > 0 {
            owned.clear();
            // The spare is gone while its thread ends; then the cells are simply freed.
            let _ = CELLS.try_with(|spare| keep(&mut spare.borrow_mut(), owned));
        }
    }
}

fn keep<T>(spare: &mut Vec<T>, emptied: T) {
    if spare.len() < SPARE_MAX {
        spare.push(emptied);
    }
}
