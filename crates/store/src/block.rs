//! A block: samples, or cells, of one series, in columns. `FORMAT.md` draws it.
//!
//! No input makes a decoder panic, and none makes it take more memory than its limits allow.

use std::sync::Arc;

use histogram::Histogram;

use crate::bins::{Histograms, read_histograms, write_histograms};
use crate::bits::{BitReader, BitWriter};
use crate::cell::Cell;
use crate::column::{read_floats, read_ints, read_times, write_floats, write_ints, write_times};
use crate::limits::{BLOCK_SAMPLES_MAX, TEXT_BYTES_MAX};
use crate::value::{Kept, Point};

const NUMBERS: u64 = 0;
const HISTOGRAMS: u64 = 1;
const TEXTS: u64 = 2;
const CELLS: u64 = 3;

/// What a block holds.
pub(crate) enum Content {
    Points(Vec<Point>),
    Cells(Vec<(i64, Cell)>),
}

/// Samples that are in order, in blocks of at most so many of one kind: for each the times of its
/// first and last, and its bytes.
pub(crate) fn blocks_of(points: &[Point], samples: usize) -> Vec<Packed> {
    let mut kinds: [Vec<&Point>; 3] = Default::default();
    for point in points {
        let kind = match point.kept {
            Kept::Number(_) => NUMBERS,
            Kept::Histogram(_) => HISTOGRAMS,
            Kept::Text(_) => TEXTS,
        };
        kinds[kind as usize].push(point);
    }
    let chunks = kinds
        .iter()
        .flat_map(|points| points.chunks(samples.clamp(1, BLOCK_SAMPLES_MAX)));
    chunks
        .map(|chunk| Packed {
            first_us: chunk[0].time_us,
            last_us: chunk[chunk.len() - 1].time_us,
            bytes: encode_points(chunk),
        })
        .collect()
}

/// Cells that are in order, likewise.
pub(crate) fn blocks_of_cells(cells: &[(i64, Cell)], samples: usize) -> Vec<Packed> {
    let chunks = cells.chunks(samples.clamp(1, BLOCK_SAMPLES_MAX));
    chunks
        .map(|chunk| Packed {
            first_us: chunk[0].0,
            last_us: chunk[chunk.len() - 1].0,
            bytes: encode_cells(chunk),
        })
        .collect()
}

/// A block and the times of its first and last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The first time, in microseconds since 1970.
    pub first_us: i64,
    /// The last time.
    pub last_us: i64,
    /// The block.
    pub bytes: Vec<u8>,
}

