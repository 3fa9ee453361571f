;; riemann.transport.websockets: HTTP and websockets.
(ns riemann.transport.websockets
  (:require [riemann.service :as service]))

(defrecord WebsocketServer [host port equiv options core handle]
  service/Service
  (start! [this] (riemann.transport/-start! :ws options handle))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this] (riemann.transport/-stop! handle))
  (conflict? [this other]
    (and (instance? WebsocketServer other) (service/all-equal? this other :host :port)))
  service/ServiceEquiv
  (equiv? [this other]
    (and (instance? WebsocketServer other) (service/all-equal? this other :host :port :equiv)))
  service/ServiceStatus
  (running? [this] (boolean @handle)))

(defn ws-server
  "A server of HTTP and websockets; see riemann.config/ws-server."
  ([] (ws-server {}))
  ([options]
   (let [options (merge {:host "127.0.0.1" :port 5556} options)]
     (riemann.transport/-check-options :ws options)
     (WebsocketServer. (:host options) (:port options) options options (atom nil) (atom nil)))))
