;; riemann.transport.tcp: Riemann's protocol over TCP and TLS.
(ns riemann.transport.tcp
  (:require [riemann.service :as service]))

(defrecord TCPServer [host port equiv options core handle]
  service/Service
  (start! [this] (riemann.transport/-start! :tcp options handle))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this] (riemann.transport/-stop! handle))
  (conflict? [this other]
    (and (instance? TCPServer other) (service/all-equal? this other :host :port)))
  service/ServiceEquiv
  (equiv? [this other]
    (and (instance? TCPServer other) (service/all-equal? this other :host :port :equiv)))
  service/ServiceStatus
  (running? [this] (boolean @handle)))

(defn tcp-server
  "A server of Riemann's protocol over TCP; see riemann.config/tcp-server."
  ([] (tcp-server {}))
  ([options]
   (let [options (merge {:host "127.0.0.1" :port (if (:tls? options) 5554 5555)} options)]
     (riemann.transport/-check-options :tcp options)
     (TCPServer. (:host options) (:port options) options options (atom nil) (atom nil)))))
