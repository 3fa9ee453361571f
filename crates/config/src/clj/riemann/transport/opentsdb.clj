;; riemann.transport.opentsdb: OpenTSDB's line protocol.
(ns riemann.transport.opentsdb
  (:require [riemann.service :as service]))

(defrecord OpenTSDBServer [host port equiv options core handle]
  service/Service
  (start! [this] (riemann.transport/-start! :opentsdb options handle))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this] (riemann.transport/-stop! handle))
  (conflict? [this other]
    (and (instance? OpenTSDBServer other) (service/all-equal? this other :host :port)))
  service/ServiceEquiv
  (equiv? [this other]
    (and (instance? OpenTSDBServer other) (service/all-equal? this other :host :port :equiv)))
  service/ServiceStatus
  (running? [this] (boolean @handle)))

(defn opentsdb-server
  "A server of OpenTSDB's line protocol; see riemann.config/opentsdb-server."
  ([] (opentsdb-server {}))
  ([options]
   (let [options (merge {:host "127.0.0.1" :port 4242} options)]
     (riemann.transport/-check-options :opentsdb options)
     (OpenTSDBServer. (:host options) (:port options) options options (atom nil) (atom nil)))))
