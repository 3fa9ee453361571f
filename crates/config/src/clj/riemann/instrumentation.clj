;; riemann.instrumentation: how things tell of themselves.
(ns riemann.instrumentation)

(defprotocol Instrumented
  (events [this] "Events that tell how this is doing."))

(extend-protocol Instrumented
  nil
  (events [this] [])
  Object
  (events [this] []))

(defn instrumented?
  "True if x tells of itself."
  [x]
  (satisfies? Instrumented x))

(defn nanos->millis
  "Milliseconds of nanoseconds."
  [nanos]
  (* 1e-6 nanos))
