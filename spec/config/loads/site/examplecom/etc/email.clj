(ns examplecom.etc.email
  (:require [clojure.string :as str]
            [riemann.email :refer :all]))

(defn header [event] (str "Monitoring Alert\n---\nHost: " (:host event) "\n"))

(defn format-body
  "Format the email body"
  [events]
  (str/join "\n\n\n"
    (map
      (fn [event]
        (str
          "Time:\t\t" (riemann.common/time-at (:time event)) "\n"
          "State:\t\t" (str/upper-case (or (:state event) "")) "\n"
          "Description:\t" (:description event) "\n"
          (if-not (nil? (:metric event)) (format "Metric:\t%s" (:metric event)) "")))
      events)))

(def email (mailer {:from "riemann@example.com"
                    :subject (fn [events] (apply str (interpose ", " (map :service events))))
                    :body format-body}))
