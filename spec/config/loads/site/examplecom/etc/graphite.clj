(ns examplecom.etc.graphite
  (:require [riemann.config :refer :all]
            [riemann.graphite :refer :all]
            [clojure.tools.logging :refer :all]))

(defn add-environment-to-graphite [event]
  (condp = (:plugin event)
    "docker" (str "productiona.docker." (riemann.graphite/graphite-path-percentiles event))
    "statsd" (str "productiona.statsd." (riemann.graphite/graphite-path-percentiles event))
    (str "productiona.hosts." (riemann.graphite/graphite-path-percentiles event))))

(def graph (async-queue! :graphite {:queue-size 1000}
             (graphite {:host "graphitea" :path add-environment-to-graphite})))
