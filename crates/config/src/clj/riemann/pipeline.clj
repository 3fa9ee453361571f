;; riemann.pipeline: ways from the network through a queue into a store.
(ns riemann.pipeline
  (:require [riemann.service :as service]))

(defrecord Pipeline [name described handle core]
  service/Service
  (start! [this] (riemann.pipeline/-start! described handle))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this] (riemann.pipeline/-stop! handle))
  (conflict? [this other]
    (and (instance? Pipeline other)
         (some? (riemann.pipeline/-clash described (:described other)))))
  service/ServiceEquiv
  (equiv? [this other]
    (and (instance? Pipeline other)
         (riemann.pipeline/-same? described (:described other))))
  service/ServiceStatus
  (running? [this] (boolean @handle)))

(defn pipeline
  "A pipeline as a service; see riemann.config/pipeline."
  [name source queue store options]
  (Pipeline. name (riemann.pipeline/-described name source queue store options)
             (atom nil) (atom nil)))

(defn clash
  "Why a pipeline cannot run beside one of these services, or nil."
  [pipeline services]
  (some (fn [other]
          (when (instance? Pipeline other)
            (riemann.pipeline/-clash (:described pipeline) (:described other))))
        services))
