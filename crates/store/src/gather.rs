//! Gathers what is known of one series in a stretch of time from all batches that hold some.

use crate::block::{self, Content, Front, Kind};
use crate::blocks::{Batch, Blocks, Found, Wanted};
use crate::cell::Cell;
use crate::error::{Damage, Error, Result};
use crate::head::settle;
use crate::series::SeriesId;
use crate::steps::Steps;
use crate::value::Point;

/// A series and a stretch of time, its end excluded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub series: SeriesId,
    pub from_us: i64,
    pub to_us: i64,
}

impl Stretch {
    fn wanted(&self) -> Wanted {
        Wanted {
            first_series: self.series,
            last_series: self.series,
            from_us: self.from_us,
            to_us: self.to_us.saturating_sub(1),
        }
    }

    fn holds(&self, time_us: i64) -> bool {
        self.from_us <= time_us && time_us < self.to_us
    }
}

/// Adds samples to those given, and puts all in order, each once.
pub(crate) fn points(
    blocks: &dyn Blocks,
    batches: &[Batch],
    stretch: Stretch,
    points: &mut Vec<Point>,
    damages: &mut Vec<Damage>,
) -> Result<()> {
    for &batch in batches {
        blocks.scan(batch, stretch.wanted(), &mut |found| {
            match found {
                Found::Block(_, bytes) => match block::decode(bytes) {
                    Some(Content::Points(found)) => {
                        let found = found.into_iter();
                        points.extend(found.filter(|point| stretch.holds(point.time_us)));
                    }
                    _ => damages.push(undecodable(batch, bytes.len())),
                },
                Found::Damage(damage) => damages.push(damage),
            }
            Ok(true)
        })?;
    }
    settle(points);
    Ok(())
}

/// Sums a stretch up straight from its blocks, if they are of one kind and none reaches into
/// another: then no sample can be there twice. Says whether it did.
pub(crate) fn sum_up(
    blocks: &dyn Blocks,
    batches: &[Batch],
    stretch: Stretch,
    steps: &mut Steps,
) -> Result<bool> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut is_whole = true;
    for &batch in batches {
        blocks.scan(batch, stretch.wanted(), &mut |block| {
            match block {
                Found::Block(_, bytes) => found.push(bytes.to_vec()),
                Found::Damage(_) => is_whole = false,
            }
            Ok(is_whole)
        })?;
    }
    let fronts: Option<Vec<Front>> = found.iter().map(|bytes| Front::read(bytes)).collect();
    let Some(mut fronts) = fronts.filter(|_| is_whole) else {
        return Ok(false);
    };
    fronts.sort_by_key(|front| front.times[0]);
    let is_apart = fronts.windows(2).all(|pair| {
        let end = pair[0].times[pair[0].times.len() - 1];
        pair[0].kind == pair[1].kind && end < pair[1].times[0]
    });
    if !is_apart || fronts.iter().any(|front| front.kind == Kind::Other) {
        return Ok(false);
    }
    for front in &mut fronts {
        let added = steps.add_block(front, stretch.from_us, stretch.to_us);
        if added.is_none() {
            let why = std::io::Error::other("its checksum is right, its content is not");
            return Err(Error::io("decode", "a block", why));
        }
    }
    Ok(true)
}

/// The cells that begin in the stretch.
pub(crate) fn cells(
    blocks: &dyn Blocks,
    batch: Batch,
    stretch: Stretch,
    damages: &mut Vec<Damage>,
) -> Result<Vec<(i64, Cell)>> {
    let mut cells = Vec::new();
    blocks.scan(batch, stretch.wanted(), &mut |found| {
        match found {
            Found::Block(_, bytes) => match block::decode(bytes) {
                Some(Content::Cells(found)) => {
                    cells.extend(found.into_iter().filter(|cell| stretch.holds(cell.0)));
                }
                _ => damages.push(undecodable(batch, bytes.len())),
            },
            Found::Damage(damage) => damages.push(damage),
        }
        Ok(true)
    })?;
    Ok(cells)
}

fn undecodable(batch: Batch, len: usize) -> Damage {
    Damage {
        file: crate::layout::name_of(batch),
        offset: 0,
        bytes: len as u64,
        what: "a block that cannot be decoded",
    }
}

/// Sorts samples into cells of a length; samples are in order.
pub(crate) fn cells_of(points: &[Point], cell_us: i64, cells: &mut Vec<(i64, Cell)>) {
    cells.clear();
    for point in points {
        let start = point.time_us.div_euclid(cell_us).saturating_mul(cell_us);
        match cells.last_mut() {
            Some((last, cell)) if *last == start => cell.add(point),
            _ => {
                let mut cell = Cell::default();
                cell.add(point);
                cells.push((start, cell));
            }
        }
    }
}
