;; riemann.pool: a bounded number of things that are dear to open, lent one at a time.
(ns riemann.pool
  (:require [clojure.tools.logging :refer [warn]])
  (:import [java.util.concurrent LinkedBlockingQueue TimeUnit]))

(defprotocol Pool
  (grow [pool] "Opens one more, trying again until that works.")
  (claim [pool] [pool timeout]
    "Takes one, waiting at most timeout seconds (default: not at all) until there is one.")
  (release [pool thing] "Gives one back.")
  (invalidate [pool thing] "Closes one that is broken, and opens another in the background."))

(defn- timed-out [timeout]
  (ex-info (str "Couldn't claim a resource from the pool within " timeout " seconds")
           {:type    :riemann.pool/timeout
            :message (str "Couldn't claim a resource from the pool within " timeout " seconds")}))

(defrecord FixedQueuePool [queue open close regenerate-interval]
  Pool
  (grow [this]
    (loop []
      (let [opened (try (open)
                        (catch Throwable t
                          (warn t "Opening a new resource for the pool failed")
                          nil))]
        (if (nil? opened)
          (do (Thread/sleep (long (* 1000 regenerate-interval)))
              (recur))
          (.put queue opened)))))
  (claim [this] (claim this 0))
  (claim [this timeout]
    (let [timeout (or timeout 0)
          thing   (.poll queue (long (* 1000 timeout)) TimeUnit/MILLISECONDS)]
      (if (nil? thing)
        (throw (timed-out timeout))
        thing)))
  (release [this thing]
    (when-not (nil? thing) (.put queue thing)))
  (invalidate [this thing]
    (when-not (nil? thing)
      (try (close thing)
           (catch Throwable t
             (warn t "Closing a resource of the pool failed")))
      (future (grow this)))))

(defn fixed-pool
  "A pool of things that (open) makes and (close thing) ends. Options: :size (default twice the
  number of cores), :regenerate-interval 5 (seconds between attempts to open), :block-start true
  (return only once all are open)."
  ([open] (fixed-pool open {}))
  ([open more]
   (if (map? more)
     (fixed-pool open identity more)
     (fixed-pool open more {})))
  ([open close options]
   (let [size    (or (:size options) (* 2 (.availableProcessors (Runtime/getRuntime))))
         pool    (FixedQueuePool. (LinkedBlockingQueue. (int size))
                                  open
                                  close
                                  (or (:regenerate-interval options) 5))
         growing (doall (repeatedly size (fn [] (future (grow pool)))))]
     (when (get options :block-start true)
       (doseq [one growing] @one))
     pool)))

(defmacro with-pool
  "Evaluates body with thing taken from a pool, and gives it back; if body throws, thing is taken
  for broken."
  [[thing pool timeout] & body]
  `(let [pool#  ~pool
         taken# (claim pool# ~timeout)
         value# (try
                  (let [~thing taken#] ~@body)
                  (catch Throwable t#
                    (invalidate pool# taken#)
                    (throw t#)))]
     (release pool# taken#)
     value#))
