(ns examplecom.etc.checks
  (:require [clojure.tools.logging :refer :all]
            [riemann.streams :refer :all]
            [riemann.folds :as folds]))

(defn set_state [warning critical]
  (fn [event]
    (assoc event :state
      (condp < (:metric event)
        critical "critical"
        warning "warning"
        "ok"))))

(defn check_threshold [srv window func warning critical & children]
  (where (service srv)
    (fixed-time-window window
      (smap func
        (where (< warning metric)
          (smap (set_state warning critical)
            (fn [event]
              (call-rescue event children))))))))

(defn check_ratio [srv1 srv2 warning critical & children]
  (project [(service srv1) (service srv2)]
    (smap folds/quotient-sloppy
      (fn [event]
        (let [percenta (* (float (:metric event)) 100)
              new-event (assoc event :metric percenta
                                     :service (str (:service event) " percentage")
                                     :type_instance nil)]
          (call-rescue new-event children))))))
