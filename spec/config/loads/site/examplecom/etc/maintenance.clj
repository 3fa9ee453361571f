(ns examplecom.etc.maintenance
  (:require [riemann.config :refer [core]]))

(defn maintenance-mode?
  "Is it currently in maintenance mode?"
  [event]
  (->> (list 'and (list '= :host (:host event)) '(= :service "maintenance-mode"))
       (riemann.index/search (:index @core))
       first
       :state
       (= "active")))
