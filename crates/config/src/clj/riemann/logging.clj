;; riemann.logging: how the server logs.
(ns riemann.logging)

(defmacro suppress
  "Evaluates body."
  [loggers & body]
  `(suppress* ~loggers (fn [] ~@body)))
