; Sinks whose functions that reach the outside are replaced: what would leave is seen.
(ns riemann.sinks-test
  (:require [cheshire.core :as json]
            [clj-http.client :as client]
            [postal.core :as postal]
            [riemann.email :as email]
            [riemann.opsgenie :as opsgenie]
            [riemann.pagerduty :as pagerduty]
            [riemann.slack :as slack]
            [riemann.twilio :as twilio])
  (:use clojure.test))

(defmacro with-mock
  "Evaluates body with a function replaced; calls is an atom of the arguments of each call."
  [[calls function] & body]
  `(let [~calls (atom [])]
     (with-redefs [~function (fn [& arguments#] (swap! ~calls conj (vec arguments#)))]
       ~@body)))

(def event {:host "h" :service "api" :state "critical" :metric 3/2 :description "slow" :time 1})

(deftest a-form-is-posted
  (with-mock [calls client/post]
    ((slack/slack {:account "org" :token "t"}
                  {:username "u" :channel "#c" :formatter (fn [e] {:text (:service e)})})
     event)
    (let [[[url request] :as all] @calls]
      (is (= 1 (count all)))
      (is (= "https://org.slack.com/services/hooks/incoming-webhook?token=t" url))
      (is (= {"channel" "#c" "username" "u" "icon_emoji" ":warning:" "text" "api"}
             (json/parse-string (get-in request [:form-params :payload])))))))

(deftest json-is-posted
  (with-mock [calls clj-http.client/post]
    ((:trigger (pagerduty/pagerduty "key")) event)
    (let [[url request] (last @calls)]
      (is (= "https://events.pagerduty.com/generic/2010-04-15/create_event.json" url))
      (is (= "h api is critical (1.5)" (:description (json/parse-string (:body request) true))))
      (is (= {:socket-timeout 5000 :conn-timeout 5000 :content-type :json :accept :json
              :throw-entire-message? true}
             (dissoc request :body))))
    ((:resolve (pagerduty/pagerduty "key")) event)
    (is (= 2 (count @calls)))))

(deftest who-asks-is-told
  (with-mock [calls client/post]
    (((twilio/twilio {:account "a" :service-key "k" :from "1" :body (fn [_] "b & c")}) "2") event)
    ((:trigger (opsgenie/opsgenie "secret")) event)
    (is (= {:basic-auth ["a" "k"] :form-params {:From "1" :To "2" :Body "b & c"}}
           (second (first @calls))))
    (is (= {"Authorization" "GenieKey secret"} (:headers (second (second @calls)))))))

(deftest each-thread-has-its-own-binding-and-the-end-restores
  (let [before client/post]
    (with-mock [calls client/post]
      (is (not= before client/post)))
    (is (= before client/post))))

(deftest mail-is-written
  (with-mock [calls postal/send-message]
    (let [mail (email/mailer {:host "relay" :from "riemann@example.com"
                              :subject (fn [events] (str (count events) " events"))
                              :body    (fn [events] (apply str (map :service events)))})]
      ((mail "a@example.com" "b@example.com") event)
      ((mail ["c@example.com"]) [event event])
      (is (= ["1 events" "2 events"] (map (comp :subject second) @calls)))
      (is (= {:from "riemann@example.com" :to ["a@example.com" "b@example.com"]
              :subject "1 events" :body "api"}
             (second (first @calls))))
      (is (= "relay" (:host (ffirst @calls)))))))

(deftest mail-in-riemanns-words
  (with-mock [calls postal/send-message]
    (email/email-event {:host "relay"} {:from "me"} [event])
    (is (= [[{:host "relay"}
             {:from "me" :subject "h api critical" :body (riemann.common/body [event])}]]
           @calls)))
  (with-mock [calls postal/send-message]
    (email/email-event {} {:subject (fn [_] "s") :body (fn [_] "b")} {})
    (is (= [[{} {:subject "s" :body "b"}]] @calls))))
