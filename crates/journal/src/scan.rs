//! Walks through the blocks of a segment, past damage.

use crate::Id;
use crate::block::{self, Header};
use crate::error::{Damage, Result};
use crate::limits::WINDOW_BYTES;
use crate::segment::{self, Segment};

/// What comes next in a segment.
#[derive(Debug)]
pub(crate) enum Step {
    /// A block; its stored bytes are [`Scan::body`] until the next step.
    Block(Header),
    /// Something was passed over.
    Damage(Damage),
    /// There is no more up to the limit.
    End,
}

/// A walk through a segment.
pub(crate) struct Scan {
    pub segment: Segment,
    /// Where the next block should begin.
    pub offset: u64,
    /// The id that the next block should begin with.
    pub id: u64,
    /// How far the segment's file is to be read.
    limit: u64,
    /// The id after the segment's last record; `u64::MAX` if that is to be found out.
    end: u64,
    /// Blocks that end before this id are passed over unread.
    target: u64,
    window: Vec<u8>,
    window_at: u64,
    body: (usize, usize),
}

impl Scan {
    /// A walk from the start of a segment up to `limit` and the id `end`.
    pub fn new(segment: Segment, limit: u64, end: u64) -> Scan {
        Scan {
            offset: segment::HEADER_BYTES as u64,
            id: segment.first,
            target: segment.first,
            segment,
            limit,
            end,
            window: Vec::new(),
            window_at: 0,
            body: (0, 0),
        }
    }

    /// Goes on up to a new limit, for records from `target` on.
    pub fn extend(&mut self, limit: u64, end: u64, target: u64) {
        (self.limit, self.end, self.target) = (limit, end, target);
        // What was read of the file beyond the old limit may have changed since.
        self.window.clear();
    }

    /// The stored bytes of the block that the last step found.
    pub fn body(&self) -> &[u8] {
        &self.window[self.body.0..self.body.1]
    }

    /// Where those bytes stand in [`Scan::window`].
    pub fn body_at(&self) -> usize {
        self.body.0
    }

    /// The bytes that were read from the file.
    pub fn window(&self) -> &[u8] {
        &self.window
    }

    /// The header of the next block, if the next step leaves [`Scan::window`] as it is.
    pub fn next_in_window(&self) -> Option<Header> {
        let at = self.offset.checked_sub(self.window_at)?;
        let bytes = self.window.get(at as usize..)?;
        Header::read(bytes).filter(|header| {
            header.block_bytes() <= bytes.len() as u64
                && header.first == self.id
                && self.belongs(header, self.offset)
        })
    }

    /// Walks on.
    pub fn step(&mut self) -> Result<Step> {
        loop {
            if self.id >= self.end || self.offset >= self.limit {
                return Ok(self.at_end());
            }
            let header = Header::read(self.view(block::HEADER_BYTES)?);
            let Some(header) = header.filter(|header| self.belongs(header, self.offset)) else {
                return self.search();
            };
            if header.first > self.id {
                let missing = self.damage(0, header.first);
                self.id = header.first;
                return Ok(Step::Damage(missing));
            }
            let len = block::HEADER_BYTES + header.stored_bytes as usize;
            let wanted = header.end() > self.target;
            if wanted {
                if self.view(len)?.len() < len {
                    return self.search();
                }
                let at = (self.offset - self.window_at) as usize;
                self.body = (at + block::HEADER_BYTES, at + len);
            }
            self.offset += header.block_bytes();
            self.id = self.id.max(header.end());
            if wanted {
                return Ok(Step::Block(header));
            }
        }
    }

    /// Whether a header may stand here: the walk meets only ids that go on.
    fn belongs(&self, header: &Header, offset: u64) -> bool {
        let body_end = offset + (block::HEADER_BYTES as u64) + u64::from(header.stored_bytes);
        header.first >= self.segment.first
            && header.end() > self.id
            && header.end() <= self.end
            && body_end <= self.limit
    }

    /// What is missing at the limit of a segment whose end is known.
    fn at_end(&mut self) -> Step {
        if self.end == u64::MAX || self.id >= self.end {
            return Step::End;
        }
        let missing = self.damage(self.limit.saturating_sub(self.offset), self.end);
        (self.id, self.offset) = (self.end, self.limit);
        Step::Damage(missing)
    }

    /// Looks for the next good block after bytes that are none.
    fn search(&mut self) -> Result<Step> {
        let mut offset = self.offset;
        loop {
            offset += block::ALIGN_BYTES as u64;
            if offset + block::HEADER_BYTES as u64 > self.limit {
                break;
            }
            let bytes = self.view_at(offset, block::HEADER_BYTES)?;
            if bytes.len() < block::HEADER_BYTES {
                break;
            }
            let Some(header) = Header::read(bytes).filter(|header| self.belongs(header, offset))
            else {
                continue;
            };
            let missing = self.damage(offset - self.offset, header.first);
            (self.offset, self.id) = (offset, header.first);
            return Ok(Step::Damage(missing));
        }
        Ok(if self.end == u64::MAX {
            Step::End
        } else {
            self.at_end()
        })
    }

    fn damage(&self, bytes: u64, next: u64) -> Damage {
        Damage {
            segment: Id(self.segment.first),
            offset: self.offset,
            bytes,
            first: Id(self.id),
            records: next - self.id,
        }
    }

    fn view(&mut self, len: usize) -> Result<&[u8]> {
        self.view_at(self.offset, len)
    }

    /// At least `len` bytes of the file, or those up to the limit.
    fn view_at(&mut self, offset: u64, len: usize) -> Result<&[u8]> {
        let room = self.limit.saturating_sub(offset);
        let need = room.min(len as u64) as usize;
        let end = self.window_at + self.window.len() as u64;
        let inside = offset >= self.window_at && offset + need as u64 <= end;
        if !inside {
            let want = room.min(len.max(WINDOW_BYTES) as u64) as usize;
            self.window.resize(want, 0);
            let read = self.segment.read(&mut self.window, offset)?;
            self.window.truncate(read);
            self.window_at = offset;
        }
        let at = (offset - self.window_at) as usize;
        let end = self.window.len().min(at + need);
        Ok(&self.window[at..end])
    }
}
