(ns examplecom.etc.collectd
  (:require [clojure.tools.logging :refer :all]
            [riemann.streams :refer :all]
            [clojure.string :as str]))

(def default-services
  [{:service #"^load/load/(.*)$" :rewrite "load $1"}
   {:service #"^swap/percent-(.*)$" :rewrite "swap $1"}
   {:service #"^df-(.*)/percent_bytes-(.*)$" :rewrite "df $1 $2"}])

(defn rewrite-service-with
  [rules]
  (let [matcher (fn [s1 s2] (if (string? s1) (= s1 s2) (re-find s1 s2)))]
    (fn [{:keys [service] :as event}]
      (or
        (first
          (for [{:keys [rewrite] :as rule} rules
                :when (matcher (:service rule) service)]
            (if (string? (:service rule))
              (assoc event :service rewrite)
              (assoc event :service (clojure.string/replace service (:service rule) rewrite)))))
        event))))

(def rewrite-service (rewrite-service-with default-services))
