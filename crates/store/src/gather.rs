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

    pub fn holds(&self, time_us: i64) -> bool {
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

/// Sums a stretch up straight from its blocks and the samples that are in no block yet, if no block
/// of a kind reaches into another or into those: then no sample can be there twice. Says whether
/// it did.
pub(crate) fn sum_up(
    blocks: &dyn Blocks,
    batches: &[Batch],
    stretch: Stretch,
    head: &[Point],
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
    // Texts go in beside the samples, and first.
    fronts.sort_by_key(|front| (front.kind != Kind::Texts, front.times[0]));
    if !is_apart(&fronts, head) {
        return Ok(false);
    }
    let mut points = head.to_vec();
    settle(&mut points);
    for front in &mut fronts {
        if steps
            .add_block(front, stretch.from_us, stretch.to_us)
            .is_none()
        {
            let why = std::io::Error::other("its checksum is right, its content is not");
            return Err(Error::io("decode", "a block", why));
        }
    }
    steps.add_points(&points);
    Ok(true)
}

/// Whether blocks can be added one after the other, and then samples: all but texts are of one
/// kind, and those of a kind follow each other.
fn is_apart(fronts: &[Front], head: &[Point]) -> bool {
    let follows = fronts.windows(2).all(|pair| {
        let is_other = pair[0].kind != pair[1].kind;
        (is_other && pair[0].kind == Kind::Texts)
            || (!is_other && last_of(&pair[0].times) < pair[1].times[0])
    });
    let last = fronts.iter().map(|front| last_of(&front.times)).max();
    follows
        && head
            .iter()
            .all(|point| last.is_none_or(|last| last < point.time_us))
}

fn last_of(times: &[i64]) -> i64 {
    times[times.len() - 1]
}

/// Sums cells that begin in a stretch up.
pub(crate) fn sum_cells(
    blocks: &dyn Blocks,
    batch: Batch,
    stretch: Stretch,
    steps: &mut Steps,
    damages: &mut Vec<Damage>,
) -> Result<()> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    blocks.scan(batch, stretch.wanted(), &mut |block| {
        match block {
            Found::Block(_, bytes) => found.push(bytes.to_vec()),
            Found::Damage(damage) => damages.push(damage),
        }
        Ok(true)
    })?;
    for bytes in &found {
        let added = Front::read(bytes)
            .and_then(|mut front| steps.add_block(&mut front, stretch.from_us, stretch.to_us));
        if added.is_none() {
            damages.push(undecodable(batch, bytes.len()));
        }
    }
    Ok(())
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
