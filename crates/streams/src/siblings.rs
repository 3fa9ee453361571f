//! Streams that get the same events, one after the other, such that nobody can tell it from event
//! after event.
//!
//! Events that only closed streams get (see [`crate::Stream::is_contained`]) go child by child. One
//! that reaches a function of the configuration goes by itself through all children, after what
//! came before it and before what comes after it.

use std::cell::RefCell;

use clj::Cx;
use parking_lot::Mutex;

use crate::children::Child;
use crate::filter::Filter;
use crate::predicate::{Lookup, Memos};
use crate::{Batch, Pred, Selection};

/// The children of a stream, or the streams of a configuration.
pub(crate) struct Siblings {
    children: Box<[Child]>,
    /// Children that have a part in every batch, in order: those that are not found, and those that
    /// also want what does not pass.
    always: Box<[u32]>,
    found: Option<Found>,
}

/// Filters that are found by what an event holds.
struct Found {
    lookup: Lookup,
    /// What was learned; each thread takes one out for as long as it uses it.
    memos: Mutex<Vec<Memos>>,
}

/// Who gets what of a batch.
#[derive(Default)]
struct Routes {
    /// Of each child, the events that pass its filter.
    passing: Vec<Selection>,
    /// Children of which that is known. Those that are found are, whenever they have events.
    known: Vec<bool>,
    /// Children that are found or known, in order.
    filters: Vec<u32>,
    /// The children that are found for an event, event by event; `None` where it has to be asked.
    found: Vec<u32>,
    ends: Vec<Option<u32>>,
    /// Events that somebody could observe, by their distance from the first.
    observed: Vec<bool>,
    /// How many events there are.
    chosen: usize,
}

/// Batches within batches that a thread keeps memory for.
const SPARE_MAX: usize = 16;

thread_local! {
    static SPARE: RefCell<Vec<Routes>> = const { RefCell::new(Vec::new()) };
}

impl Siblings {
    pub fn of(children: Box<[Child]>) -> Siblings {
        let preds: Vec<Option<&Pred>> = children
            .iter()
            .map(|child| child.as_filter().map(Filter::pred))
            .collect();
        let found = Lookup::of(&preds).map(|lookup| Found {
            lookup,
            memos: Mutex::default(),
        });
        let always = (0..children.len() as u32).filter(|place| {
            let filter = children[*place as usize].as_filter();
            let finds = |found: &Found| found.lookup.finds(*place as usize);
            !found.as_ref().is_some_and(finds) || filter.is_some_and(Filter::has_otherwise)
        });
        Siblings {
            always: always.collect(),
            children,
            found,
        }
    }

    pub fn as_slice(&self) -> &[Child] {
        &self.children
    }

    /// True if some of them are found, so that one event, too, is worth a push.
    pub fn are_found(&self) -> bool {
        self.found.is_some()
    }

