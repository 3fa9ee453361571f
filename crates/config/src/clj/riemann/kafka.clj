;; riemann.kafka: a service that would receive events from Kafka.
(ns riemann.kafka
  (:require [clojure.tools.logging :as logging]
            [riemann.service :as service]))

(defrecord KafkaConsumer [opts core]
  service/Service
  (start! [this]
    (logging/error "kafka-consumer: not available in this build of cauchy; nothing is received from Kafka"))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this] nil)
  (conflict? [this other] (and (instance? KafkaConsumer other) (= opts (:opts other))))
  service/ServiceEquiv
  (equiv? [this other] (and (instance? KafkaConsumer other) (= opts (:opts other))))
  service/ServiceStatus
  (running? [this] false))

(defn kafka-consumer
  "A service that would receive events from Kafka. Not in this build: it logs an error when it
  starts, and everything else goes on."
  [options]
  (KafkaConsumer. options (atom nil)))
