;; riemann.time.controlled: time that is moved by hand, for tests.
(ns riemann.time.controlled)

(def clock
  "The controlled time, to be dereferenced."
  (reify clojure.lang.IDeref
    (deref [_] (unix-time-controlled))))

(defmacro with-controlled-time!
  "Evaluates body in time that starts at zero and moves only with advance!."
  [& body]
  `(riemann.time.controlled/-with-controlled-time (fn [] ~@body)))

(defn control-time!
  "A fixture: calls f in controlled time."
  [f]
  (with-controlled-time! (f)))