    /// Gives them the chosen events. `settle` takes out of a selection what must not go on to the
    /// later siblings.
    pub fn push(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        chosen: &Selection,
        settle: impl Fn(&mut Selection),
    ) {
        if let [child] = &*self.children {
            child.push(cx, batch, chosen);
            return settle(&mut Selection::empty());
        }
        if chosen.len() == 1 && self.found.is_none() {
            let mut remaining = chosen.clone();
            for child in &self.children {
                child.push(cx, batch, &remaining);
                settle(&mut remaining);
            }
            return;
        }
        let mut routes = SPARE.with_borrow_mut(Vec::pop).unwrap_or_default();
        self.find(cx, batch, chosen, &mut routes);
        if chosen.len() == 1 || self.observe(cx, batch, chosen, &mut routes) {
            self.push_events(cx, batch, chosen, &routes, &settle);
        } else {
            self.push_runs(cx, batch, chosen, &routes, &settle);
        }
        routes.clear();
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < SPARE_MAX {
                spare.push(routes);
            }
        });
    }

    /// Looks up who is found for each event.
    fn find(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection, routes: &mut Routes) {
        let Some(found) = &self.found else { return };
        let mut memos = found.memos.lock().pop().unwrap_or_default();
        let pred = |place: usize| self.children[place].as_filter().map(Filter::pred);
        for index in chosen.iter() {
            let subject = batch.subject(index);
            let sure = found
                .lookup
                .matching(cx, &mut memos, &subject, pred, &mut routes.found);
            routes.ends.push(sure.then_some(routes.found.len() as u32));
        }
        found.memos.lock().push(memos);
    }

    /// Finds out which events can be observed, and what passes the filters that this depends on.
    /// True if all of them can.
    fn observe(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        chosen: &Selection,
        routes: &mut Routes,
    ) -> bool {
        let first = chosen.iter().next().unwrap_or(0);
        let last = chosen.iter().next_back().unwrap_or(first);
        routes.begin(self.children.len(), last - first + 1);
        routes.chosen = chosen.len();
        for place in &self.always {
            let place = *place as usize;
            let child = &self.children[place];
            match child.as_filter() {
                Some(filter) if filter.pred().is_pure() => {
                    if !self.finds(place) && !filter.is_closed() {
                        routes.select(cx, batch, chosen, place, filter);
                    }
                }
                _ if child.is_contained() => {}
                _ => return true,
            }
        }
        self.place_found(chosen, first, routes);
        routes.filters.sort_unstable();
        for place in std::mem::take(&mut routes.filters) {
            if let Some(filter) = self.children[place as usize].as_filter() {
                routes.observe(filter, place as usize, chosen, first);
            }
            routes.filters.push(place);
        }
        routes.observed_all(chosen, first)
    }

    /// Turns round who is found for an event, to the events of each.
    fn place_found(&self, chosen: &Selection, first: usize, routes: &mut Routes) {
        if self.found.is_none() {
            return;
        }
        for place in &self.always {
            if self.finds(*place as usize) {
                routes.make_known(*place as usize);
            }
        }
        let mut from = 0;
        for (index, end) in chosen.iter().zip(std::mem::take(&mut routes.ends)) {
            routes.ends.push(end);
            let Some(end) = end else {
                routes.observed[index - first] = true;
                continue;
            };
            for at in from..end {
                let place = routes.found[at as usize] as usize;
                routes.make_known(place);
                routes.passing[place].push(index);
            }
            from = end;
        }
    }

    fn finds(&self, place: usize) -> bool {
        self.found
            .as_ref()
            .is_some_and(|found| found.lookup.finds(place))
    }

    /// Event by event.
    fn push_events(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        chosen: &Selection,
        routes: &Routes,
        settle: &impl Fn(&mut Selection),
    ) {
        let mut from = 0;
        for (number, index) in chosen.iter().enumerate() {
            let found = routes.found_of(number, &mut from);
            self.push_event(cx, batch, index, found, settle);
        }
    }

    /// One event; `found` is `None` where all have to be asked.
    fn push_event(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        index: usize,
        found: Option<&[u32]>,
        settle: &impl Fn(&mut Selection),
    ) {
        let mut one = Selection::single(index);
        let mut push = |place: u32, passes: Option<bool>| {
            let child = &self.children[place as usize];
            match (child.as_filter(), passes) {
                (Some(filter), Some(passes)) => filter.push_to(cx, batch, &one, passes),
                _ => child.push(cx, batch, &one),
            }
            settle(&mut one);
            one.is_empty()
        };
        match found {
            Some(found) => {
                in_order(&self.always, found, |place, is_found| {
                    let passes = self.finds(place as usize).then_some(is_found);
                    push(place, passes)
                });
            }
            None => {
                (0..self.children.len() as u32).any(|place| push(place, None));
            }
        }
    }

    /// Child by child, what lies between events that can be observed.
    fn push_runs(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        chosen: &Selection,
        routes: &Routes,
        settle: &impl Fn(&mut Selection),
    ) {
        if !routes.observed.contains(&true) {
            return self.push_run(cx, batch, chosen, routes, settle);
        }
        let first = chosen.iter().next().unwrap_or(0);
        let mut run = Selection::none();
        let mut from = 0;
        for (number, index) in chosen.iter().enumerate() {
            let found = routes.found_of(number, &mut from);
            if !routes.observed[index - first] {
                run.push(index);
                continue;
            }
            if !run.is_empty() {
                self.push_run(cx, batch, &run, routes, settle);
                run.clear();
            }
            self.push_event(cx, batch, index, found, settle);
        }
        if !run.is_empty() {
            self.push_run(cx, batch, &run, routes, settle);
        }
    }

    fn push_run(
        &self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        run: &Selection,
        routes: &Routes,
        settle: &impl Fn(&mut Selection),
    ) {
        let mut remaining = run.clone();
        in_order(&self.always, &routes.filters, |place, _| {
            let place = place as usize;
            let child = &self.children[place];
            match child.as_filter() {
                Some(filter) if routes.known[place] => {
                    let passing = &routes.passing[place];
                    if remaining.len() == routes.chosen {
                        filter.push_both(cx, batch, &remaining, passing);
                    } else {
                        filter.push_both(cx, batch, &remaining, &passing.common(&remaining));
                    }
                }
                _ => child.push(cx, batch, &remaining),
            }
            settle(&mut remaining);
            remaining.is_empty()
        });
    }
}

