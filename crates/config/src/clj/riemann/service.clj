;; riemann.service: things that start and stop with a core.
(ns riemann.service
  (:require [riemann.instrumentation :as instrumentation]
            [riemann.time]))

(defprotocol Service
  (reload! [service new-core] "Tells a running service which core it belongs to from now on.")
  (start! [service] "Starts the service; nothing happens if it runs.")
  (stop! [service] "Stops the service; nothing happens if it does not run.")
  (conflict? [service other] "True if both cannot run at once."))

(defprotocol ServiceEquiv
  (equiv? [service other] "True if either can stand for the other."))

(defprotocol ServiceStatus
  (running? [service] "True while the service runs."))

(extend-protocol ServiceEquiv
  nil
  (equiv? [a b] (nil? b))
  Object
  (equiv? [a b]
    (or (= a b)
        (and (riemann.index/-index? a) (riemann.index/-index? b) (= (class a) (class b))))))

(extend-protocol Service
  Object
  (reload! [service new-core] nil)
  (start! [service] nil)
  (stop! [service] nil)
  (conflict? [service other] false))

(defmacro all-equal?
  "True if each form gives equal values with a and with b as its first argument:
  (all-equal? a b (class) (:port) :host)."
  [a b & forms]
  (let [left (gensym "a") right (gensym "b")]
    `(let [~left ~a ~right ~b]
       (and ~@(map (fn [form] `(= (-> ~left ~form) (-> ~right ~form))) forms)))))

;; Milliseconds that stopping waits for a call of the function that is under way.
(def ^:private stop-wait 2000)

(defn- -wait-for-end [thread]
  (try
    (deref thread stop-wait nil)
    (catch Throwable _ nil))
  (future-cancel thread))

(defrecord ThreadService [name equiv-key f core running thread]
  Service
  (start! [this]
    (locking this
      (when-not @running
        (reset! running true)
        (reset! thread (future (while @running (f @core)))))))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this]
    (locking this
      (when @running
        (reset! running false)
        (-wait-for-end @thread)
        (reset! thread nil))))
  (conflict? [this other] false)
  ServiceEquiv
  (equiv? [this other]
    (and (instance? ThreadService other)
         (all-equal? this other :name :equiv-key)))
  ServiceStatus
  (running? [this] (boolean @running)))

(defn thread-service
  "A service that calls (f core) again and again on a thread of its own. Services of an equal name
  and equiv-key stand for each other."
  ([name f] (thread-service name nil f))
  ([name equiv-key f]
   (ThreadService. name equiv-key f (atom nil) (atom false) (atom nil))))

(defrecord ScheduledTaskService [name equiv-key interval delay f core task]
  Service
  (start! [this]
    (locking task
      (when-not @task
        (reset! task (riemann.time/every! interval delay (fn [] (f @core)))))))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this]
    (locking task
      (when-let [running @task]
        (riemann.time/cancel running)
        (reset! task nil))))
  (conflict? [this other] false)
  ServiceEquiv
  (equiv? [this other]
    (and (instance? ScheduledTaskService other)
         (all-equal? this other :name :equiv-key :interval :delay)))
  ServiceStatus
  (running? [this] (boolean @task)))

(defn scheduled-task-service
  "A service that calls (f core) every interval seconds, after a first delay."
  [name equiv-key interval delay f]
  (ScheduledTaskService. name equiv-key interval delay f (atom nil) (atom nil)))

(defn- per-second [now before counted]
  (let [took (* 1e-9 (- (:at now) (:at before)))]
    (if (pos? took) (/ (- (counted now) (counted before)) took) 0.0)))

(defn- told-of-pool
  "Events that tell of a pool of threads, given what it counted now and the time before."
  [name now before]
  (let [base {:state "ok" :tags ["riemann"] :time (riemann.time/unix-time)}]
    (map (fn [[what metric]]
           (assoc base :service (str "riemann executor " (clojure.core/name name) " " what) :metric metric))
         [["accepted rate"  (per-second now before :accepted)]
          ["completed rate" (per-second now before :completed)]
          ["rejected rate"  (per-second now before :rejected)]
          ["queue capacity" (:queue-capacity now)]
          ["queue size"     (:queue-size now)]
          ["queue used"     (/ (:queue-size now) (max 1 (:queue-capacity now)))]
          ["threads active" (:threads-active now)]
          ["threads alive"  (:threads-alive now)]])))

(defrecord ExecutorServiceService [name equiv-key f executor core counted]
  Service
  (start! [this]
    (locking executor
      (when-not @executor (reset! executor (f)))))
  (reload! [this new-core] (reset! core new-core))
  (stop! [this]
    (locking executor
      (when-let [running @executor]
        (.shutdown running)
        (reset! executor nil))))
  (conflict? [this other] false)
  ServiceEquiv
  (equiv? [this other]
    (and (instance? ExecutorServiceService other)
         (all-equal? this other :name :equiv-key)
         (some? equiv-key)))
  ServiceStatus
  (running? [this] (boolean @executor))
  java.util.concurrent.Executor
  (execute [this task]
    (if-let [running @executor]
      (.execute running task)
      (throw (java.util.concurrent.RejectedExecutionException.
               (str "Executor " name " isn't running.")))))
  instrumentation/Instrumented
  (events [this]
    (if-let [now (some-> @executor riemann.service/-pool-counts (assoc :at (System/nanoTime)))]
      (let [[before] (reset-vals! counted now)]
        (told-of-pool name now (or before (assoc now :at 0 :accepted 0 :completed 0 :rejected 0))))
      [])))

(defn getExecutor
  "The running executor of a service, or nil."
  [service]
  @(:executor service))

(defn executor-service
  "A service around the executor that (f) makes when it starts."
  ([name f] (executor-service name nil f))
  ([name equiv-key f]
   (ExecutorServiceService. name equiv-key f (atom nil) (atom nil) (atom nil))))

(defn literal-executor-service
  "A service around an executor that exists already."
  [name executor]
  (ExecutorServiceService. name nil (fn [] executor) (atom executor) (atom nil) (atom nil)))

(defn threadpool-service
  "A service around a pool of threads with a bounded queue. Options: :core-pool-size 1,
  :max-pool-size 128, :keep-alive-time 10, :keep-alive-unit MILLISECONDS, :queue-size 1000."
  ([name] (threadpool-service name {}))
  ([name options]
   (let [options (merge {:core-pool-size 1
                         :max-pool-size 128
                         :keep-alive-time 10
                         :queue-size 1000}
                        options)]
     (executor-service name
                       (assoc options :name name)
                       (fn [] (riemann.service/-threadpool name options))))))
