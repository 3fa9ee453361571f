;; riemann.pubsub: channels that events are published on.
(ns riemann.pubsub)

(defn dissoc-in
  "Takes a nested key out of a map, and maps that become empty with it."
  [m [k & ks]]
  (if (seq ks)
    (let [inner (dissoc-in (get m k) ks)]
      (if (empty? inner) (dissoc m k) (assoc m k inner)))
    (dissoc m k)))
