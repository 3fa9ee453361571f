//! Writes a batch to a file: under another name until it is whole and durable.

use std::sync::Arc;

use journal::disk::{Disk, DiskFile};

use crate::block::Packed;
use crate::blocks::{Batch, NextBlock};
use crate::error::{Error, Result};
use crate::layout::{self, Entry, Footer, Top};
use crate::limits::{PAGE_ENTRIES, WRITE_BYTES};
use crate::series::SeriesId;

/// What a file is called while it is written.
pub(crate) const NEW: &str = ".new";

/// Writes a batch's file; returns its index and bytes.
pub(crate) fn write(
    disk: &dyn Disk,
    batch: Batch,
    bucket_us: i64,
    next: &mut NextBlock,
) -> Result<()> {
    let name = layout::name_of(batch);
    let new = format!("{name}{NEW}");
    let written = write_new(disk, &new, &layout::header(batch, bucket_us), next);
    if let Err(error) = written {
        // What is left of it is removed at the next start, if it cannot be now.
        let _ = disk.remove(&new);
        return Err(error);
    }
    disk.rename(&new, &name)
        .map_err(|error| Error::io("rename", &new, error))?;
    disk.sync_names()
        .map_err(|error| Error::io("sync", "the folder", error))
}

fn write_new(disk: &dyn Disk, name: &str, header: &[u8], next: &mut NextBlock) -> Result<()> {
    let failed = |what| move |error| Error::io(what, name, error);
    let file = disk.open(name, true).map_err(failed("make"))?;
    file.set_len(0).map_err(failed("empty"))?;
    let mut writer = Writer {
        file,
        name,
        buffer: Vec::with_capacity(WRITE_BYTES + WRITE_BYTES / 4),
        at: 0,
        entries: Vec::new(),
        pages: Vec::new(),
        tops: Vec::new(),
        footer: Footer::default(),
    };
    writer.write(header)?;
    while let Some((series, packed)) = next()? {
        writer.block(series, &packed)?;
    }
    writer.end()
}

struct Writer<'a> {
    file: Arc<dyn DiskFile>,
    name: &'a str,
    buffer: Vec<u8>,
    /// Where the buffer goes.
    at: u64,
    /// Entries of the page that is being filled.
    entries: Vec<Entry>,
    /// Pages with their frames, one after the other.
    pages: Vec<u8>,
    /// Invariant: one a page begun; `page_at` counts from the first page until the end.
    tops: Vec<Top>,
    footer: Footer,
}

impl Writer<'_> {
    fn place(&self) -> u64 {
        self.at + self.buffer.len() as u64
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= WRITE_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let written = self.file.write_at(&self.buffer, self.at);
        written.map_err(|error| Error::io("write", self.name, error))?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn block(&mut self, series: SeriesId, packed: &Packed) -> Result<()> {
        if self.entries.is_empty() {
            self.tops.push(Top {
                series,
                len: 0,
                page_at: self.pages.len() as u64,
                block_at: self.place(),
            });
        }
        self.entries.push(Entry {
            series,
            first_us: packed.first_us,
            last_us: packed.last_us,
            len: packed.bytes.len() as u32,
        });
        self.footer.blocks += 1;
        if self.entries.len() == PAGE_ENTRIES {
            self.end_page();
        }
        self.write(&layout::frame(&packed.bytes))?;
        self.write(&packed.bytes)
    }

    fn end_page(&mut self) {
        let page = layout::encode_page(&self.entries);
        self.entries.clear();
        if let Some(top) = self.tops.last_mut() {
            top.len = page.len() as u32;
        }
        self.pages.extend_from_slice(&layout::frame(&page));
        self.pages.extend_from_slice(&page);
    }

    fn end(mut self) -> Result<()> {
        if !self.entries.is_empty() {
            self.end_page();
        }
        self.footer.pages_at = self.place();
        let pages = std::mem::take(&mut self.pages);
        self.write(&pages)?;
        self.footer.top_at = self.place();
        self.footer.pages = self.tops.len() as u64;
        let mut top_bytes = Vec::new();
        for top in &mut self.tops {
            top.page_at += self.footer.pages_at;
            top_bytes.extend_from_slice(&top.encode());
        }
        self.footer.top_checksum = crc32c::crc32c(&top_bytes);
        self.write(&top_bytes)?;
        self.write(&self.footer.encode())?;
        self.flush()?;
        let synced = self.file.sync();
        synced.map_err(|error| Error::io("sync", self.name, error))
    }
}
