;; riemann.time: the clock, and tasks that run at their times.
(ns riemann.time)

(def max-task-id (atom 0))
(def thread-count 4)
(def park-interval 0.1)
