;; riemann.codec: events and messages as records, and as bytes.
(ns riemann.codec
  (:require [riemann.common :as common]))

(def event-keys
  "The fields of an event that have places of their own in a message."
  #{:host :service :state :description :metric :tags :time :ttl})

(defrecord Query [string])

(defrecord Msg [ok error states query events])

(defn decode-pb-msg
  "The message in an array of bytes."
  [bytes]
  (let [{:keys [ok error query events]} (common/decode-msg bytes)]
    (Msg. ok error [] (when query (map->Query query)) events)))

(defn encode-pb-msg
  "The bytes of a message."
  [msg]
  (common/encode msg))
