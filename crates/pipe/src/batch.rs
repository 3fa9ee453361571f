//! Many messages in one buffer.

use crate::PipeError;
use crate::limits::BATCH_BYTES;

/// Some messages, one after the other in one buffer.
///
/// ```
/// let mut batch = pipe::Batch::new();
/// batch.push(b"one");
/// batch.push(b"two");
/// assert_eq!(batch.iter().collect::<Vec<_>>(), [b"one", b"two"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where each message ends. Invariant: ascending; the last one is the length of `bytes`.
    ends: Vec<u32>,
    /// The number that the queue gave the first message. The others follow.
    first: u64,
}

impl Batch {
    /// An empty one, with room for a read.
    #[must_use]
    pub fn new() -> Batch {
        Batch {
            bytes: Vec::with_capacity(BATCH_BYTES),
            ends: Vec::new(),
            first: 0,
        }
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of all messages.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number that the queue gave the first message; it gives none twice.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Numbers the messages, from this one on.
    pub fn number(&mut self, first: u64) {
        self.first = first;
    }

    /// Appends a message.
    #[inline]
    pub fn push(&mut self, message: &[u8]) {
        self.bytes.extend_from_slice(message);
        self.end_message();
    }

    /// Appends messages of `size` bytes each, of which `bytes` is a whole number.
    pub fn push_fixed(&mut self, bytes: &[u8], size: usize) {
        debug_assert_eq!(bytes.len() % size, 0);
        let before = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        let ends = (1..=bytes.len() / size).map(|count| place(before + count * size));
        self.ends.extend(ends);
    }

    /// Appends a message that `write` appends to the bytes.
    pub fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.end_message();
    }

    /// Appends the messages of another.
    pub fn append(&mut self, other: &Batch) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        let ends = other.ends.iter().map(|&end| place(before + end as usize));
        self.ends.extend(ends);
    }

    /// Removes the first messages; the number of the first one left is as it was.
    pub fn remove_first(&mut self, count: usize) {
        let count = count.min(self.ends.len());
        if count == 0 {
            return;
        }
        let cut = self.ends[count - 1];
        self.bytes.drain(..cut as usize);
        self.ends.drain(..count);
        for end in &mut self.ends {
            *end -= cut;
        }
        self.first += count as u64;
    }

    /// Removes all messages. The buffer stays, unless one long message had made it large.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.bytes.clear();
        if self.bytes.capacity() > 4 * BATCH_BYTES {
            self.bytes.shrink_to(BATCH_BYTES);
        }
    }

    /// Writes the batch as bytes: the first number (8 bytes), the count (4), where each message
    /// ends (4 each), all little-endian, and the bytes of the messages.
    pub fn pack(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.first.to_le_bytes());
        out.extend_from_slice(&place(self.ends.len()).to_le_bytes());
        out.extend(self.ends.iter().flat_map(|end| end.to_le_bytes()));
        out.extend_from_slice(&self.bytes);
    }

    /// Becomes what was packed.
    ///
    /// # Errors
    /// It is no packed batch; this one is empty then.
    pub fn unpack(&mut self, packed: &[u8]) -> Result<(), PipeError> {
        self.clear();
        self.try_unpack(packed).ok_or_else(|| {
            self.clear();
            PipeError::Message("what was taken is no batch of messages".to_owned())
        })
    }

    fn try_unpack(&mut self, packed: &[u8]) -> Option<()> {
        let (first, rest) = packed.split_first_chunk()?;
        let (count, rest) = rest.split_first_chunk()?;
        let ends_bytes = (u32::from_le_bytes(*count) as usize).checked_mul(4)?;
        let (ends, bytes) = rest.split_at_checked(ends_bytes)?;
        let ends = ends.chunks_exact(4);
        self.ends
            .extend(ends.map(|end| u32::from_le_bytes([end[0], end[1], end[2], end[3]])));
        self.bytes.extend_from_slice(bytes);
        self.first = u64::from_le_bytes(*first);
        let whole = self.ends.last().map_or(0, |&end| end as usize) == bytes.len();
        (whole && self.ends.is_sorted()).then_some(())
    }

    /// The messages, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let message = &self.bytes[start..end as usize];
            start = end as usize;
            message
        })
    }

    #[inline]
    fn end_message(&mut self) {
        self.ends.push(place(self.bytes.len()));
    }
}

impl Default for Batch {
    fn default() -> Batch {
        Batch::new()
    }
}

#[inline]
fn place(at: usize) -> u32 {
    u32::try_from(at).expect("a batch is below 4 GiB: messages are limited")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_list_of_messages(
            one in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..20),
            other in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..20),
            gone in 0_usize..25,
        ) {
            let batch = |messages: &[Vec<u8>]| {
                let mut batch = Batch::new();
                messages.iter().for_each(|message| batch.push(message));
                batch
            };
            let mut both = batch(&one);
            both.number(7);
            both.append(&batch(&other));
            let mut model = [one, other].concat();
            prop_assert_eq!(both.iter().collect::<Vec<_>>(), model.clone());
            let (mut packed, mut unpacked) = (Vec::new(), Batch::new());
            both.pack(&mut packed);
            unpacked.unpack(&packed).unwrap();
            prop_assert_eq!(&unpacked, &both);
            both.remove_first(gone);
            let gone = gone.min(model.len());
            model.drain(..gone);
            prop_assert_eq!(both.iter().collect::<Vec<_>>(), model);
            prop_assert_eq!(both.first(), 7 + gone as u64);
        }
    }

    proptest! {
        #[test]
        fn nothing_that_is_unpacked_panics(bytes in prop::collection::vec(0..3_u8, 0..60)) {
            let mut batch = Batch::new();
            let _ = batch.unpack(&bytes);
            prop_assert_eq!(batch.iter().map(<[u8]>::len).sum::<usize>(), batch.bytes().len());
        }
    }

    #[test]
    fn messages_of_one_size_are_pushed_at_once() {
        let mut batch = Batch::new();
        batch.push(b"x");
        batch.push_fixed(b"aabbcc", 2);
        assert_eq!(
            batch.iter().collect::<Vec<_>>(),
            [&b"x"[..], b"aa", b"bb", b"cc"]
        );
        batch.clear();
        assert!(batch.is_empty() && batch.bytes().is_empty());
    }
}
