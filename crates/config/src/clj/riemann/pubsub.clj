;; riemann.pubsub: channels that events are published on.
(ns riemann.pubsub
  (:require [riemann.service :as service]))

(def last-sub-id "The number of the latest subscription." (atom 0))

(defn sub-id
  "A number for a new subscription."
  []
  (swap! last-sub-id inc))

(defn dissoc-in
  "Takes a nested key out of a map, and maps that become empty with it."
  [m [k & ks]]
  (if (seq ks)
    (let [inner (dissoc-in (get m k) ks)]
      (if (empty? inner) (dissoc m k) (assoc m k inner)))
    (dissoc m k)))

(defrecord Subscription [channel id f persistent? handle])

(defrecord PubSubService [channels]
  service/Service
  (start! [this] nil)
  (stop! [this] nil)
  (reload! [this new-core] nil)
  (conflict? [this other] (instance? PubSubService other))
  service/ServiceEquiv
  (equiv? [this other] (instance? PubSubService other)))

(defn pubsub-registry
  "A registry of subscriptions."
  []
  (PubSubService. (riemann.pubsub/-channels)))

(defn subscribe!
  "Calls f with everything published on a channel, until unsubscribe!, or until the registry is
  swept unless the subscription is persistent. Returns the subscription."
  ([registry channel f] (subscribe! registry channel f false))
  ([registry channel f persistent?]
   (Subscription. channel (sub-id) f persistent?
                  (riemann.pubsub/-subscribe registry channel f persistent?))))

(defn unsubscribe!
  "Ends a subscription."
  [registry subscription]
  (riemann.pubsub/-unsubscribe registry (:handle subscription)))
