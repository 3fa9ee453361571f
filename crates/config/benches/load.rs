//! What loading a configuration costs: an empty one, and one of some two thousand lines.
//!
//! `cargo bench -p cauchy-config --bench load`; small unless run as a bench.

#[path = "../tests/sinks/pretend.rs"]
mod pretend;

use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use clock::VirtualClock;
use config::{Configuration, Kept, Mode, Settings, Text, load};
use pretend::Pretend;

const HEAD: &str = r#"; Servers, defaults and what all teams share.
(logging/init {:file "riemann.log"})
(let [host "127.0.0.1"]
  (tcp-server {:host host})
  (udp-server {:host host})
  (ws-server {:host host}))
(periodically-expire 5 {:keep-keys [:host :service :tags]})
(def index (index))
(def email (mailer {:from "riemann@example.com"}))
(def graph (graphite {:host "graphite.example.com"}))
(defn severity [warning critical]
  (fn [event]
    (let [metric (:metric event)]
      (cond (nil? metric) "unknown"
            (> metric critical) "critical"
            (> metric warning) "warning"
            :else "ok"))))
(defn set-state [f & children]
  (fn [event]
    (call-rescue (assoc event :state (f event)) children)))
(defmacro for-team [team & body]
  `(where (tagged ~(name team)) ~@body))
"#;

/// One team's part; `N` is its number.
const TEAM: &str = r#"
; Team N
(def team-N-limits {:latency 0.5 :errors 10 :queue 1000 :disk 0.9})
(def team-N-hosts #{"web-N-1" "web-N-2" "db-N-1" "queue-N-1"})
(defn team-N-limit
  "The limit for a kind of metric."
  [kind]
  (get team-N-limits kind 1))
(defn team-N-mail [event]
  (when-let [address (:owner event)]
    (format "%s on %s: %.2f, see %s" (:service event) (:host event)
            (double (or (:metric event) 0)) address)))
(defn team-N-summary [events]
  (let [metrics (remove nil? (map :metric events))
        worst (reduce max 0 metrics)
        by-host (group-by :host events)]
    {:service "team-N summary"
     :metric worst
     :description (str (count by-host) " hosts: " (clojure.string/join ", " (keys by-host)))
     :state (if (> worst (team-N-limit :errors)) "critical" "ok")}))
(def team-N-pager
  (rollup 5 3600
    (email "team-N@example.com" "oncall-N@example.com")))
(def team-N-latency
  (by [:host :service]
    (percentiles 10 [0.5 0.95 0.99]
      (set-state (severity 0.25 (team-N-limit :latency))
        index
        (changed-state {:init "ok"}
          (where (state "critical" "warning")
            team-N-pager
            (else (with :description "recovered" team-N-pager))))))))
(def team-N-errors
  (where (and (service #"^team-N .* errors$") (> metric 0))
    (by :host
      (rate 5
        (smap (fn [event]
                (let [rate (:metric event)
                      limit (team-N-limit :errors)]
                  (if (> rate limit)
                    (assoc event :state "critical" :description (str rate " errors a second"))
                    (assoc event :state "ok"))))
          index
          (throttle 1 60 (email "errors-N@example.com")))))))
(streams
  (for-team :team-N
    (where (service #"^team-N .* latency$") team-N-latency)
    team-N-errors
    (where (and (service "team-N queue") (not (expired? event)))
      (moving-event-window 10
        (smap folds/mean
          (over (team-N-limit :queue)
            (with {:state "warning" :service "team-N queue mean"}
              index graph)))))
    (where* (fn [e] (and (contains? team-N-hosts (:host e)) (= "disk" (:plugin e))))
      (splitp < metric
        (team-N-limit :disk) (with :state "critical" index team-N-pager)
        0.8 (with :state "warning" index)
        (with :state "ok" index)))
    (coalesce 10
      (smap team-N-summary index))
    (project [(service "team-N requests") (service "team-N failures")]
      (smap (fn [[requests failures]]
              (when (and requests failures (pos? (:metric requests)))
                (assoc failures :service "team-N failure ratio"
                                :metric (/ (:metric failures) (:metric requests)))))
        index))
    (expired
      (where (and (not (nil? host)) (team-N-hosts host))
        (smap #(assoc % :state "expired" :description (or (team-N-mail %) "gone"))
          team-N-pager)))))
"#;

fn source(lines: usize) -> String {
    let mut text = HEAD.to_owned();
    let mut team = 0;
    while text.lines().count() < lines {
        let _ = write!(text, "{}", TEAM.replace('N', &team.to_string()));
        team += 1;
    }
    text
}

fn loaded(text: &str) -> Configuration {
    let settings = Settings {
        mode: Mode::Run,
        host: Arc::new(Pretend),
        clock: Arc::new(VirtualClock::new()),
        kept: Kept::default(),
        wire: None,
        telemetry: None,
    };
    let name = "bench.config";
    match load(&Text::Source { name, text }, settings) {
        Ok(configuration) => configuration,
        Err(problems) => panic!("{}", problems[0].text),
    }
}

/// Milliseconds that this thread has run: what else the machine does counts little. Where the
/// system does not tell, those that have passed.
fn cpu_ms(began: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    ns.map_or_else(|| began.elapsed().as_secs_f64() * 1e3, |ns| ns / 1e6)
}

/// Milliseconds that loading takes, the median of several.
fn measure(rounds: usize, text: &str) -> f64 {
    let began = Instant::now();
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = cpu_ms(began);
            let configuration = loaded(text);
            let time = cpu_ms(began) - start;
            drop(configuration);
            time
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}

fn main() {
    let (rounds, lines) = if std::env::args().any(|arg| arg == "--bench") {
        (31, 2000)
    } else {
        (1, 200)
    };
    let text = source(lines);
    let counts = loaded(&text).counts();
    let empty = measure(rounds, "");
    let whole = measure(rounds, &text);
    println!("empty {empty:6.2} ms");
    println!(
        "{} lines, {} streams: {whole:6.2} ms",
        text.lines().count(),
        counts.streams
    );
}
