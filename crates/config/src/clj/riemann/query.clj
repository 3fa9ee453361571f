;; riemann.query: Riemann's query language.
(ns riemann.query)

(defn fun
  "A function of an event that tells whether a query's tree matches it."
  [ast]
  (riemann.query/-fun ast))
