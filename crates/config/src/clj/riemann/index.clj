;; riemann.index: the latest event of each host and service.
(ns riemann.index
  (:require [riemann.service :as service]))

(def default-ttl "Seconds that an event without a ttl lives." 60)

(defprotocol Index
  (clear [this] "Takes everything out.")
  (delete [this event] "Takes out the event of the same host and service.")
  (delete-exactly [this event] "Takes out this very event, if it is the latest.")
  (expire [this] "Takes out the events whose ttl is over, and returns them.")
  (search [this query-ast] "The events that a query matches.")
  (insert [this event] "Keeps an event; one with state \"expired\" is taken out instead.")
  (lookup [this host service] "The event of a host and service, or nil."))

(extend-protocol Index
  Object
  (clear [this] (riemann.index/-clear this))
  (delete [this event] (riemann.index/-delete this event))
  (delete-exactly [this event] (riemann.index/-delete-exactly this event))
  (expire [this] (riemann.index/-expire this))
  (search [this query-ast] (riemann.index/-search this query-ast))
  (insert [this event] (riemann.index/-insert this event))
  (lookup [this host service] (riemann.index/-lookup this host service)))

(defn query-for-host-and-service
  "The [host service] that a query asks for, if it asks for exactly one pair."
  [query-ast]
  (when (and (seq? query-ast) (= 3 (count query-ast)) (= 'and (first query-ast)))
    (let [clauses (rest query-ast)
          value   (fn [field]
                    (first (filter (fn [c]
                                     (and (seq? c) (= 3 (count c)) (= '= (first c)) (= field (second c))))
                                   clauses)))
          host    (value :host)
          service (value :service)]
      (when (and host service)
        [(nth host 2) (nth service 2)]))))

(defn nbhm-index
  "A new index."
  []
  (riemann.index/-new))

(defn index
  "A new index."
  []
  (nbhm-index))

(defn update
  "Deprecated: insert."
  [index event]
  (insert index event))
