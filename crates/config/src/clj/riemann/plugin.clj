;; riemann.plugin: what Riemann loads from jars is loaded from source here.
(ns riemann.plugin)

(defn load-plugins
  "Plugins are jars, which cannot be loaded: there is nothing to do."
  []
  nil)

(defn load-plugin
  "Requires a namespace of that name beside the configuration."
  [plugin]
  (require (symbol (name plugin))))
