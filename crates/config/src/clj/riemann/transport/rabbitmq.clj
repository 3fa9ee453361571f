;; riemann.transport.rabbitmq: a service that would receive messages from RabbitMQ.
(ns riemann.transport.rabbitmq
  (:require [clojure.tools.logging :as logging]
            [riemann.service :as service]))

(defrecord RabbitMQTransport [opts core]
  service/Service
  (start! [this]
    (logging/error "rabbitmq-transport: not available in this build of cauchy; nothing is received from RabbitMQ"))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this] nil)
  (conflict? [this other] (and (instance? RabbitMQTransport other) (= opts (:opts other))))
  service/ServiceEquiv
  (equiv? [this other] (and (instance? RabbitMQTransport other) (= opts (:opts other))))
  service/ServiceStatus
  (running? [this] false))

(defn rabbitmq-transport
  "A service that would receive messages from RabbitMQ. Not in this build: it logs an error when it
  starts, and everything else goes on."
  ([] (rabbitmq-transport {}))
  ([options] (RabbitMQTransport. options (atom nil))))
