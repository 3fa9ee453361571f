//! What history takes: the server with the built-in configuration beside one that keeps none.
//! Sealing, which goes on beside the streams, is counted in.

use crate::messages::Messages;
use crate::recorded::record;
use crate::served::Served;
use crate::server::{built_in, built_in_without_history, free_port};
use crate::{Size, median};

const SERIES: usize = 10_000;

/// So many times the processor time of an event without history, at most.
const MOST: f64 = 3.0;

pub fn report(size: &Size) {
    let messages = Messages::without_time(SERIES);
    let start = |config: String| Served::start(&config, &messages, size);
    let mut with = start(built_in(free_port()));
    let mut without = start(built_in_without_history(free_port()));
    let (mut withs, mut withouts) = (Vec::new(), Vec::new());
    for _ in 0..size.runs {
        withs.push(with.run(size));
        withouts.push(without.run(size));
    }
    let refused = with.metric("cauchy_history_refused_total");
    assert_eq!(refused, 0.0, "samples were refused");
    let resident = with.resident_bytes() as f64 / 1e6;
    with.finish();
    without.finish();
    let (with, without) = (median(withs), median(withouts));
    let own = with - without;
    record("history, ratio", with / without);
    record("history, M samples a core", 1e3 / own);
    println!(
        "{:>9} {:>9} {:>9} {:>7} {:>6} {:>12} {:>8}",
        "series", "without", "with ns", "ratio", "most", "M samples/s", "MB"
    );
    println!(
        "{SERIES:>9} {without:>9.1} {with:>9.1} {:>7.2} {MOST:>6.1} {:>12.2} {resident:>8.1}",
        with / without,
        1e3 / own,
    );
}
