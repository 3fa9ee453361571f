//! The targets of one durable sink, and what is on its way to them.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::outlet::Outlet;
use crate::pace::Pace;
use crate::target::{DeliveryError, Target};

/// The targets that one sink has opened. What the sink's streams offer while a record is in hand
/// lies on a tray of its target until that has taken it.
///
/// Used by one thread at a time.
#[derive(Default)]
pub struct Crew {
    members: Mutex<Vec<Known>>,
    /// The record that offers now.
    record: Arc<AtomicUsize>,
    /// Items go one by one, up to this many more: one of them was refused in company.
    singly: AtomicUsize,
}

struct Known {
    /// What it was opened under.
    key: String,
    outlet: Arc<dyn Any + Send + Sync>,
    member: Arc<dyn Member>,
}

/// A target with its tray.
trait Member: Send + Sync {
    fn batch_max(&self) -> usize;
    fn waiting(&self) -> usize;
    /// Delivers the oldest, at most so many; gives how many that were.
    fn deliver(&self, max: usize) -> Result<usize, Failed>;
    /// Takes the oldest away, and gives their records.
    fn give_up(&self, items: usize) -> Vec<usize>;
    fn first_record(&self) -> Option<usize>;
    /// Takes away what a record has offered.
    fn take_back(&self, record: usize);
}

/// A delivery that failed, of so many items.
pub struct Failed {
    pub items: usize,
    pub error: DeliveryError,
}

struct Held<T: Target> {
    target: Mutex<T>,
    tray: Arc<Mutex<Tray<T::Item>>>,
}

struct Tray<I> {
    items: VecDeque<I>,
    /// Of which record each of `items` is.
    records: VecDeque<usize>,
}

impl Crew {
    /// The outlet that was opened under this key, or a new one: what it is offered goes to the
    /// crew's courier.
    ///
    /// # Errors
    /// What making the target gives.
    pub fn open<T: Target + 'static, E>(
        &self,
        key: &str,
        pace: Arc<dyn Pace>,
        target: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<Outlet<T::Item>>, E> {
        if let Some(known) = self.find(key) {
            return Ok(known);
        }
        let target = target()?;
        let tray = Arc::new(Mutex::new(Tray {
            items: VecDeque::new(),
            records: VecDeque::new(),
        }));
        let (own, record) = (tray.clone(), self.record.clone());
        let outlet = Outlet::detached(
            key,
            pace,
            Box::new(move |item| {
                let mut tray = own.lock();
                tray.items.push_back(item);
                tray.records.push_back(record.load(Ordering::Relaxed));
                None
            }),
        );
        let outlet = Arc::new(outlet);
        let member = Arc::new(Held {
            target: Mutex::new(target),
            tray,
        });
        self.members.lock().push(Known {
            key: key.to_owned(),
            outlet: outlet.clone(),
            member,
        });
        Ok(outlet)
    }

    fn find<O: Any + Send + Sync>(&self, key: &str) -> Option<Arc<O>> {
        let members = self.members.lock();
        let known = members.iter().find(|known| known.key == key);
        known.and_then(|known| known.outlet.clone().downcast().ok())
    }

    fn members(&self) -> Vec<Arc<dyn Member>> {
        let members = self.members.lock();
        members.iter().map(|known| known.member.clone()).collect()
    }

    /// As many records as its targets take at once: a target whose deliveries people see takes one.
    pub fn batch_max(&self) -> usize {
        let sizes = self.members().into_iter().map(|member| member.batch_max());
        sizes.min().unwrap_or(1).max(1)
    }

    /// What is offered from now on is of that record.
    pub fn begin(&self, record: usize) {
        self.record.store(record, Ordering::Relaxed);
    }

    /// Takes away what a record has offered.
    pub fn take_back(&self, record: usize) {
        for member in self.members() {
            member.take_back(record);
        }
    }

    /// Delivers the next batch, if there is one; false if nothing is left.
    ///
    /// # Errors
    /// When the batch was not taken. It stays on its tray.
    pub fn deliver(&self) -> Result<bool, Failed> {
        let members = self.members();
        let Some(member) = members.iter().find(|member| member.waiting() > 0) else {
            return Ok(false);
        };
        let single = self.singly.load(Ordering::Relaxed) > 0;
        let delivered = member.deliver(if single { 1 } else { usize::MAX })?;
        self.leave_company(delivered);
        Ok(true)
    }

    /// Gives up what the last delivery failed on, and tells its records. A batch that was refused
    /// as a whole is not given up: its items are tried one by one from then on.
    pub fn give_up(&self, failed: &Failed) -> Vec<usize> {
        if failed.items > 1 && !failed.error.retry {
            self.singly.store(failed.items, Ordering::Relaxed);
            return Vec::new();
        }
        let members = self.members();
        let Some(member) = members.iter().find(|member| member.waiting() > 0) else {
            return Vec::new();
        };
        let mut records = member.give_up(failed.items);
        self.leave_company(failed.items);
        records.dedup();
        records
    }

    fn leave_company(&self, items: usize) {
        let left = self.singly.load(Ordering::Relaxed).saturating_sub(items);
        self.singly.store(left, Ordering::Relaxed);
    }

    /// The oldest record of which something has not left.
    pub fn first_record(&self) -> Option<usize> {
        let members = self.members();
        members
            .iter()
            .filter_map(|member| member.first_record())
            .min()
    }
}

impl<T: Target> Member for Held<T> {
    fn batch_max(&self) -> usize {
        self.target.lock().batch_max()
    }

    fn waiting(&self) -> usize {
        self.tray.lock().items.len()
    }

    fn deliver(&self, max: usize) -> Result<usize, Failed> {
        let mut target = self.target.lock();
        let mut tray = self.tray.lock();
        let items = tray.items.len().min(target.batch_max().max(1)).min(max);
        let batch = &tray.items.make_contiguous()[..items];
        let delivered = catch_unwind(AssertUnwindSafe(|| {
            target.deliver(batch)?;
            target.confirm()
        }));
        delivered
            .unwrap_or_else(|_| Err(DeliveryError::lasting("the target panicked")))
            .map_err(|error| Failed { items, error })?;
        tray.items.drain(..items);
        tray.records.drain(..items);
        Ok(items)
    }

    fn give_up(&self, items: usize) -> Vec<usize> {
        let mut tray = self.tray.lock();
        let items = items.min(tray.items.len());
        tray.items.drain(..items);
        tray.records.drain(..items).collect()
    }

    fn first_record(&self) -> Option<usize> {
        self.tray.lock().records.front().copied()
    }

    fn take_back(&self, record: usize) {
        let mut tray = self.tray.lock();
        while tray.records.back() == Some(&record) {
            tray.records.pop_back();
            tray.items.pop_back();
        }
    }
}
