;; interval-metrics.core: things measured from one look to the next.
(ns interval-metrics.core)

(defprotocol Metric
  (update! [metric value] "Takes a measurement."))

(defprotocol Snapshot
  (snapshot! [metric] "What was measured since the last snapshot."))
