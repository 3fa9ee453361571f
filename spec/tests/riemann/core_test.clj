; Cores with live servers, and clients: as tests of Riemann's use them.
(ns riemann.core-test
  (:require [riemann.client :refer :all]
            [riemann.common :refer [event]]
            [riemann.index :refer [index]]
            [riemann.logging :as logging]
            [riemann.streams :as streams]
            [riemann.time :refer [unix-time]]
            [riemann.time.controlled :refer :all])
  (:use riemann.core
        [riemann.transport.tcp :only [tcp-server]]
        [riemann.transport.udp :only [udp-server]]
        [riemann.service :only [Service ServiceEquiv]]
        clojure.test)
  (:import (io.riemann.riemann.client ServerError)
           (java.io IOException)))

(def port (Long/parseLong (System/getenv "FREE_PORT")))

(defmacro with-core
  "Evaluates body while a core runs, its log held back."
  [[name new] & body]
  `(logging/suppress ["riemann.core" "riemann.transport.tcp" "riemann.transport.udp"]
     (let [~name (transition! (core) ~new)]
       (try ~@body (finally (stop! ~name))))))

(defrecord Part [id equiv-key running core]
  ServiceEquiv
  (equiv? [a b] (= (:equiv-key a) (:equiv-key b)))
  Service
  (conflict? [a b] (= id (:id b)))
  (start! [_] (reset! running true))
  (stop! [_] (reset! running false))
  (reload! [_ new-core] (reset! core new-core)))

(defn part [id equiv-key] (Part. id equiv-key (atom nil) (atom nil)))

(deftest a-map-is-a-core
  (let [a   (part 1 1)
        new (transition! (core) {:services [a] :streams [identity]})]
    (is (= [identity] (:streams new)))
    (is (:pubsub new))
    (is (identical? new @(:core a)))
    (is @(:running a))
    (stop! new)
    (is (not @(:running a)))))

(deftest equivalents-stay
  (let [a (part 1 1) b (part 1 1)
        first-  (transition! (core) {:services [a]})
        second- (transition! first- {:services [b]})]
    (is (identical? a (first (:services second-))))
    (is @(:running a))
    (is (not @(:running b)))
    (is (identical? second- @(:core a)))))

(deftest services-start-and-stop-at-once
  (let [meeting (java.util.concurrent.CountDownLatch. 2)
        met     (atom 0)
        waits   (fn [id]
                  (reify
                    ServiceEquiv
                    (equiv? [_ _] false)
                    Service
                    (conflict? [_ _] false)
                    (reload! [_ _])
                    (stop! [_])
                    (start! [_]
                      (.countDown meeting)
                      (when (.await meeting 5 java.util.concurrent.TimeUnit/SECONDS)
                        (swap! met inc)))))]
    (stop! (transition! (core) {:services [(waits 1) (waits 2)]}))
    (is (= 2 @met))))

(deftest what-is-sent-arrives
  (let [out (atom [])]
    (with-core [c {:services [(tcp-server {:port port})] :streams [(streams/append out)]}]
      (let [client (tcp-client {:port port})
            sent   [{:host "a"} {:service "b"} {:state "c"} {:description "d"} {:tags ["x" "y"]}
                    {:metric 5} {:ttl (float 6.5)} {:metric 3.5} {:host "h" :foo "bar"}]]
        (try
          (doseq [e sent]
            (is (= {:ok true} (deref (send-event client e) 5000 :timeout))))
          (is (= (count sent) (count @out)))
          (doseq [[before after] (map vector sent @out)]
            (is (every? #(= (% before) (% after)) (keys before))))
          (finally (close! client)))))))

(deftest datagrams-arrive
  (let [out (promise)]
    (with-core [c {:services [(udp-server {:port port})] :streams [#(deliver out %)]}]
      (let [client (udp-client {:port port})]
        (send-event client (event {:service "hi" :time 1}))
        (is (= "hi" (:service (deref out 5000 :timeout))))
        (close! client)))))

(deftest the-index-of-the-core-is-asked
  (let [index (wrap-index (index))]
    (with-core [c {:services [(tcp-server {:port port})] :streams [index] :index index}]
      (let [client (tcp-client :port port)]
        (try
          @(send-events client [{:metric 1 :time 1} {:host "cat" :service "miao" :time 3}])
          @(send-event client {:host "kitten" :tags ["whiskers" "paws"] :time 2})
          (is (= ["miao"] (map :service @(query client "host = \"cat\""))))
          (is (= ["kitten"] (map :host @(query client "tagged \"paws\" and not tagged \"claws\""))))
          (is (= 3 (count (deref (query client "true") 5000 nil))))
          (is (= [] @(query client "false")))
          (is (thrown-with-msg? ServerError #"no viable alternative" @(query client "")))
          (is (thrown-with-msg? ServerError #"mismatched input 'foo'" @(query client "service =~ foo")))
          (finally (close! client)))))))

(deftest without-an-index
  (with-core [c {:services [(tcp-server {:port port})]}]
    (let [client (tcp-client {:port port})]
      (is (thrown-with-msg? ServerError #"no index" @(query client "true")))
      (close! client))))

(deftest a-stream-that-throws-is-told
  (with-core [c {:services [(tcp-server {:port port})]
                 :streams  [(fn [_] (throw (RuntimeException. "sorry")))]}]
    (let [client (tcp-client {:port port})]
      (is (thrown-with-msg? ServerError #"sorry" @(send-event client {:service "a"})))
      (close! client))))

(deftest connections-come-and-go
  (with-core [c {:services [(tcp-server {:port port})]}]
    (let [client (tcp-client {:port port})]
      (is (connected? client))
      (close! client)
      (is (not (connected? client)))
      (reconnect! client)
      (is (connected? client))
      (stop! c)
      (is (thrown? IOException @(send-event client {:service "test"})))
      (close! client))))

(deftest answers-are-waited-for
  (let [go (promise)]
    (with-core [c {:services [(tcp-server {:port port})] :streams [(fn [_] @go)]}]
      (let [client (tcp-client {:port port})
            answer (send-event client {:service "slow"})]
        (is (= :late (deref answer 10 :late)))
        (is (not (realized? answer)))
        (is (= :late (deref (map-promise :ok answer) 10 :late)))
        (deliver go true)
        (is (= true @(map-promise :ok answer)))
        (is (realized? answer))
        (close! client)))))

(deftest expiry-goes-through-the-streams
  (with-controlled-time!
    (reset-time!)
    (let [out   (atom [])
          index (wrap-index (index))
          c     (transition! (core) {:services [(reaper 0.001)]
                                     :streams  [(streams/expired (streams/append out))]
                                     :index    index})]
      (index {:service 1 :ttl 0.00 :time (unix-time)})
      (index {:service 2 :ttl 1 :time (unix-time)})
      (advance! 0.011)
      (stop! c)
      (is (= [2] (map :service index)))
      (is (= [[1 "expired"]] (map (juxt :service :state) @out))))))

(deftest a-core-tells-of-itself
  (with-controlled-time!
    (reset-time!)
    (let [out   (atom [])
          c     (transition! (core) {:services [(instrumentation-service {:interval 1})]
                                     :index    (wrap-index (index))
                                     :streams  [(streams/append out)]})]
      (advance! 1)
      (stop! c)
      (is (= [["riemann index size" 0 ["riemann"]]]
             (map (juxt :service :metric :tags) @out))))))
