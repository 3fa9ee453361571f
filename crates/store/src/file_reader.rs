//! Reads a batch's file: its top is kept, pages and blocks are read when they are wanted, and
//! every checksum is looked at every time.

use std::sync::Arc;

use journal::disk::{Disk, DiskFile};

use crate::blocks::{Batch, EachFound, Found, Wanted};
use crate::error::{Damage, Error, Result};
use crate::layout::{
    self, Entry, FOOTER_BYTES, FRAME_BYTES, Footer, HEADER_BYTES, TOP_BYTES, Top, Unread,
};
use crate::limits::BLOCK_BYTES_MAX;
use crate::series::SeriesId;

/// A file of blocks.
pub(crate) struct BlockFile {
    pub name: String,
    pub bytes: u64,
    pub bucket_us: i64,
    tops: Vec<Top>,
    footer: Footer,
}

/// What opening a file gave.
pub(crate) enum Opened {
    Good(BlockFile),
    Damaged(Damage),
}

impl BlockFile {
    /// Reads what is kept of a file.
    pub fn open(disk: &dyn Disk, batch: Batch) -> Result<Opened> {
        let name = layout::name_of(batch);
        let file = open(disk, &name)?;
        let bytes = file
            .len()
            .map_err(|error| Error::io("read", &name, error))?;
        let damaged = |offset, bytes, what| {
            Ok(Opened::Damaged(Damage {
                file: name.clone(),
                offset,
                bytes,
                what,
            }))
        };
        let header = read(&*file, &name, 0, HEADER_BYTES as u64)?;
        let bucket_us = match layout::read_header(&header, batch) {
            Ok(bucket_us) => bucket_us,
            Err(Unread::Version(found)) => {
                return Err(Error::Version {
                    file: name,
                    found,
                    known: layout::VERSION,
                });
            }
            Err(Unread::Damaged) => return damaged(0, bytes, "the header"),
        };
        let footer_at = bytes.saturating_sub(FOOTER_BYTES as u64);
        let footer = read(&*file, &name, footer_at, FOOTER_BYTES as u64)?;
        let Some(footer) = Footer::decode(&footer, bytes) else {
            return damaged(footer_at, bytes - footer_at, "the footer");
        };
        let top_bytes = footer_at - footer.top_at;
        let top = read(&*file, &name, footer.top_at, top_bytes)?;
        if crc32c::crc32c(&top) != footer.top_checksum {
            return damaged(footer.top_at, top_bytes, "the top of the index");
        }
        let tops = top.chunks_exact(TOP_BYTES).map(Top::decode).collect();
        Ok(Opened::Good(BlockFile {
            name,
            bytes,
            bucket_us,
            tops,
            footer,
        }))
    }

    /// Gives the wanted blocks.
    pub fn scan(&self, file: &dyn DiskFile, wanted: Wanted, each: &mut EachFound) -> Result<()> {
        let after = self
            .tops
            .partition_point(|top| top.series < wanted.first_series);
        let mut buffer = Vec::new();
        for top in &self.tops[after.saturating_sub(1)..] {
            if top.series > wanted.last_series {
                break;
            }
            let Some(entries) = self.page(file, top)? else {
                if !each(Found::Damage(self.damage(
                    top.page_at,
                    top.len,
                    "a page of the index",
                )))? {
                    return Ok(());
                }
                continue;
            };
            let mut at = top.block_at;
            for entry in entries {
                let block_at = at;
                at += FRAME_BYTES as u64 + u64::from(entry.len);
                if !is_wanted(&entry, &wanted) {
                    continue;
                }
                read_into(file, &self.name, block_at, at - block_at, &mut buffer)?;
                let found = match layout::unframe(&buffer) {
                    Some(bytes) => Found::Block(entry.series, bytes),
                    None => Found::Damage(self.damage(block_at, entry.len, "a block")),
                };
                if !each(found)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The series, in order; those of damaged pages are left out.
    pub fn series(&self, file: &dyn DiskFile) -> Result<Vec<SeriesId>> {
        let mut series = Vec::new();
        for top in &self.tops {
            let entries = self.page(file, top)?.unwrap_or_default();
            series.extend(entries.iter().map(|entry| entry.series));
            series.dedup();
        }
        Ok(series)
    }

    /// Looks at every byte.
    pub fn verify(&self, file: &dyn DiskFile, damages: &mut Vec<Damage>) -> Result<u64> {
        let (mut at, mut page_at, mut blocks) = (HEADER_BYTES as u64, self.footer.pages_at, 0);
        for top in &self.tops {
            let Some(entries) = self.page(file, top)? else {
                damages.push(self.damage(top.page_at, top.len, "a page of the index"));
                page_at = top.page_at + FRAME_BYTES as u64 + u64::from(top.len);
                // The blocks of this page cannot be told apart; they end where the next begin.
                let next = self.tops.iter().find(|next| next.block_at > top.block_at);
                at = next.map_or(self.footer.pages_at, |next| next.block_at);
                continue;
            };
            if top.block_at != at || top.page_at != page_at {
                damages.push(self.damage(top.page_at, top.len, "a page out of its place"));
            }
            at = top.block_at;
            page_at = top.page_at + FRAME_BYTES as u64 + u64::from(top.len);
            for entry in entries {
                let len = FRAME_BYTES as u64 + u64::from(entry.len);
                let bytes = read(file, &self.name, at, len)?;
                let content = layout::unframe(&bytes).and_then(crate::block::decode);
                if content.is_none() {
                    damages.push(self.damage(at, entry.len, "a block"));
                }
                blocks += u64::from(content.is_some());
                at += len;
            }
        }
        if at != self.footer.pages_at || page_at != self.footer.top_at {
            damages.push(self.damage(at, 0, "bytes that belong to nothing"));
        }
        Ok(blocks)
    }

    fn page(&self, file: &dyn DiskFile, top: &Top) -> Result<Option<Vec<Entry>>> {
        let len = FRAME_BYTES as u64 + u64::from(top.len);
        let bytes = read(file, &self.name, top.page_at, len)?;
        Ok(layout::unframe(&bytes).and_then(layout::decode_page))
    }

    fn damage(&self, offset: u64, len: u32, what: &'static str) -> Damage {
        Damage {
            file: self.name.clone(),
            offset,
            bytes: FRAME_BYTES as u64 + u64::from(len),
            what,
        }
    }
}

fn is_wanted(entry: &Entry, wanted: &Wanted) -> bool {
    (wanted.first_series..=wanted.last_series).contains(&entry.series)
        && entry.last_us >= wanted.from_us
        && entry.first_us <= wanted.to_us
}

/// Opens a file that should be there.
pub(crate) fn open(disk: &dyn Disk, name: &str) -> Result<Arc<dyn DiskFile>> {
    disk.open(name, false).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::Gone(name.to_owned()),
        _ => Error::io("open", name, error),
    })
}

/// Reads so many bytes, or fewer at the end of the file.
pub(crate) fn read(file: &dyn DiskFile, name: &str, at: u64, len: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_into(file, name, at, len, &mut bytes)?;
    Ok(bytes)
}

fn read_into(
    file: &dyn DiskFile,
    name: &str,
    at: u64,
    len: u64,
    bytes: &mut Vec<u8>,
) -> Result<()> {
    let failed = |error| Error::io("read", name, error);
    let rest = file.len().map_err(failed)?.saturating_sub(at);
    bytes.resize(len.min(rest).min(BLOCK_BYTES_MAX) as usize, 0);
    let read = file.read_at(bytes, at).map_err(failed)?;
    bytes.truncate(read);
    Ok(())
}
