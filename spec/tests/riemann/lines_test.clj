; Lines of Graphite and OpenTSDB, and what is wrong with them.
(ns riemann.lines-test
  (:require [riemann.transport.opentsdb :as opentsdb])
  (:use [riemann.common :only [event]]
        riemann.transport.graphite
        [slingshot.slingshot :only [try+]]
        clojure.test))

(deftest lines-are-events
  (is (= (event {:service "name" :metric 123.0 :time 456})
         (decode-graphite-line "name 123 456")))
  (let [tagged (decode-graphite-line "cpu;host=a;core=3 1 2" true)]
    (is (= ["cpu" "a" "3"] ((juxt :service :host :core) tagged))))
  (let [put (opentsdb/decode-opentsdb-line "put sys.cpu 456 42 host=a core=0")]
    (is (= ["sys.cpu core=0" "a" 42.0] ((juxt :service :host :metric) put)))))

(deftest errors-are-strings
  (let [graphite #(try+ (decode-graphite-line %) (catch Object e e))
        opentsdb #(try+ (opentsdb/decode-opentsdb-line %) (catch Object e e))]
    (are [line error] (= error (graphite line))
      ""             "blank line"
      "name"         "no metric"
      "name 1"       "no timestamp"
      "name nan 456" "NaN metric"
      "name x 456"   "invalid metric"
      "name 1 x"     "invalid timestamp"
      "a b 1 456"    "too many fields")
    (are [line error] (= error (opentsdb line))
      "put"             "no metric name"
      "put a"           "no timestamp"
      "put a 1 x"       "invalid metric"
      "put a 1 2 x"     "invalid tag")))