fn encode_points(points: &[&Point]) -> Vec<u8> {
    let mut writer = BitWriter::default();
    let kind = match points[0].kept {
        Kept::Number(_) => NUMBERS,
        Kept::Histogram(_) => HISTOGRAMS,
        Kept::Text(_) => TEXTS,
    };
    writer.write(kind, 8);
    writer.varint(points.len() as u64);
    let times: Vec<i64> = points.iter().map(|point| point.time_us).collect();
    write_times(&mut writer, &times);
    let (mut numbers, mut histograms, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for point in points {
        match &point.kept {
            Kept::Number(bits) => numbers.push(*bits),
            Kept::Histogram(bytes) => {
                histograms.push(Histogram::decode(bytes).unwrap_or_default());
            }
            Kept::Text(text) => texts.push(text),
        }
    }
    match kind {
        NUMBERS => {
            write_range(&mut writer, &numbers);
            write_floats(&mut writer, &numbers);
        }
        HISTOGRAMS => write_histograms(&mut writer, &histograms),
        _ => write_texts(&mut writer, &texts),
    }
    writer.finish()
}

/// The least and the greatest, to pass over blocks by value.
fn write_range(writer: &mut BitWriter, numbers: &[u64]) {
    let floats = || numbers.iter().map(|bits| f64::from_bits(*bits));
    let (min, max) = (
        floats().fold(f64::INFINITY, f64::min),
        floats().fold(f64::NEG_INFINITY, f64::max),
    );
    for end in [min, max] {
        writer.raw(&end.to_bits().to_le_bytes());
    }
}

fn write_texts(writer: &mut BitWriter, texts: &[&Arc<str>]) {
    let mut different: Vec<&str> = texts.iter().map(|text| &***text).collect();
    different.sort_unstable();
    different.dedup();
    writer.varint(different.len() as u64);
    for text in &different {
        writer.varint(text.len() as u64);
        writer.raw(text.as_bytes());
    }
    let places = texts.iter().map(|text| {
        let place = different.binary_search(&&***text);
        place.unwrap_or_default() as u64
    });
    write_ints(writer, &places.collect::<Vec<_>>());
}

fn read_texts(reader: &mut BitReader, count: usize) -> Option<Vec<Arc<str>>> {
    let different = usize::try_from(reader.varint()).ok()?;
    if different > count {
        return None;
    }
    let mut texts: Vec<Arc<str>> = Vec::new();
    for _ in 0..different {
        let len = usize::try_from(reader.varint()).ok()?;
        if len > TEXT_BYTES_MAX {
            return None;
        }
        texts.push(std::str::from_utf8(reader.raw(len)?).ok()?.into());
    }
    let places = read_ints(reader, count).into_iter();
    let text_at = |place| texts.get(usize::try_from(place).ok()?).cloned();
    places.map(text_at).collect()
}

fn encode_cells(cells: &[(i64, Cell)]) -> Vec<u8> {
    let mut writer = BitWriter::default();
    writer.write(CELLS, 8);
    writer.varint(cells.len() as u64);
    let starts: Vec<i64> = cells.iter().map(|cell| cell.0).collect();
    write_times(&mut writer, &starts);
    let counts: Vec<u64> = cells.iter().map(|(_, cell)| cell.count).collect();
    write_ints(&mut writer, &counts);
    let float_columns: [fn(&Cell) -> f64; 4] = [
        |cell| cell.sum,
        |cell| cell.min,
        |cell| cell.max,
        |cell| cell.last,
    ];
    for column in float_columns {
        let floats = cells.iter().map(|(_, cell)| column(cell).to_bits());
        write_floats(&mut writer, &floats.collect::<Vec<_>>());
    }
    let lasts = cells
        .iter()
        .map(|(start, cell)| cell.last_us.wrapping_sub(*start) as u64);
    write_ints(&mut writer, &lasts.collect::<Vec<_>>());
    let texts: Vec<&(i64, Arc<str>)> = cells
        .iter()
        .filter_map(|(_, cell)| cell.text.as_ref())
        .collect();
    let has: Vec<u64> = cells
        .iter()
        .map(|(_, cell)| u64::from(cell.text.is_some()))
        .collect();
    write_ints(&mut writer, &has);
    let times: Vec<i64> = texts.iter().map(|text| text.0).collect();
    write_times(&mut writer, &times);
    write_texts(
        &mut writer,
        &texts.iter().map(|text| &text.1).collect::<Vec<_>>(),
    );
    let histograms: Vec<Histogram> = cells
        .iter()
        .map(|(_, cell)| cell.histogram.clone())
        .collect();
    write_histograms(&mut writer, &histograms);
    writer.finish()
}

/// Reads a block; `None` if the bytes are none.
pub(crate) fn decode(bytes: &[u8]) -> Option<Content> {
    let mut reader = BitReader::new(bytes);
    let kind = reader.read(8);
    let count = usize::try_from(reader.varint()).ok()?;
    if count > BLOCK_SAMPLES_MAX {
        return None;
    }
    let times = read_times(&mut reader, count)?;
    let content = match kind {
        CELLS => Content::Cells(read_cells(&mut reader, times)?),
        kind => {
            let kept = read_kept(&mut reader, kind, count)?;
            let points = times.into_iter().zip(kept);
            Content::Points(
                points
                    .map(|(time_us, kept)| Point { time_us, kept })
                    .collect(),
            )
        }
    };
    reader.finish()?;
    Some(content)
}

fn read_kept(reader: &mut BitReader, kind: u64, count: usize) -> Option<Vec<Kept>> {
    match kind {
        NUMBERS => {
            reader.raw(16)?;
            let floats = read_floats(reader, count)?;
            Some(floats.into_iter().map(Kept::Number).collect())
        }
        HISTOGRAMS => {
            let mut histograms = vec![Histogram::new(); count];
            read_histograms(reader, histograms.iter_mut())?;
            let encoded = histograms.iter().map(|histogram| histogram.encode().into());
            Some(encoded.map(Kept::Histogram).collect())
        }
        TEXTS => Some(
            read_texts(reader, count)?
                .into_iter()
                .map(Kept::Text)
                .collect(),
        ),
        _ => None,
    }
}

fn read_cells(reader: &mut BitReader, starts: Vec<i64>) -> Option<Vec<(i64, Cell)>> {
    let mut cells = read_columns(reader, starts)?;
    read_histograms(reader, cells.iter_mut().map(|cell| &mut cell.1.histogram))?;
    Some(cells)
}

/// Reads cells without their histograms, which follow.
fn read_columns(reader: &mut BitReader, starts: Vec<i64>) -> Option<Vec<(i64, Cell)>> {
    let len = starts.len();
    let counts = read_ints(reader, len);
    let mut floats = [const { Vec::new() }; 4];
    for column in &mut floats {
        *column = read_floats(reader, len)?;
    }
    let lasts = read_ints(reader, len);
    let mut cells: Vec<(i64, Cell)> = Vec::with_capacity(len);
    for (at, start) in starts.into_iter().enumerate() {
        let [sum, min, max, last] = [0, 1, 2, 3].map(|which| f64::from_bits(floats[which][at]));
        cells.push((
            start,
            Cell {
                count: counts[at],
                sum,
                min,
                max,
                last,
                last_us: start.wrapping_add(lasts[at] as i64),
                ..Cell::default()
            },
        ));
    }
    let has = read_ints(reader, len);
    let texts = has.iter().filter(|has| **has == 1).count();
    let times = read_times(reader, texts)?;
    let mut texts = times.into_iter().zip(read_texts(reader, texts)?);
    for (cell, has) in cells.iter_mut().zip(has) {
        if has == 1 {
            cell.1.text = texts.next();
        }
    }
    Some(cells)
}

/// What the front of a block says.
pub(crate) struct Front<'a> {
    pub kind: Kind,
    pub times: Vec<i64>,
    reader: BitReader<'a>,
}

