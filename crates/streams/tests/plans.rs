//! What `where` and its kin make of an expression: a native predicate, or a function where it must.

mod pretend;

use std::sync::Arc;

use clj::{Cx, Runtime, Value};
use clock::{Scheduler, VirtualClock};
use pretend::NoHost;
use streams::World;

fn runtime() -> Arc<Runtime> {
    let mut rt = Runtime::unshared(Arc::new(NoHost));
    let scheduler = Scheduler::new(Arc::new(VirtualClock::new()));
    rt.attach(Arc::new(World::new(
        scheduler,
        Arc::new(|who, thrown| panic!("{who} threw {thrown}")),
    )));
    streams::install(&rt);
    Arc::new(rt)
}

/// In a namespace as a configuration's: streams by their names, and some vars of its own.
const PRELUDE: &str = "(ns plans (:require [riemann.streams :refer :all]))
    (def limit 5) (def calls (atom 0)) (defn odd [x] (swap! calls inc) (odd? x)) (declare later)";

/// Expressions of which every part is native.
const NATIVE: &[&str] = &[
    r#"(and (service #"^api") (> metric 5) (not (state "ok")) (tagged "prod") (nil? description))"#,
    r#"(or (state "critical" "warning") (not (tagged "x")) (= host "a") (< 1 metric 5) (expired? event))"#,
    r#"(and (service #"..") (> metric 5))"#,
    r#"(and (= (:env event) "prod") (not= state nil) (= (get event :dc) :lon) (some? metric) ttl)"#,
    r#"(or (pos? metric) (neg? metric) (zero? metric) (== metric 1.0) (<= limit metric plans/limit))"#,
    r##"(and (#{"a" "b"} host) (contains? #{"x"} service) (re-find #"b$" host) (tagged-any ["a" "b"]))"##,
    "true",
    "metric",
    r#"(service "a")"#,
];

/// Expressions with a part that has to be a function: how many there are.
const MIXED: &[(&str, usize)] = &[
    ("(= 5 (+ metric 1))", 1),
    (r#"(and (service "a") (odd metric) (> metric 5))"#, 1),
    ("(or (odd metric) (not (odd ttl)))", 2),
    ("(let [> <] (> metric 1))", 1),
    ("(> metric @calls)", 1),
    ("(> metric later)", 1),
    (r#"(re-find (re-pattern "a") host)"#, 1),
];

fn functions_in(plan: &Value) -> usize {
    match plan {
        Value::Vector(items) => {
            usize::from(items.get(0) == Some(&Value::keyword("call")))
                + items.iter().map(functions_in).sum::<usize>()
        }
        _ => 0,
    }
}

/// The plan in what a form expands to.
fn plan_of(rt: &Arc<Runtime>, form: &str) -> Value {
    let source = format!("{PRELUDE} (nth (macroexpand-1 '{form}) 1)");
    rt.eval_source(&Cx::new(rt), "plans", &source)
        .unwrap_or_else(|thrown| panic!("{form}: {thrown}"))
}

#[test]
fn expressions_of_where_are_native_as_far_as_they_can_be() {
    let rt = runtime();
    let native = NATIVE.iter().map(|form| (*form, 0));
    for (form, functions) in native.chain(MIXED.iter().copied()) {
        let plan = plan_of(&rt, &format!("(where {form})"));
        assert_eq!(functions_in(&plan), functions, "{form}: {plan:?}");
    }
}

#[test]
fn the_body_of_a_function_of_where_star_is_native_too() {
    let rt = runtime();
    for (form, functions) in [
        (
            r#"(fn [e] (and (> (:metric e) 5) (= "a" (:host e)) (not (:state e))))"#,
            0,
        ),
        ("#(and (> (:metric %) limit) (nil? (:description %)))", 0),
        ("(fn [e] (or (expired? e) (odd (:metric e))))", 1),
        ("(fn [{:keys [metric]}] (> metric 5))", 1),
        ("(fn [e] (prn e) (> (:metric e) 5))", 1),
        ("(fn [e] (> (:metric event) 5))", 1),
        ("(fn [& e] (nil? e))", 1),
        ("odd", 1),
        ("(fn [metric] (> metric 5))", 1),
    ] {
        let plan = plan_of(&rt, &format!("(where* {form})"));
        assert_eq!(functions_in(&plan), functions, "{form}: {plan:?}");
    }
}

/// Native or not, the answers are those of the expression as a function.
#[test]
fn a_plan_answers_as_its_expression_does() {
    let rt = runtime();
    let events = r#"[{:host "a" :service "api x" :metric 6 :state "bad" :tags ["prod"] :env "prod"}
        {:host "b" :service "x" :metric 1.0 :ttl 3} {:host "ab" :metric -1 :description "d"}
        {:host nil :metric 0 :dc :lon :env "prod"} {:state "expired" :metric 5 :host 7}
        {:service "x"} {:metric 5/2 :host "b"} {:metric "text"} nil]"#;
    let forms = NATIVE
        .iter()
        .copied()
        .chain(MIXED.iter().map(|(form, _)| *form));
    for form in forms.filter(|form| !form.contains("later")) {
        let source = format!(
            "{PRELUDE} (let [attempt (fn [f] (try (f) (catch Exception e (class e))))
                   plain (fn [event] {})]
               (doseq [event {events}]
                 (let [planned (attempt #((where {form}) event)) direct (attempt #(plain event))]
                   (when (not= planned direct)
                     (throw (ex-info (str event \" gives \" (pr-str planned) \", not \"
                                          (pr-str direct)) {{}}))))))",
            "EXPRESSION",
        );
        let rewritten = rt
            .eval_source(
                &Cx::new(&rt),
                "plans",
                &format!("{PRELUDE} (pr-str (riemann.streams/where-rewrite '{form}))"),
            )
            .expect("an expression");
        let source = source.replace("EXPRESSION", rewritten.as_str().expect("a text"));
        rt.eval_source(&Cx::new(&rt), "plans", &source)
            .unwrap_or_else(|thrown| panic!("{form}: {thrown}"));
    }
}
