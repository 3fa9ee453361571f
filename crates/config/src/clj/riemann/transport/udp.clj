;; riemann.transport.udp: Riemann's protocol over UDP.
(ns riemann.transport.udp
  (:require [riemann.service :as service]))

(defrecord UDPServer [host port equiv options core handle]
  service/Service
  (start! [this] (riemann.transport/-start! :udp options handle))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this] (riemann.transport/-stop! handle))
  (conflict? [this other]
    (and (instance? UDPServer other) (service/all-equal? this other :host :port)))
  service/ServiceEquiv
  (equiv? [this other]
    (and (instance? UDPServer other) (service/all-equal? this other :host :port :equiv)))
  service/ServiceStatus
  (running? [this] (boolean @handle)))

(defn udp-server
  "A server of Riemann's protocol over UDP; see riemann.config/udp-server."
  ([] (udp-server {}))
  ([options]
   (let [options (merge {:host "127.0.0.1" :port 5555} options)]
     (riemann.transport/-check-options :udp options)
     (UDPServer. (:host options) (:port options) options options (atom nil) (atom nil)))))
