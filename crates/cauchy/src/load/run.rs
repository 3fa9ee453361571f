//! One run of a load against one server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use load::{Lane, Pace, Report, Sample, Sending, Tally, Totals};
use parking_lot::Mutex;
use sinks::socket::Address;

use super::plan::Plan;
use super::screen::Screen;
use super::verify;
use super::wire::Wire;
use super::worker::{self, Seat, Shared};
use crate::signals::Signal;
use crate::telemetry::cpu_s;

/// A line of the report is of so much time.
const SECOND: Duration = Duration::from_secs(1);
/// How often the last line of a terminal is redrawn.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// A run that is over.
pub struct Ran {
    pub report: Report,
    /// The user ended it early.
    pub interrupted: bool,
}

/// Connects, warms up, measures, and waits for the last answers.
pub fn run(
    plan: &Plan,
    server: &Address,
    counters: Option<&Address>,
    signals: &Receiver<Signal>,
    screen: &mut Screen,
) -> Result<Ran, String> {
    let before = counters.map(verify::counters).transpose()?;
    let shared = Arc::new(Shared {
        started: Instant::now(),
        ending: AtomicBool::new(false),
        tallies: (0..plan.workers).map(|_| Mutex::default()).collect(),
    });
    let seats = open(plan, server, &shared)?;
    let mut gathered = Gathered {
        report: Report {
            setup: plan.setup(server),
            events_per_message: plan.flags.events as u64,
            answered: plan.answers.is_some(),
            ..Report::default()
        },
        shared: shared.clone(),
    };
    let cpu_before_s = cpu_s();
    let workers: Vec<_> = seats
        .into_iter()
        .enumerate()
        .map(|(number, seats)| {
            let shared = shared.clone();
            let builder = std::thread::Builder::new().name(format!("load {number}"));
            builder.spawn(move || worker::run(&shared, number, seats))
        })
        .collect::<Result<_, _>>()
        .map_err(|error| format!("cannot start a thread: {error}"))?;
    let outcome = measure(plan, signals, screen, &mut gathered);
    shared.ending.store(true, Ordering::Relaxed);
    for worker in workers {
        worker.join().map_err(|_| "a worker panicked")?;
    }
    let interrupted = outcome.map_err(|error| format!("standard output: {error}"))?;
    gathered.drain();
    let mut report = gathered.report;
    report.cpu_s = cpu_s() - cpu_before_s;
    if let (Some(before), Some(counters)) = (before, counters) {
        let sent = report.totals.sent * report.events_per_message;
        report.verified = Some(verify::since(&before, sent, counters)?);
    }
    Ok(Ran {
        report,
        interrupted,
    })
}

/// Opens all connections and gives each worker its own.
fn open(plan: &Plan, server: &Address, shared: &Shared) -> Result<Vec<Vec<Seat>>, String> {
    let flags = &plan.flags;
    let wires: Vec<Wire> = (0..flags.connections)
        .map(|_| Wire::open(plan, server))
        .collect::<Result<_, _>>()?;
    let mut seats: Vec<Vec<Seat>> = (0..plan.workers).map(|_| Vec::new()).collect();
    let start_ns = shared.now_ns();
    let is_datagram = matches!(wires.first(), Some(Wire::Udp(_)));
    for (number, wire) in wires.into_iter().enumerate() {
        let pace = plan.rate_per_connection().map(|rate| {
            // Connections take turns, evenly.
            let turn_ns = 1e9 / rate * number as f64 / flags.connections as f64;
            Pace::new(start_ns + turn_ns as u64, rate)
        });
        let sending = Sending {
            window: flags.window,
            coalesce: !flags.no_coalesce && !is_datagram,
            pace,
        };
        let first = plan.prepared.messages() * number / flags.connections;
        let lane = Lane::new(plan.prepared.clone(), sending, plan.answers, first);
        seats[number % plan.workers].push(Seat::new(lane, wire));
    }
    Ok(seats)
}

/// Waits through the warm-up and the measured time, a sample a second. Gives whether it was
/// interrupted.
fn measure(
    plan: &Plan,
    signals: &Receiver<Signal>,
    screen: &mut Screen,
    gathered: &mut Gathered,
) -> std::io::Result<bool> {
    let warm_up = Duration::from_secs_f64(plan.flags.warm_up);
    let duration = Duration::from_secs_f64(plan.flags.duration);
    let begun = gathered.shared.started;
    if !pass(begun, warm_up, signals, |done| {
        screen.progress("warm-up", done)
    })? {
        return Ok(true);
    }
    gathered.drain();
    let begun = Instant::now();
    let mut last = Duration::ZERO;
    while last < duration {
        let until = (last + SECOND).min(duration);
        let on = pass(begun, until, signals, |_| {
            let done = begun.elapsed().as_secs_f64() / duration.as_secs_f64();
            screen.progress("measured", done)
        })?;
        let now = begun.elapsed();
        let (at_s, span_s) = (now.as_secs_f64(), (now - last).as_secs_f64());
        let sample = gathered.sample(at_s, span_s);
        screen.sample(&sample, plan.flags.events as u64, plan.answers.is_some())?;
        gathered.report.samples.push(sample);
        if !on || gathered.is_all_broken(plan.flags.connections) {
            return Ok(!on);
        }
        last = now;
    }
    Ok(false)
}

/// Waits until so long after `begun`; gives false if it is to stop before.
fn pass(
    begun: Instant,
    until: Duration,
    signals: &Receiver<Signal>,
    mut redraw: impl FnMut(f64) -> std::io::Result<()>,
) -> std::io::Result<bool> {
    loop {
        let left = until.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(true);
        }
        redraw(begun.elapsed().as_secs_f64() / until.as_secs_f64())?;
        match signals.recv_timeout(left.min(REDRAW_INTERVAL)) {
            Ok(Signal::Stop(_)) => return Ok(false),
            Ok(Signal::Reload) | Err(_) => {}
        }
    }
}

/// What the workers counted, gathered into the report.
struct Gathered {
    report: Report,
    shared: Arc<Shared>,
}

impl Gathered {
    /// Takes what was counted since the last time, and adds it to the totals.
    fn drain(&mut self) -> Tally {
        let mut all = Tally::default();
        for tally in &self.shared.tallies {
            tally.lock().drain_into(&mut all);
        }
        let totals: &mut Totals = &mut self.report.totals;
        totals.sent += all.sent;
        totals.acked += all.acked;
        totals.failed += all.failed;
        totals.broken += all.broken;
        totals.error = totals.error.take().or(all.error.clone());
        all
    }

    fn sample(&mut self, at_s: f64, span_s: f64) -> Sample {
        let tally = self.drain();
        let totals = &self.report.totals;
        let unacked = totals.sent - totals.acked - totals.failed;
        Sample {
            at_s,
            span_s,
            unacked: if self.report.answered { unacked } else { 0 },
            tally,
        }
    }

    fn is_all_broken(&self, connections: usize) -> bool {
        self.report.totals.broken as usize >= connections
    }
}
