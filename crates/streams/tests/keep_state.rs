//! What streams inside of `keep-state` do does not depend on whether the configuration is read again
//! in between.

mod pretend;

use std::sync::Arc;

use clj::{Cx, Runtime, Value};
use clock::{Clock, Scheduler, VirtualClock};
use event::{Draft, Number, Time};
use pretend::{Log, NoHost};
use streams::World;

const STREAMS: &[&str] = &[
    "(rate 5 out)",
    "(by :host (rate 3 out))",
    "(changed :state {:init \"ok\"} out)",
    "(by [:host :service] (changed :state out))",
    "(by :host {:ttl 4} (counter out))",
    "(coalesce 5 out)",
    "(counter out)",
    "(throttle 2 5 out)",
    "(rollup 1 5 out)",
    "(percentiles 5 [0.5 1] out)",
    "(percentiles 5 [0.5] {:max 3} out)",
    "(histogram 3 out)",
    "(by :host (quantiles 3 [0.5 1] out))",
    "(share-above 3 2 out)",
    "(count-above 3 2 out)",
    "(merge-histograms 3 out)",
    "(baseline {:every 3 :past (fn [_ _ _] (cauchy.histogram/histogram [1 2]))} out)",
    "(fold-interval-metric 5 (fn [metrics] (reduce + metrics)) out)",
    "(fixed-event-window 3 out)",
    "(moving-event-window 3 out)",
    "(moving-time-window 4 out)",
    "(fixed-time-window 4 out)",
    "(fixed-time-window 4 {:clock true} out)",
    "(stable 3 :state out)",
    "(runs 2 :state out)",
    "(ewma 2 out)",
    "(where (metric 1 2) (by :service (throttle 1 4 (counter out))))",
];

/// Seeds tried for each.
const SEEDS: u64 = 6;

/// Half seconds that a run takes.
const STEPS: u64 = 40;

/// One configuration: a runtime, its tasks, and its stream.
struct Loaded {
    rt: Arc<Runtime>,
    scheduler: Scheduler,
    stream: Value,
}

fn load(clock: &Arc<VirtualClock>, log: &Log, code: &str) -> Loaded {
    let scheduler = Scheduler::new(clock.clone());
    let mut rt = Runtime::unshared(Arc::new(NoHost));
    let world = World::new(
        scheduler.clone(),
        Arc::new(|who, thrown| panic!("{who}: {thrown}")),
    );
    rt.attach(Arc::new(world));
    streams::install(&rt);
    let rt = Arc::new(rt);
    let cx = Cx::new(&rt);
    rt.ensure_namespace("user").define("out", log.end("out"));
    let source = format!("(use 'riemann.streams) (keep-state \"all\" {code})");
    let stream = rt.eval_source(&cx, "test", &source).expect("it builds");
    Loaded {
        rt,
        scheduler,
        stream,
    }
}

fn carry_over(old: &Loaded, new: &Loaded) -> Vec<String> {
    let keeper = |rt| Runtime::extension::<World>(rt).expect("attached").keeper();
    let taken = keeper(&old.rt).take(&Cx::new(&old.rt));
    keeper(&new.rt).adopt(&Cx::new(&new.rt), taken)
}

/// Numbers that look random, the same for the same seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn event(numbers: &mut Numbers, now: Time) -> Value {
    let state = match numbers.below(12) {
        0 => "expired",
        1..5 => "warning",
        _ => "ok",
    };
    Value::Event(
        Draft {
            host: Some(["a", "b", "c"][numbers.below(3) as usize].into()),
            service: Some(["x", "y"][numbers.below(2) as usize].into()),
            state: Some(state.into()),
            metric: Some(Number::Int(numbers.below(4) as i64)),
            time: Some(now),
            ttl: (numbers.below(3) == 0).then_some(Number::Int(6)),
            ..Draft::record()
        }
        .build(),
    )
}

/// What comes out, with the configuration read again after `cut` steps.
fn run(code: &str, seed: u64, cut: Option<u64>) -> Vec<String> {
    let clock = Arc::new(VirtualClock::new());
    let log = Log::default();
    let mut loaded = load(&clock, &log, code);
    let mut numbers = Numbers(seed);
    let mut out = Vec::new();
    for step in 1..=STEPS {
        clock.advance(Time::exact(step as i64 * 500_000), &loaded.scheduler);
        if cut == Some(step) {
            let next = load(&clock, &log, code);
            let told = carry_over(&loaded, &next);
            assert_eq!(told, ["keep-state \"all\": goes on"], "{code}");
            loaded.scheduler.clear();
            loaded = next;
        }
        if numbers.below(3) > 0 {
            let value = event(&mut numbers, clock.now());
            let _ = Cx::new(&loaded.rt).call(&loaded.stream, &[value]);
        }
        // Tasks of several forks that are due at once may run in another order.
        let mut lines = log.take();
        lines.sort_unstable();
        out.extend(lines.into_iter().map(|line| format!("{step}: {line}")));
    }
    out
}

#[test]
fn a_reload_changes_nothing() {
    for code in STREAMS {
        for seed in 0..SEEDS {
            let whole = run(code, seed, None);
            let cut = 1 + seed * 7 % STEPS;
            assert_eq!(
                run(code, seed, Some(cut)),
                whole,
                "{code}, seed {seed}, cut at {cut}"
            );
        }
        let something = (0..SEEDS).any(|seed| !run(code, seed, None).is_empty());
        assert!(something, "{code} never let anything out");
    }
}

#[test]
fn what_does_not_fit_begins_anew_and_says_why() {
    let clock = Arc::new(VirtualClock::new());
    let log = Log::default();
    let told = |before: &str, after: &str| {
        let (old, new) = (load(&clock, &log, before), load(&clock, &log, after));
        carry_over(&old, &new).remove(0)
    };
    assert_eq!(
        told("(rate 5 out)", "(rate 10 out)"),
        "keep-state \"all\": rate begins anew: it was built with 5 s, now with 10 s"
    );
    assert_eq!(
        told("(rate 5 out)", "(where true (rate 5 out))"),
        "keep-state \"all\": all begins anew: its streams were (rate), now (rate where)"
    );
    assert_eq!(
        told("(by :host (counter out))", "(by :service (counter out))"),
        "keep-state \"all\": by begins anew: it was built with :host, now with :service"
    );
}
