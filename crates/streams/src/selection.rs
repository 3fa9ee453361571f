//! Which events of a batch are meant.

use std::cell::RefCell;

/// Indices into a batch, ascending. The memory is taken from and given back to a pool of the
/// thread, so that narrowing a selection allocates nothing in the steady state.
pub struct Selection {
    indices: Vec<u32>,
}

/// Vectors a thread keeps for reuse: as many as selections are alive at once in deeply nested
/// filters; more are freed.
const POOLED_MAX: usize = 64;

thread_local! {
    static POOL: RefCell<Vec<Vec<u32>>> = const { RefCell::new(Vec::new()) };
}

impl Selection {
    pub fn none() -> Selection {
        let pooled = POOL.with_borrow_mut(Vec::pop);
        Selection {
            indices: pooled.unwrap_or_default(),
        }
    }

    /// None, and no memory taken for more.
    pub(crate) fn empty() -> Selection {
        Selection {
            indices: Vec::new(),
        }
    }

    /// The first `len` events.
    pub fn first(len: usize) -> Selection {
        let mut all = Selection::none();
        all.indices
            .extend(0..u32::try_from(len).unwrap_or(u32::MAX));
        all
    }

    pub fn single(index: usize) -> Selection {
        let mut one = Selection::none();
        one.push(index);
        one
    }

    /// Adds an index, which must be above those already there.
    pub fn push(&mut self, index: usize) {
        let index = u32::try_from(index).expect("a batch has fewer than 2^32 events");
        debug_assert!(self.indices.last().is_none_or(|last| *last < index));
        self.indices.push(index);
    }

    pub fn len(&self) -> usize {
        self.indices.len()
    }

    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        self.indices.iter().map(|index| *index as usize)
    }

    pub fn contains(&self, index: usize) -> bool {
        u32::try_from(index).is_ok_and(|index| self.indices.binary_search(&index).is_ok())
    }

    /// Those of the indices that are wanted.
    pub fn filtered(&self, wanted: impl Fn(usize) -> bool) -> Selection {
        let mut left = Selection::none();
        left.indices
            .extend(self.indices.iter().filter(|index| wanted(**index as usize)));
        left
    }

    /// Those that are in the other selection, too.
    pub(crate) fn common(&self, other: &Selection) -> Selection {
        let mut left = Selection::none();
        if other.is_range() {
            let (first, last) = (other.indices[0], other.indices[other.len() - 1]);
            let within = |index: &&u32| (first..=last).contains(*index);
            left.indices.extend(self.indices.iter().filter(within));
        } else {
            let within = |index: &&u32| other.indices.binary_search(index).is_ok();
            left.indices.extend(self.indices.iter().filter(within));
        }
        left
    }

    /// True if no index between the first and the last is missing.
    fn is_range(&self) -> bool {
        match (self.indices.first(), self.indices.last()) {
            (Some(first), Some(last)) => (last - first) as usize + 1 == self.len(),
            _ => false,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.indices.clear();
    }

    /// Leaves an index out.
    pub fn remove(&mut self, index: usize) {
        if let Ok(at) = self.indices.binary_search(&(index as u32)) {
            self.indices.remove(at);
        }
    }
}

impl Clone for Selection {
    fn clone(&self) -> Selection {
        let mut copy = Selection::none();
        copy.indices.extend_from_slice(&self.indices);
        copy
    }
}

impl Drop for Selection {
    fn drop(&mut self) {
        let mut indices = std::mem::take(&mut self.indices);
        indices.clear();
        // The pool is gone while its thread ends; then the vector is simply freed.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if indices.capacity() > 0 && pool.len() < POOLED_MAX {
                pool.push(indices);
            }
        });
    }
}
