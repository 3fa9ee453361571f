;; riemann.transport.graphite: Graphite's line protocol.
(ns riemann.transport.graphite
  (:require [riemann.service :as service]))

(defrecord GraphiteServer [host port equiv options core handle]
  service/Service
  (start! [this] (riemann.transport/-start! :graphite options handle))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this] (riemann.transport/-stop! handle))
  (conflict? [this other]
    (and (instance? GraphiteServer other) (service/all-equal? this other :host :port)))
  service/ServiceEquiv
  (equiv? [this other]
    (and (instance? GraphiteServer other) (service/all-equal? this other :host :port :equiv)))
  service/ServiceStatus
  (running? [this] (boolean @handle)))

(defn graphite-server
  "A server of Graphite's line protocol; see riemann.config/graphite-server."
  ([] (graphite-server {}))
  ([options]
   (let [options (merge {:host "127.0.0.1" :port 2003} options)]
     (riemann.transport/-check-options :graphite options)
     (GraphiteServer. (:host options) (:port options) options options (atom nil) (atom nil)))))