/// Goes through two ascending lists as one, without doubles, telling whether the second has it,
/// until `visit` says that it is enough.
fn in_order(a: &[u32], b: &[u32], mut visit: impl FnMut(u32, bool) -> bool) {
    let (mut a, mut b) = (a, b);
    loop {
        let (next, of_b) = match (a.first(), b.first()) {
            (None, None) => return,
            (Some(a), None) => (*a, false),
            (None, Some(b)) => (*b, true),
            (Some(a), Some(b)) => (*a.min(b), b <= a),
        };
        if a.first() == Some(&next) {
            a = &a[1..];
        }
        if of_b {
            b = &b[1..];
        }
        if visit(next, of_b) {
            return;
        }
    }
}

impl Routes {
    fn begin(&mut self, children: usize, span: usize) {
        if self.passing.len() < children {
            self.passing.resize_with(children, Selection::empty);
            self.known.resize(children, false);
        }
        self.observed.resize(span, false);
    }

    fn clear(&mut self) {
        for place in self.filters.drain(..) {
            self.passing[place as usize].clear();
            self.known[place as usize] = false;
        }
        self.found.clear();
        self.ends.clear();
        self.observed.clear();
    }

    fn make_known(&mut self, place: usize) {
        if !std::mem::replace(&mut self.known[place], true) {
            self.filters.push(place as u32);
        }
    }

    /// Asks a filter that is not found.
    fn select(
        &mut self,
        cx: &Cx<'_>,
        batch: &Batch<'_>,
        chosen: &Selection,
        place: usize,
        filter: &Filter,
    ) {
        let first = chosen.iter().next().unwrap_or(0);
        let observed = &mut self.observed;
        let mut fail = |index: usize, _| observed[index - first] = true;
        let passing = filter.pred().select(cx, batch, chosen, &mut fail);
        self.make_known(place);
        self.passing[place] = passing;
    }

    /// Marks the events that get to where a filter can be observed.
    fn observe(&mut self, filter: &Filter, place: usize, chosen: &Selection, first: usize) {
        let (then, otherwise) = filter.are_contained();
        let passing = &self.passing[place];
        if !then {
            passing
                .iter()
                .for_each(|index| self.observed[index - first] = true);
        }
        if !otherwise {
            let others = chosen.iter().filter(|index| !passing.contains(*index));
            others.for_each(|index| self.observed[index - first] = true);
        }
    }

    fn observed_all(&self, chosen: &Selection, first: usize) -> bool {
        chosen.iter().all(|index| self.observed[index - first])
    }

    /// The children found for the event of that number; `from` is where they begin, and then where
    /// the next ones do.
    fn found_of(&self, number: usize, from: &mut u32) -> Option<&[u32]> {
        let Some(end) = self.ends.get(number) else {
            return Some(&[]);
        };
        let begin = *from;
        let end = (*end)?;
        *from = end;
        Some(&self.found[begin as usize..end as usize])
    }
}
