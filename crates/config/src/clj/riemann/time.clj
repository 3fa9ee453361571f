;; riemann.time: the clock, and tasks that run at their times.
(ns riemann.time)

(def max-task-id "The number of the latest task." (atom 0))
(def thread-count "Threads that run tasks." 4)
(def park-interval "Riemann's pause between looks at the tasks, in seconds; none is needed here." 0.1)

(defn task-id
  "A number for a new task."
  []
  (swap! max-task-id inc))

(defn unix-time-real
  "Seconds since 1970, an exact ratio of milliseconds."
  []
  (/ (System/currentTimeMillis) 1000))

(defn linear-time-real
  "Seconds of a clock that never goes back."
  []
  (/ (System/nanoTime) 1000000000))

(defprotocol Task
  (succ [task] "The task that comes after this one, or nil.")
  (run [task] "Does what the task is for.")
  (cancel [task] "The task will not run again.")
  (defer [task delay] "The task will next run in delay seconds."))

(extend-protocol Task
  Object
  (succ [task] nil)
  (run [task] nil)
  (cancel [task] (riemann.time/-cancel task))
  (defer [task delay] (riemann.time/-defer task delay)))

(defrecord Once [id f t cancelled]
  Task
  (succ [this] nil)
  (run [this] (when-not @cancelled (f)))
  (cancel [this] (reset! cancelled true))
  (defer [this delay] nil))

(defrecord Every [id f t interval deferred-t cancelled]
  Task
  (succ [this]
    (when-not @cancelled
      (let [then @deferred-t]
        (reset! deferred-t nil)
        (assoc this :t (or then (+ t interval))))))
  (run [this]
    (when-not (or @cancelled @deferred-t) (f)))
  (cancel [this] (reset! cancelled true))
  (defer [this delay] (reset! deferred-t (+ (unix-time) delay))))

(defn- waiting
  "As many things as tasks wait for their time."
  []
  (seq (repeat (riemann.time/-waiting) :task)))

(def tasks
  "The tasks that wait for their time: to be counted, or called for their number."
  (reify
    clojure.lang.IDeref
    (deref [_] (waiting))
    clojure.lang.Counted
    (count [_] (riemann.time/-waiting))
    clojure.lang.Seqable
    (seq [_] (waiting))
    clojure.lang.IFn
    (invoke [_] (riemann.time/-waiting))
    java.util.Set
    (size [_] (riemann.time/-waiting))
    (isEmpty [_] (zero? (riemann.time/-waiting)))
    (clear [_] (reset-tasks!))))

(defn schedule-sneaky!
  "Schedules a task record, and its successors after it."
  [task]
  (once! (:t task)
         (fn []
           (try
             (run task)
             (finally
               (when-let [next (succ task)]
                 (schedule-sneaky! next))))))
  task)

(defn schedule!
  "Schedules a task record, and its successors after it."
  [task]
  (schedule-sneaky! task))

(defn run-tasks!
  "Runs the tasks whose time has come, here and now."
  []
  (riemann.time/-run-tasks))

(defn poll-task!
  "Tasks wait in the scheduler, which hands none out: nil."
  []
  nil)

(def threadpool "Riemann's pool of threads; tasks run on the scheduler's own." (atom nil))

(def running "True while start! has lent threads to the tasks." (atom false))

(defn start!
  "Lends threads to the tasks, where no server does."
  []
  (riemann.time/-start)
  (reset! running true))

(defn stop!
  "Takes back the threads that start! lent; tasks wait until it is called again."
  []
  (riemann.time/-stop)
  (reset! running false))
