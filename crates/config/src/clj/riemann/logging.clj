;; riemann.logging: how the server logs.
(ns riemann.logging)

(defmacro suppress
  "Evaluates body."
  [loggers & body]
  `(suppress* ~loggers (fn [] ~@body)))

(def riemann-layout "Riemann's pattern of a log line." "%p [%d] %t - %c - %m%n%throwable")

(defn get-logger
  "The name of a logger; without one, that of all."
  ([] "ROOT")
  ([logger] (str logger)))

(defn encoder
  "The layout of that name: :riemann, :json, :json-event, :json-event-v0 or :json-event-v1."
  [layout]
  (if (contains? #{:riemann :json :json-event :json-event-v0 :json-event-v1} layout)
    layout
    (throw (IllegalArgumentException.
             (str "no layout " (pr-str layout)
                  ": use one of :riemann :json :json-event :json-event-v0 :json-event-v1")))))

(defn configure-from-file
  "Files of logback cannot be read; the log stays as it is."
  [path]
  (clojure.tools.logging/warn
    (str "logging: " path " is not read; use (logging/init {…}) instead")))

(defn configure-from-opts
  "As init."
  [options]
  (init options))
