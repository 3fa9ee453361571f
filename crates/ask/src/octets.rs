//! Answers as bytes: the histogram of each step, whole, in OpenHistogram's binary form.
//!
//! ```text
//! answer  := record*
//! record  := kind u8, length u32, body
//! kind 1  a series begins: body is JSON {"host", "service", "by", "merged"}
//! kind 2  a step: body is its start i64, in microseconds since 1970, then the histogram
//! kind 3  the answer ends: body is JSON {"damages", "error"}
//! ```
//!
//! Numbers have their highest byte first, as the histogram's have. An answer without a last record
//! was cut off.

use std::ops::ControlFlow;

use serde_json::json;
use store::{Cell, Damage, Series, Value};

use crate::answer::Rows;
use crate::error::Error;
use crate::json::{Pieces, by_json, shared_name};
use crate::limits::PIECE_BYTES;
use crate::question::Question;
use crate::show::Shown;

const SERIES: u8 = 1;
const STEP: u8 = 2;
const END: u8 = 3;

/// Writes an answer as records of histograms.
pub struct Octets<'a> {
    out: &'a mut dyn Pieces,
    bytes: Vec<u8>,
    body: Vec<u8>,
}

impl<'a> Octets<'a> {
    /// Nothing is written before the answer begins.
    pub fn new(out: &'a mut dyn Pieces) -> Octets<'a> {
        Octets {
            out,
            bytes: Vec::new(),
            body: Vec::new(),
        }
    }

    fn record(&mut self, kind: u8, bytes_min: usize) -> ControlFlow<()> {
        self.bytes.push(kind);
        // A histogram has fewer than 100 000 bins of a dozen bytes.
        self.bytes
            .extend_from_slice(&(self.body.len() as u32).to_be_bytes());
        self.bytes.append(&mut self.body);
        if self.bytes.len() < bytes_min {
            return ControlFlow::Continue(());
        }
        self.out.piece(std::mem::take(&mut self.bytes))
    }

    fn step(&mut self, time_us: i64, encode: impl FnOnce(&mut Vec<u8>)) -> ControlFlow<()> {
        self.body.extend_from_slice(&time_us.to_be_bytes());
        encode(&mut self.body);
        self.record(STEP, PIECE_BYTES)
    }
}

impl Rows for Octets<'_> {
    fn is_wanted(&self) -> bool {
        self.out.is_wanted()
    }

    fn begin(&mut self, _: &Question, _: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn series(&mut self, names: &mut dyn Iterator<Item = &Series>) -> ControlFlow<()> {
        let (name, merged) = shared_name(names);
        let (host, service, by) = (&name.host, &name.service, by_json(&name));
        let name = json!({ "host": host, "service": service, "by": by, "merged": merged });
        self.body.extend_from_slice(name.to_string().as_bytes());
        self.record(SERIES, PIECE_BYTES)
    }

    fn row(&mut self, start_us: i64, cell: &Cell, _: &[Shown]) -> ControlFlow<()> {
        self.step(start_us, |body| cell.histogram.encode_into(body))
    }

    fn sample(&mut self, time_us: i64, value: Value) -> ControlFlow<()> {
        match value {
            Value::Histogram(histogram) => self.step(time_us, |body| histogram.encode_into(body)),
            Value::Number(number) => self.step(time_us, |body| {
                let one: histogram::Histogram = [number].into_iter().collect();
                one.encode_into(body);
            }),
            Value::Text(_) => ControlFlow::Continue(()),
        }
    }

    fn total(&mut self, _: &Cell, _: &[Shown]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn end(&mut self, damages: &[Damage], failure: Option<&Error>) {
        let damages: Vec<String> = damages.iter().map(ToString::to_string).collect();
        let end = json!({ "damages": damages, "error": failure.map(ToString::to_string) });
        self.body.extend_from_slice(end.to_string().as_bytes());
        // Nothing follows, whether it was taken or not.
        let _ = self.record(END, 0);
    }
}
