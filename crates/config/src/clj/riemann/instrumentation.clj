;; riemann.instrumentation: how things tell of themselves.
(ns riemann.instrumentation
  (:require [interval-metrics.core :as metrics]))

(defprotocol Instrumented
  (events [this] "Events that tell how this is doing."))

(extend-protocol Instrumented
  nil
  (events [this] [])
  Object
  (events [this]
    (if (riemann.index/-index? this)
      [{:service "riemann index size"
        :metric  (riemann.index/-size this)
        :state   "ok"
        :tags    ["riemann"]
        :time    (riemann.time/unix-time)}]
      [])))

(defn instrumented?
  "True if x tells of itself."
  [x]
  (satisfies? Instrumented x))

(defn nanos->millis
  "Milliseconds of nanoseconds; nil for nil."
  [nanos]
  (when nanos (* 1e-6 nanos)))

(def ^:private samples-max "Latencies that are kept of one interval." 1024)

(defn- sample [{:keys [seen samples] :as state} nanos]
  (assoc state
         :seen    (inc seen)
         :samples (if (< (count samples) samples-max)
                    (conj samples nanos)
                    (let [place (rand-int (inc seen))]
                      (if (< place samples-max) (assoc samples place nanos) samples)))))

(defn- fresh []
  {:since (System/nanoTime) :seen 0 :samples []})

(defn- quantile [sorted q]
  (when (seq sorted)
    (nth sorted (min (dec (count sorted)) (long (Math/floor (double (* q (count sorted)))))))))

(defrecord RateLatency [event quantiles state]
  metrics/Metric
  (update! [this nanos]
    (swap! state sample nanos))
  metrics/Snapshot
  (snapshot! [this]
    (locking state
      (let [now   (fresh)
            {:keys [since seen samples]} @state
            took  (max 1 (- (:since now) since))
            sorted (vec (sort samples))]
        (reset! state now)
        {:rate      (/ seen (* 1e-9 took))
         :quantiles (into {} (map (fn [q] [q (quantile sorted q)]) quantiles))})))
  Instrumented
  (events [this]
    (let [{:keys [rate] measured :quantiles} (metrics/snapshot! this)
          base (assoc event :time (riemann.time/unix-time))]
      (into [(assoc base :service (str (:service event) " rate") :metric rate)]
            (map (fn [q]
                   (assoc base
                          :service (str (:service event) " latency " q)
                          :metric  (nanos->millis (get measured q)))))
            quantiles))))

(defn rate+latency
  "Measures how often something is done and how long it takes; its events are like event, with
  \" rate\" and \" latency Q\" (in milliseconds) after the service."
  ([event] (rate+latency event [0.0 0.5 0.95 0.99 0.999]))
  ([event quantiles]
   (RateLatency. event quantiles (atom (fresh)))))

(defmacro measure-latency
  "Evaluates body and tells a RateLatency how long that took."
  [rate+latency & body]
  `(let [began# (System/nanoTime)
         value# (do ~@body)]
     (interval-metrics.core/update! ~rate+latency (- (System/nanoTime) began#))
     value#))
