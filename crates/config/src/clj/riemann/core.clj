;; riemann.core: streams, services, an index and a publish-subscribe registry, together.
(ns riemann.core
  (:require [riemann.service :as service]
            [riemann.index :as index]
            [riemann.pubsub :as pubsub]
            [riemann.common]
            [riemann.instrumentation :as instrumentation]
            [riemann.time]
            [clojure.tools.logging :refer [info warn error]]))

(defrecord Core [streams services index pubsub])

(defn stream!
  "Sends an event to every stream of a core, in order."
  [core event]
  (doseq [stream (:streams core)]
    (stream event)))

(defn core-services
  "All services of a core, its index and its registry of subscriptions among them."
  [core]
  (remove nil? (concat [(:index core) (:pubsub core)] (:services core))))

(declare core-services)

(defn- tell-of-services
  "Sends what the services of a core tell of themselves through its streams. In a server, its own
  telemetry tells of the index."
  [core interval]
  (let [host (riemann.common/localhost)]
    (doseq [service (if (= :run (riemann.test/-mode)) (:services core) (core-services core))
            event   (instrumentation/events service)]
      (try
        (stream! core (merge {:host host :ttl (* 2 interval)} event))
        (catch Throwable t
          (warn t "instrumentation: a stream threw"))))))

(defrecord InstrumentationService [interval enabled? core task]
  service/Service
  (start! [this]
    (when enabled?
      (locking task
        (when-not @task
          (reset! task (riemann.time/every! interval interval
                                            (fn []
                                              (riemann.core/-instrument @core interval)
                                              (tell-of-services @core interval))))))))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this]
    (locking task
      (when-let [running @task]
        (riemann.time/cancel running)
        (reset! task nil))))
  (conflict? [this other] (instance? InstrumentationService other))
  service/ServiceEquiv
  (equiv? [this other]
    (and (instance? InstrumentationService other)
         (service/all-equal? this other :interval :enabled?)))
  service/ServiceStatus
  (running? [this] (boolean @task)))

(defn instrumentation-service
  "A service that tells of the server itself, as events, every :interval seconds (default 10)
  unless :enabled? is false."
  [options]
  (let [{:keys [interval enabled?]} (merge {:interval 10 :enabled? true} options)]
    (InstrumentationService. interval enabled? (atom nil) (atom nil))))

(defn core
  "A new core, without streams or an index."
  []
  (Core. [] (list (instrumentation-service {})) nil (pubsub/pubsub-registry)))

(defn conj-service
  "The core with one more service. With force? true, it takes the place of those it conflicts with;
  otherwise a conflict is an error."
  ([core service] (conj-service core service false))
  ([core service force?]
   (let [conflicts (filter (fn [other] (service/conflict? service other)) (:services core))]
     (when (and (seq conflicts) (not force?))
       (throw (IllegalArgumentException.
                (str "Service " (pr-str service) " conflicts with " (pr-str (first conflicts))))))
     (assoc core :services
            (conj (remove (set conflicts) (:services core)) service)))))

(defn- take-equivalent
  "What runs already and can stand for the service, else the service."
  [old-services service]
  (or (first (filter (fn [old] (service/equiv? service old)) old-services)) service))

(defn merge-cores
  "The core that is to run when old gives way to new: the new one's streams, and of its services
  those of the old that are equivalent."
  [old new]
  (assoc new
         :services (doall (map (fn [s] (take-equivalent (:services old) s)) (:services new)))
         :index (when (:index new)
                  (if (service/equiv? (:index new) (:index old)) (:index old) (:index new)))
         :pubsub (let [there (:pubsub new)]
                   (if (or (nil? there) (service/equiv? there (:pubsub old))) (:pubsub old) there))))

(defn- at-once
  "Calls f with every service, each on a thread of its own. Throws the first exception when all are
  done."
  [f services]
  (let [attempts (mapv (fn [s] (future (try (f s) nil (catch Throwable t t)))) services)]
    (when-let [failed (first (keep deref attempts))]
      (throw failed))))

(defn- start-services!
  "Starts services; those that take events last, when the streams have caught up."
  [services]
  (at-once service/start! (remove :handle services))
  (riemann.core/-catch-up)
  (at-once service/start! (filter :handle services)))

(defn transition!
  "Takes a running core to a new one: stops what the new one does not have, keeps what both have,
  starts the rest. Returns the merged core."
  [old new]
  (let [merged (merge-cores old new)
        kept   (core-services merged)]
    (at-once service/stop!
             (remove (fn [s] (some (fn [k] (identical? k s)) kept)) (core-services old)))
    (doseq [s kept] (service/reload! s merged))
    (riemann.core/-installed merged)
    (start-services! kept)
    (info "Hyperspace core online")
    merged))

(defn start!
  "Starts every service of a core."
  [core]
  (doseq [s (core-services core)] (service/reload! s core))
  (riemann.core/-installed core)
  (start-services! (core-services core))
  (info "Hyperspace core online"))

(defn stop!
  "Stops every service of a core."
  [core]
  (info "Core stopping")
  (at-once service/stop! (core-services core))
  (info "Hyperspace core offline"))

(defn update-index
  "Puts an event into the core's index and tells those subscribed to it."
  [core event]
  ((:index core) event))

(defn delete-from-index
  "Takes events out of the core's index: the one of the same host and service, or all for which the
  given field, each of the given fields, or the given function, is as for the event."
  ([core event]
   (index/delete (:index core) event))
  ([core fields event]
   (let [in     (:index core)
         what   (if (coll? fields) (apply juxt fields) fields)
         wanted (what event)]
     (doseq [indexed (seq in)]
       (when (= wanted (what indexed))
         (index/delete-exactly in indexed))))))

(defn- expired-event [event keep-keys]
  (if (= keep-keys :all)
    (assoc event :state "expired" :time (riemann.time/unix-time))
    (merge (select-keys event keep-keys)
           {:time (riemann.time/unix-time) :state "expired"})))

(defn- reap [core keep-keys]
  (when-let [index (:index core)]
    (doseq [event (index/expire index)]
      (try
        (let [expired (expired-event event keep-keys)]
          (when (:pubsub core) (pubsub/publish! (:pubsub core) "index" expired))
          (stream! core expired))
        (catch Throwable t
          (warn t "Caught exception while processing expired events"))))))

(defn reaper
  "A service that takes expired events out of the index every interval seconds (default 10) and
  sends each through the streams with state \"expired\" and the keys :keep-keys
  (default [:host :service]; :all keeps them all)."
  ([] (reaper 10))
  ([interval] (reaper interval {}))
  ([interval options]
   (let [keep-keys (get options :keep-keys [:host :service])]
     (service/scheduled-task-service "reaper" [interval keep-keys] interval interval
                                     (fn [core] (reap core keep-keys))))))
