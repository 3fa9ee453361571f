;; riemann.test: tests beside the configuration.
(ns riemann.test
  (:require [riemann.time.controlled :as time.controlled]
            [clojure.test :as test]))

(def ^:dynamic *testing* "True while a configuration is being tested." false)
(def ^:dynamic *results* "The events that reached each tap: an atom of a vector for each name." nil)
(def ^:dynamic *taps* "Where each tap was defined." nil)
(def ^:dynamic *core* "The core under test." nil)

(defn- configured
  "The atom in a var of riemann.config, which needs this namespace before it is there."
  [name]
  (var-get (find-var (symbol "riemann.config" name))))

(defn fresh-results
  "An atom of no events yet for each of the taps."
  [taps]
  (into {} (map (fn [tap] [tap (atom [])]) (keys taps))))

(defn- taps-now []
  (when *taps* @*taps*))

(defn tap-stream
  "A stream that records events under a name and passes them on."
  [name child]
  (fn stream [event]
    (when-let [recorded (get *results* name)]
      (swap! recorded conj event))
    (child event)))

(defn- recorded []
  (into {} (map (fn [[name events]] [name @events]) *results*)))

(defmacro tap
  "Passes events to children; when testing, records them under a name that no other tap has."
  [name & children]
  (if-not *testing*
    `(riemann.streams/sdo ~@children)
    (let [place (str *file* ":" (:line (meta &form)))]
      (when-let [taken (get @*taps* name)]
        (throw (RuntimeException. (str "Tap " name " (" place ") already defined at " taken))))
      (swap! *taps* assoc name place)
      `(riemann.test/tap-stream ~name (riemann.streams/sdo ~@children)))))

(defmacro io
  "Passes events to children; when testing, drops them: for streams that reach the outside."
  [& children]
  (if *testing*
    `riemann.streams/bit-bucket
    `(riemann.streams/sdo ~@children)))

(defn with-test-env*
  "Calls f with an empty core under test."
  [f]
  (binding [*testing* true
            *taps*    (atom {})
            *results* nil
            *core*    (configured "next-core")]
    (f)))

(defmacro with-test-env
  "Evaluates body as a configuration under test."
  [& body]
  `(riemann.test/with-test-env* (fn [] ~@body)))

(defn inject!
  "Sends events through streams (those of the core under test if none are given), moving the clock
  to the time of each. Returns what reached each tap, by name."
  ([events] (inject! (:streams (if *core* @*core* @(configured "core"))) events))
  ([streams events]
   (binding [*results* (or *results* (fresh-results (taps-now)))]
     (doseq [event events]
       (when-let [t (:time event)]
         (time.controlled/advance! t))
       (doseq [stream streams]
         (stream event)))
     (recorded))))

(defn inject-intervals!
  "As inject!, of events and seconds in turn: after each event the clock moves on so much."
  ([events-and-intervals]
   (inject-intervals! (:streams (if *core* @*core* @(configured "core"))) events-and-intervals))
  ([streams events-and-intervals]
   (binding [*results* (or *results* (fresh-results (taps-now)))]
     (doseq [[event interval] (partition-all 2 events-and-intervals)]
       (doseq [stream streams]
         (stream event))
       (when interval
         (time.controlled/advance! (+ (riemann.time/unix-time) interval))))
     (recorded))))

(defn lookup
  "The event of a host and service in the index under test."
  [host service]
  (let [core (if *core* @*core* @(configured "core"))]
    (when (:index core)
      (riemann.index/lookup (:index core) host service))))

(defn with-fresh-results*
  "Calls f in controlled time, with empty taps and an empty index."
  [f]
  (binding [*results* (fresh-results (taps-now))]
    (time.controlled/with-controlled-time!
      (time.controlled/reset-time!)
      (when-let [index (and *core* (:index @*core*))]
        (riemann.index/clear index))
      (f))))

(defmacro deftest
  "A test with a clock, taps and an index of its own."
  [name & body]
  `(clojure.test/deftest ~name
     (riemann.test/with-fresh-results* (fn [] ~@body))))

(defmacro tests
  "Evaluates body only when testing, in a namespace of its own that sees all of this one."
  [& body]
  (when *testing*
    (let [here  (ns-name *ns*)
          there (symbol (str here "-test"))]
      `(do
         (riemann.test/-enter-test-ns '~there '~here)
         ~@body
         (in-ns '~here)))))

(defmacro run-stream
  "Builds a stream form with one more child that collects, sends it the inputs, and returns what
  came out."
  [stream inputs]
  `(let [out#    (atom [])
         stream# (~@stream (riemann.streams/append out#))]
     (doseq [input# ~inputs] (stream# input#))
     @out#))

(defmacro run-stream-intervals
  "As run-stream, of inputs and seconds in turn: after each input the clock moves on so much."
  [stream inputs-and-intervals]
  `(let [out#    (atom [])
         stream# (~@stream (riemann.streams/append out#))
         start#  (riemann.time/unix-time)]
     (reduce (fn [now# [input# interval#]]
               (stream# input#)
               (if interval#
                 (let [then# (+ now# interval#)]
                   (riemann.time.controlled/advance! then#)
                   then#)
                 now#))
             start#
             (partition-all 2 ~inputs-and-intervals))
     @out#))

(defmacro test-stream
  "Asserts what comes out of a stream for the inputs."
  [stream inputs outputs]
  `(clojure.test/is (~'= (riemann.test/run-stream ~stream ~inputs) ~outputs)))

(defmacro with-test-stream
  "Asserts what comes out of a stream for the inputs; sym stands for the collecting child in the
  stream form."
  [sym stream inputs outputs]
  `(let [out#   (atom [])
         ~sym   (riemann.streams/append out#)
         built# ~stream]
     (doseq [input# ~inputs] (built# input#))
     (clojure.test/is (~'= (deref out#) ~outputs))))

(defmacro test-stream-intervals
  "Asserts what comes out of a stream for inputs and seconds in turn."
  [stream inputs-and-intervals outputs]
  `(clojure.test/is (~'= (riemann.test/run-stream-intervals ~stream ~inputs-and-intervals)
                       ~outputs)))
