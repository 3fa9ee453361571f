;; riemann.transport.sse: server-sent events.
(ns riemann.transport.sse
  (:require [riemann.service :as service]))

(defrecord SSEServer [host port equiv options core handle]
  service/Service
  (start! [this] (riemann.transport/-start! :sse options handle))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this] (riemann.transport/-stop! handle))
  (conflict? [this other]
    (and (instance? SSEServer other) (service/all-equal? this other :host :port)))
  service/ServiceEquiv
  (equiv? [this other]
    (and (instance? SSEServer other) (service/all-equal? this other :host :port :equiv)))
  service/ServiceStatus
  (running? [this] (boolean @handle)))

(defn sse-server
  "A server of server-sent events; see riemann.config/sse-server."
  ([] (sse-server {}))
  ([options]
   (let [options (merge {:host "127.0.0.1" :port 5558} options)]
     (riemann.transport/-check-options :sse options)
     (SSEServer. (:host options) (:port options) options options (atom nil) (atom nil)))))
