;; riemann.blueflood: values to Blueflood.
(ns riemann.blueflood
  (:require [riemann.streams :as streams]))

(defn blueflood-ingest
  "A stream that collects events with a metric and sends them to Blueflood, :n 100 at once or every
  :dt 1 seconds; its children are given the same vectors. Options: :host \"localhost\", :port 19000,
  :tenant-id, :ttl 172800 seconds, where an event has none. Nothing waits for Blueflood, so that
  :async-queue-name has nothing to do."
  [options & children]
  (let [options (merge {:n 100 :dt 1} options)
        ingest  (riemann.blueflood/-ingest options)]
    (streams/where metric
      (streams/batch (:n options) (:dt options)
        (apply streams/sdo ingest children)))))
