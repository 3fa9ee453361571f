(defmulti describe :state)
(defmethod describe "critical" [e] (str "!!! " (:service e)))
(defmethod describe :default [{:keys [service metric] :or {metric 0}}] (str service " " metric))

(defn- seen-recently [cache] (fn [e] (contains? @cache (:service e))))

(let [cache (atom #{})
      a     (agent {})]
  (streams
    (where (and metric (> metric 1e3) (not ((seen-recently cache) event)))
      (fn [e]
        (swap! cache conj (:service e))
        (send-off a assoc (:service e) (describe e))))
    (by-builder [h :host] (fill-in-last 10 {:state "stale" :owner h} (tap :stale bit-bucket)))
    (pipe - (fold-interval-metric 5 (fn [xs] (reduce + xs)) -)
            (with :service "total" -)
            (ewma 3 -)
            prn)))
