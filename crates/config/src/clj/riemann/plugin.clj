;; riemann.plugin: what Riemann loads from jars is loaded from source here.
(ns riemann.plugin)

(def repo "Where Riemann keeps the jars of plugins; none are read from here." "/etc/riemann/plugins")

(defn read-safely
  "The first form of a text, or nil if it cannot be read."
  [text]
  (try
    (read-string text)
    (catch Exception e
      (clojure.tools.logging/error "could not read" (pr-str text) (.getMessage e))
      nil)))

(defn load-plugins
  "Plugins are jars, which cannot be loaded: there is nothing to do."
  []
  nil)

(defn load-plugin
  "Requires a namespace of that name beside the configuration."
  [plugin]
  (require (symbol (name plugin))))

(defn load-from-meta
  "Requires the namespace that a plugin's description, a map, names with :require."
  [{namespace :require}]
  (when namespace (require namespace)))

(defn load-from-resource
  "Requires the namespace that a plugin's description, a file, names with :require."
  [[_ path]]
  (some-> (slurp path) read-safely load-from-meta))
