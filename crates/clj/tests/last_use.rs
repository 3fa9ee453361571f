//! Locals are let go at their last use: long sequences pass through, and nothing is lost.

mod pretend;

use std::any::Any;
use std::cell::Cell;

use clj::{Cx, Native, Object, Runtime, Value};

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

/// An item that counts how many of its kind there are.
struct Tracked;

impl Object for Tracked {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "Tracked"
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        LIVE.set(LIVE.get() - 1);
    }
}

const TRACKED: Native = Native {
    name: "tracked",
    arglists: "([x])",
    doc: "An item.",
    arity: (1, Some(1)),
    code: |_, _| {
        LIVE.set(LIVE.get() + 1);
        MOST.set(MOST.get().max(LIVE.get()));
        Ok(Value::object(Tracked))
    },
};

/// How many items a sequence of the tests has.
const ITEMS: usize = 10_000;

/// How many of them may be there at once: some chunks.
const MOST_ITEMS: usize = 200;

const PRELUDE: &str = "
    (defn items [] (map tracked (range 10000)))
    (defn add [n _] (inc n))
    (defn total [xs] (reduce add 0 xs))
    (defn total-of [xs] (let [ys xs] (total ys)))
    (defn walked [xs] (if (seq xs) (recur (rest xs)) :done))
    (defn counted ([xs] (counted 0 xs)) ([n xs] (if (seq xs) (recur (inc n) (next xs)) n)))
    (defn self [n xs] (if (zero? n) (count xs) (self (dec n) xs)))";

fn evaluated(source: &str) -> Value {
    let rt = Runtime::new(pretend::host());
    let cx = Cx::new(&rt);
    rt.define_natives("user", &[TRACKED]);
    let source = format!("{PRELUDE} {source}");
    rt.eval_source(&cx, "test", &source)
        .unwrap_or_else(|thrown| panic!("{source}: {thrown}"))
}

#[test]
fn the_front_of_a_long_sequence_is_let_go() {
    let mut held = Vec::new();
    for source in [
        "(reduce add 0 (items))",
        "(reduce (fn [_ x] x) (items))",
        "(count (items))",
        "(let [s (items)] (count s))",
        "(let [s (items) t s] (reduce add 0 t))",
        "(let [s (items)] (if (seq s) (reduce add 0 s) 0))",
        "(let [s (items)] (when-let [t (seq s)] (reduce add 0 t)))",
        "(total (items))",
        "(total-of (items))",
        "(let [s (items)] (total-of s))",
        "(walked (items))",
        "(counted (items))",
        "(self 3 (items))",
        "(loop [s (items)] (when (seq s) (recur (next s))))",
        "(loop [s (items) n 0 m 1] (if s (recur (next s) (inc n) m) n))",
        "(doseq [x (items)] x)",
        "(let [s (items)] (doseq [x s] x))",
        "(dorun (items))",
        "(run! identity (items))",
        "(last (items))",
        "(every? some? (items))",
        "(some nil? (items))",
        "(transduce (map identity) (completing add) 0 (items))",
        "(->> (items) (filter some?) (remove nil?) (map identity) (take-while some?) (reduce add 0))",
        "(letfn [(f [s] (count s))] (f (items)))",
        "(try (count (items)) (finally nil))",
        "(dotimes [_ 2] (let [s (items)] (count s)))",
        "((fn [s] (reduce add 0 s)) (items))",
    ] {
        MOST.set(0);
        evaluated(source);
        if !(1..MOST_ITEMS).contains(&MOST.get()) {
            held.push((source, MOST.get()));
        }
    }
    assert!(held.is_empty(), "items at once: {held:#?}");
}

#[test]
fn what_is_used_again_is_kept() {
    MOST.set(0);
    evaluated("(let [s (items)] [(count s) (count s)])");
    assert_eq!(MOST.get(), ITEMS);
}

#[test]
fn every_use_finds_its_value() {
    for (source, expected) in [
        (
            "(let [s (range 3)] [(count s) (count s) s])",
            "[3 3 (0 1 2)]",
        ),
        ("(let [s (range 3)] (= s (into [] s)))", "true"),
        ("(let [n 1] (+ n (let [m n] (inc m))))", "3"),
        ("(let [n 2] (< n (total [n n n])))", "true"),
        (
            "(let [m {:a 1}] (assoc m :b (count m) :c m))",
            "{:a 1, :b 1, :c {:a 1}}",
        ),
        (
            "(let [m {:a 1} v 2] (assoc (assoc m :b v) :c (self 1 [m v]) :d v))",
            "{:a 1, :b 2, :c 2, :d 2}",
        ),
        (
            "(let [s [1 2]] (loop [i 0 r []] (if (< i 3) (recur (inc i) (conj r (total s))) [r s])))",
            "[[2 2 2] [1 2]]",
        ),
        (
            "(let [s [1]] (loop [i 0] (let [t s] (if (< i 2) (recur (+ i (total t))) [i t]))))",
            "[2 [1]]",
        ),
        (
            "(let [s [1 2]] (try (count s) (throw (ex-info \"x\" {})) (catch Exception e [s]) ))",
            "[[1 2]]",
        ),
        (
            "(let [s [1 2] a (atom nil)] (try (total s) (finally (reset! a s))) @a)",
            "[1 2]",
        ),
        ("(let [s [1 2] f (fn [] s)] [(total s) (f)])", "[2 [1 2]]"),
        ("(let [s [1 2]] [((fn [] (total s))) s])", "[2 [1 2]]"),
        (
            "(let [s [1 2]] (or (when (= 9 (total s)) s) (and (total s) s)))",
            "[1 2]",
        ),
        (
            "(let [s [1 2]] (if (total s) (case (total s) 2 s :no) s))",
            "[1 2]",
        ),
        (
            "(let [s nil] (or s (let [t (or s [3])] (conj t (total t)))))",
            "[3 1]",
        ),
        ("(let [s [1] {:keys [a] :or {a s}} {}] [a s])", "[[1] [1]]"),
        (
            "((fn [a b] (if (pos? a) (recur (dec a) (conj b (total b) a)) [a b])) 2 [])",
            "[0 [0 2 2 1]]",
        ),
        ("((fn [& xs] [(total xs) xs]) 1 2)", "[2 (1 2)]"),
        (
            "(letfn [(f [n xs] (if (pos? n) (g (dec n) (conj xs n)) xs)) (g [n xs] (f n xs))]
            (let [v [0]] [(f 2 v) v]))",
            "[[0 2 1] [0]]",
        ),
        (
            "(let [s [1 2]] (binding [*print-length* (total s)] (pr-str s)))",
            "\"[1 2]\"",
        ),
        (
            "(map (fn [x] (let [y x] [(identity y) y])) [1 2])",
            "([1 1] [2 2])",
        ),
        (
            "(let [f (fn [x] (total [x]))] [(f 1) (f 2) (apply f [3])])",
            "[1 1 1]",
        ),
        (
            "(let [args [[1 2]]] [(apply total args) args])",
            "[2 [[1 2]]]",
        ),
        ("(let [k :a m {:a 1}] (get m k (total [m k])))", "1"),
        ("(let [x 5] (def y x) [y x])", "[5 5]"),
        (
            "(let [s \"ab\"] (.concat s (str s (count s))))",
            "\"abab2\"",
        ),
        ("(let [x [1]] {:a (total x) :b x})", "{:a 1, :b [1]}"),
    ] {
        let value = evaluated(source);
        assert_eq!(value.to_readable(), expected, "{source}");
    }
}