/// What a block is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Numbers,
    Histograms,
    Texts,
    Cells,
}

impl<'a> Front<'a> {
    /// Reads the front of a block; `None` if the bytes are none.
    pub fn read(bytes: &'a [u8]) -> Option<Front<'a>> {
        let mut reader = BitReader::new(bytes);
        let kind = match reader.read(8) {
            NUMBERS => Kind::Numbers,
            HISTOGRAMS => Kind::Histograms,
            TEXTS => Kind::Texts,
            CELLS => Kind::Cells,
            _ => return None,
        };
        let count = usize::try_from(reader.varint()).ok()?;
        if count == 0 || count > BLOCK_SAMPLES_MAX {
            return None;
        }
        let times = read_times(&mut reader, count)?;
        Some(Front {
            kind,
            times,
            reader,
        })
    }

    /// Reads the numbers of a block of numbers.
    pub fn numbers(&mut self) -> Option<Vec<u64>> {
        self.reader.raw(16)?;
        read_floats(&mut self.reader, self.times.len())
    }

    /// Reads the texts of a block of texts.
    pub fn texts(&mut self) -> Option<Vec<Arc<str>>> {
        read_texts(&mut self.reader, self.times.len())
    }

    /// Reads the cells of a block of cells, without their histograms, which follow.
    pub fn columns(&mut self) -> Option<Vec<(i64, Cell)>> {
        read_columns(&mut self.reader, std::mem::take(&mut self.times))
    }

    /// Begins to read so many histograms: those of a block of histograms, or of cells after
    /// [`Front::columns`].
    pub fn histograms(&mut self, count: usize) -> Option<Histograms<'_, 'a>> {
        Histograms::begin(&mut self.reader, count)
    }
}
