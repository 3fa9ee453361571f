;; riemann.deps: whether what an event depends on is well, as the index has it.
(ns riemann.deps)

(defprotocol Rule
  (match [this context event]
    "True if the rule holds of an event, given the events of a context: an index, or a collection."))

(defn- agrees? [pattern event]
  (every? (fn [[k v]] (= v (get event k))) pattern))

(defn- some-agrees? [pattern context]
  (boolean (some (fn [event] (agrees? pattern event)) (seq context))))

(defn- all-match? [rules context event]
  (every? (fn [rule] (match rule context event)) rules))

(extend-protocol Rule
  nil
  (match [this context event] true)
  clojure.lang.IPersistentMap
  (match [this context event] (some-agrees? this context)))

(defrecord All [rules]
  Rule
  (match [this context event] (all-match? rules context event)))

(defrecord Any [rules]
  Rule
  (match [this context event]
    (boolean (some (fn [rule] (match rule context event)) rules))))

(defrecord Localhost [rules]
  Rule
  (match [this context event]
    (let [here (filter (fn [other] (= (:host event) (:host other))) (seq context))]
      (all-match? rules here event))))

(defrecord Depends [a bs]
  Rule
  (match [this context event]
    (or (not (match a [event] event))
        (all-match? bs context event))))

(defn all
  "A rule that holds when all of the rules do."
  [& rules]
  (All. rules))

(defn any
  "A rule that holds when one of the rules does."
  [& rules]
  (Any. rules))

(defn localhost
  "A rule that holds when all of the rules do, given only the events of the event's own host."
  [& rules]
  (Localhost. rules))

(defn depends
  "A rule about the events that a matches: all of bs must hold for them. It holds for other events."
  [a & bs]
  (Depends. a bs))

(defn deps-tag
  "Passes events on with :deps-satisfied?, whether the rule holds of them given the index."
  [index rule & children]
  (let [children (apply riemann.streams/sdo children)]
    (fn [event]
      (children (assoc event :deps-satisfied? (boolean (match rule index event)))))))
