;; riemann.common: small things that every part of a configuration uses.
(ns riemann.common
  (:require [clojure.string :as string]
            [clojure.set :as set]))

(def hostname-refresh-interval 60)

(def deprecations-emitted (atom #{}))

(defmacro deprecated
  "Evaluates body, warning once per place that what it does is deprecated."
  [comment & body]
  `(do
     (when-not (contains? @deprecations-emitted ~comment)
       (swap! deprecations-emitted conj ~comment)
       (clojure.tools.logging/warn (str "Deprecated: " ~comment)))
     ~@body))

(defn get-hostname
  "The name of this host, as the system gives it."
  []
  (.getHostName (java.net.InetAddress/getLocalHost)))

(defn localhost
  "The name of this host: the environment's HOSTNAME, else the system's."
  []
  (or (System/getenv "HOSTNAME") (get-hostname)))

(defn time-at
  "The Date, unix seconds t from 1970."
  [t]
  (java.util.Date. (long (* 1000 t))))

(defn ensure-event-time
  "The event, with the present time if it has none."
  [e]
  (if (:time e) e (assoc e :time (riemann.time/unix-time))))

(defn post-load-event
  "What is done to each event as it is received: it gets a time."
  [e]
  (ensure-event-time e))

(defn decode-inputstream
  "The message in an array of bytes; streams of bytes are read whole before they come here."
  [bytes]
  (decode-msg bytes))

(defn pkey
  "The pair that identifies an event in the index: [host service]."
  [e]
  [(:host e) (:service e)])

(defn approx-equal
  "True if x and y differ by no more than a fraction tol of y (default 0.01)."
  ([x y] (approx-equal x y 0.01))
  ([x y tol]
   (if (= x y)
     true
     (let [f (try (/ x y) (catch ArithmeticException e (/ y x)))]
       (< (- 1 tol) f (+ 1 tol))))))

(defn re-matches?
  "What of the string the regular expression finds, nil if nothing or if there is no string."
  [re string]
  (when string (re-find re string)))

(defn map-matches?
  "True if every key of the pattern matches its value in the event."
  [pattern event]
  (every? (fn [[k v]] (match v (get event k))) pattern))

(defn member?
  "True if x is in the collection."
  [x coll]
  (boolean (some #(= x %) coll)))

(defn subset?
  "True if every element of as is in bs."
  [as bs]
  (set/subset? (set as) (set bs)))

(defn overlap?
  "True if as and bs have an element in common."
  [as bs]
  (let [as (set as)]
    (boolean (some (fn [b] (contains? as b)) bs))))

(defn disjoint?
  "True if as and bs have no element in common."
  [as bs]
  (not (overlap? as bs)))

(defn middle
  "The element in the middle of a sequence."
  [s]
  (nth s (quot (count s) 2)))

(defn- distinct-values [events k]
  (sort (distinct (remove nil? (map k events)))))

(defn human-uniq
  "One short phrase for a list of names: up to four by name, else how many."
  [coll type]
  (let [names (distinct (remove nil? coll))]
    (case (count names)
      0     ""
      1     (str (first names))
      2     (str (first names) " and " (second names))
      (3 4) (str (string/join ", " (butlast names)) ", and " (last names))
      (str (count names) " " type))))

(defn subject
  "A line that says what a list of events is about: hosts, services, states."
  [events]
  (string/join " "
               (remove empty?
                       [(human-uniq (map :host events) "hosts")
                        (human-uniq (map :service events) "services")
                        (human-uniq (map :state events) "states")])))

(def ^:private standard-keys
  #{:host :service :state :metric :ttl :time :description :tags :metric_f :metric_d :metric_sint64})

(defn custom-attributes
  "The part of an event that is not one of the standard fields."
  [event]
  (into {} (remove (fn [[k _]] (contains? standard-keys k)) event)))

(defn body
  "A text that tells of each event in a paragraph."
  [events]
  (string/join
    "\n\n\n"
    (map (fn [event]
           (str "At " (time-at (:time event)) "\n"
                (:host event) " " (:service event) " " (:state event) " ("
                (if (ratio? (:metric event)) (double (:metric event)) (:metric event)) ")\n"
                "Tags: [" (string/join ", " (:tags event)) "]"
                "\nCustom Attributes: " (custom-attributes event)
                "\n\n" (:description event)))
         events)))

(defn count-character-bytes
  "How many bytes a character takes in UTF-8. Each half of a pair that stands for one character
  beyond the first 65536 counts as two."
  [c]
  (let [code (int c)]
    (cond
      (<= code 0x7F)            1
      (<= code 0x7FF)           2
      (<= 0xD800 code 0xDFFF)   2
      (<= code 0xFFFF)          3
      :else                     4)))

(defn count-string-bytes
  "How many bytes a string takes in UTF-8."
  [s]
  (alength (.getBytes (str s) "UTF-8")))

(defn truncate
  "The first n characters of a string, no more."
  [s n]
  (subs s 0 (max 0 (min n (count s)))))

(defn truncate-bytes
  "The longest beginning of a string that takes at most n bytes in UTF-8."
  [s n]
  (loop [left (seq s) kept [] bytes 0]
    (if (empty? left)
      s
      (let [bytes (+ bytes (count-string-bytes (first left)))]
        (if (< n bytes)
          (apply str kept)
          (recur (next left) (conj kept (first left)) bytes))))))
