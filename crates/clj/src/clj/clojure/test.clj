; clojure.test: tests beside the code that they test.
(ns clojure.test
  (:require [clojure.string :as string]
            [clojure.stacktrace :as stacktrace]
            [clojure.template :as template]))

(def ^:dynamic *load-tests* "False keeps deftest and with-test from defining tests." true)
(def ^:dynamic *stack-trace-depth* "Most places shown of an exception; nil for all." nil)
(def ^:dynamic *report-counters* "What has been counted in the current run, an atom." nil)
(def ^:dynamic *initial-report-counters* "What a run starts to count from."
  {:test 0 :pass 0 :fail 0 :error 0})
(def ^:dynamic *testing-vars* "The tests being run, innermost first." (list))
(def ^:dynamic *testing-contexts* "The strings of testing around, innermost first." (list))
(def ^:dynamic *test-out* "Where reports go; nil for *out*." nil)
(def ^:dynamic ^:no-doc *collector* "What the program collects results in, if it runs the tests." nil)
(def ^:dynamic ^:no-doc *location* "Where the assertion being evaluated stands." nil)

(defmacro with-test-out "Evaluates the body with *out* bound to *test-out*." [& body]
  `(print-to-test-out (fn [] ~@body)))

(defn ^:no-doc print-to-test-out "Calls a function with *out* bound to *test-out*." [f]
  (if *test-out*
    (binding [*out* *test-out*] (f))
    (f)))

(defn testing-vars-str "The names of the tests being run, with the place of an assertion." [m]
  (let [{:keys [file line]} m]
    (str "(" (string/join " " (reverse (map (fn [v] (:name (meta v))) *testing-vars*))) ")"
         " (" file ":" line ")")))

(defn testing-contexts-str "The strings of testing around, outermost first." []
  (string/join " " (reverse *testing-contexts*)))

(defn inc-report-counter "Counts one more of a kind in the current run." [name]
  (when *report-counters*
    (swap! *report-counters* update name (fnil inc 0))))

(defmulti ^:dynamic report
  "Tells of an event of the run, a map with a :type. Bind it or add methods to tell it otherwise."
  :type)

(defn- location [m]
  (or *location*
      (if (= :error (:type m)) (exception-location (:actual m)) nil)
      (select-keys (meta (first *testing-vars*)) [:file :line])))

(defn do-report "Reports an event of the run, with the place where it happened." [m]
  (let [m (if (contains? #{:fail :error} (:type m)) (merge (location m) m) m)]
    (collect! m *testing-contexts*)
    (report m)))

(defmethod report :default [m]
  (with-test-out (prn m)))

(defmethod report :pass [m]
  (inc-report-counter :pass))

(defn- print-assertion [m]
  (when (seq *testing-contexts*) (println (testing-contexts-str)))
  (when-let [message (:message m)] (println message))
  (println "expected:" (pr-str (:expected m))))

(defmethod report :fail [m]
  (with-test-out
    (inc-report-counter :fail)
    (println "\nFAIL in" (testing-vars-str m))
    (print-assertion m)
    (println "  actual:" (pr-str (:actual m)))))

(defmethod report :error [m]
  (with-test-out
    (inc-report-counter :error)
    (println "\nERROR in" (testing-vars-str m))
    (print-assertion m)
    (print "  actual: ")
    (let [actual (:actual m)]
      (if (instance? Throwable actual)
        (if *stack-trace-depth*
          (stacktrace/print-cause-trace actual *stack-trace-depth*)
          (stacktrace/print-cause-trace actual))
        (prn actual)))))

(defmethod report :summary [m]
  (with-test-out
    (println "\nRan" (:test m) "tests containing" (+ (:pass m) (:fail m) (:error m)) "assertions.")
    (println (:fail m) "failures," (:error m) "errors.")))

(defmethod report :begin-test-ns [m]
  (with-test-out (println "\nTesting" (ns-name (:ns m)))))

(defmethod report :end-test-ns [m])
(defmethod report :begin-test-var [m])
(defmethod report :end-test-var [m])

(defn get-possibly-unbound-var "The value of a var, nil if it has none." [v]
  (if (bound? v) (var-get v) nil))

(defn function? "True for a function, and for a symbol that names one and no macro." [x]
  (if (symbol? x)
    (when-let [v (resolve x)]
      (if (var? v)
        (and (fn? (get-possibly-unbound-var v)) (not (:macro (meta v))))
        false))
    (fn? x)))

(defn assert-predicate "The form that asserts a call of a function, and reports its arguments."
  [msg form]
  (let [[pred & args] form]
    `(let [values# (list ~@args)
           result# (apply ~pred values#)]
       (if result#
         (do-report {:type :pass :message ~msg :expected '~form :actual (cons '~pred values#)})
         (do-report {:type :fail :message ~msg :expected '~form
                     :actual (list '~'not (cons '~pred values#))}))
       result#)))

(defn assert-any "The form that asserts any other expression." [msg form]
  `(let [value# ~form]
     (if value#
       (do-report {:type :pass :message ~msg :expected '~form :actual value#})
       (do-report {:type :fail :message ~msg :expected '~form :actual value#}))
     value#))

(defmulti assert-expr "The form that asserts an expression, by its first symbol."
  (fn [msg form]
    (cond
      (nil? form) :always-fail
      (seq? form) (first form)
      :else :default)))

(defmethod assert-expr :always-fail [msg form]
  `(do-report {:type :fail :message ~msg :expected nil :actual nil}))

(defmethod assert-expr :default [msg form]
  (if (and (sequential? form) (function? (first form)))
    (assert-predicate msg form)
    (assert-any msg form)))

(defmethod assert-expr 'instance? [msg form]
  `(let [class# ~(nth form 1)
         object# ~(nth form 2)
         result# (instance? class# object#)]
     (if result#
       (do-report {:type :pass :message ~msg :expected '~form :actual (class object#)})
       (do-report {:type :fail :message ~msg :expected '~form :actual (class object#)}))
     result#))

(defmethod assert-expr 'thrown? [msg form]
  (let [[_ class & body] form]
    `(try
       ~@body
       (do-report {:type :fail :message ~msg :expected '~form :actual nil})
       (catch ~class e#
         (do-report {:type :pass :message ~msg :expected '~form :actual e#})
         e#))))

(defmethod assert-expr 'thrown-with-msg? [msg form]
  (let [[_ class re & body] form]
    `(try
       ~@body
       (do-report {:type :fail :message ~msg :expected '~form :actual nil})
       (catch ~class e#
         (if (re-find ~re (or (.getMessage e#) ""))
           (do-report {:type :pass :message ~msg :expected '~form :actual e#})
           (do-report {:type :fail :message ~msg :expected '~form :actual e#}))
         e#))))

(defmacro try-expr "Asserts an expression; an exception is reported as an error." [msg form]
  `(try
     ~(assert-expr msg form)
     (catch Throwable t#
       (do-report {:type :error :message ~msg :expected '~form :actual t#}))))

(defn- located [whole form msg]
  `(binding [*location* ~(form-location whole form)] (try-expr ~msg ~form)))

(defmacro is "Asserts that an expression is true. Reports a call of a function with its arguments.
  (is (thrown? Class body…)) asserts that the body throws, (is (thrown-with-msg? Class re body…))
  also that the message matches."
  ([form] (located &form form nil))
  ([form msg] (located &form form msg)))

(defmacro are "Asserts an expression for several rows of values of its symbols." [argv expr & args]
  (if (or (and (empty? argv) (empty? args))
          (and (pos? (count argv)) (pos? (count args)) (zero? (mod (count args) (count argv)))))
    `(template/do-template ~argv ~(list `is expr) ~@args)
    (throw (IllegalArgumentException. "The number of args doesn't match are's argv."))))

(defmacro testing "Adds a string to what reports say of the assertions in the body." [string & body]
  `(binding [*testing-contexts* (conj *testing-contexts* ~string)]
     ~@body))

(defmacro with-test "Defines a name, with a test of it in its metadata." [definition & body]
  (if *load-tests*
    `(doto ~definition (alter-meta! assoc :test (fn [] ~@body)))
    definition))

(defmacro deftest "Defines a test: a function without arguments that makes assertions." [name & body]
  (when *load-tests*
    `(def ~(vary-meta name assoc :test `(fn [] ~@body))
       (fn [] (test-var (var ~name))))))

(defmacro deftest- "As deftest, but private." [name & body]
  (when *load-tests*
    `(def ~(vary-meta name assoc :test `(fn [] ~@body) :private true)
       (fn [] (test-var (var ~name))))))

(defmacro set-test "Gives an existing name a test." [name & body]
  (when *load-tests*
    `(alter-meta! (var ~name) assoc :test (fn [] ~@body))))

(defmulti use-fixtures
  "Wraps functions of one argument around each test of this namespace (:each), or around all of them
  (:once). They call their argument."
  (fn [fixture-type & args] fixture-type))

(defmethod use-fixtures :each [fixture-type & args]
  (alter-meta! *ns* assoc ::each-fixtures args))

(defmethod use-fixtures :once [fixture-type & args]
  (alter-meta! *ns* assoc ::once-fixtures args))

(defn- default-fixture [f]
  (f))

(defn compose-fixtures "A fixture that runs the second inside the first." [f1 f2]
  (fn [g] (f1 (fn [] (f2 g)))))

(defn join-fixtures "One fixture of several, the first outermost." [fixtures]
  (reduce compose-fixtures default-fixture fixtures))

(defn test-var "Runs the test of a var." [v]
  (when-let [t (:test (meta v))]
    (binding [*testing-vars* (conj *testing-vars* v)]
      (do-report {:type :begin-test-var :var v})
      (inc-report-counter :test)
      (try (t)
        (catch Throwable e
          (do-report {:type :error :message "Uncaught exception, not in assertion."
                      :expected nil :actual e})))
      (do-report {:type :end-test-var :var v}))))

(defn- in-fixtures
  "Calls a function that runs fixtures. What they throw ends the run, unless the program runs it:
  then it is counted, so that the totals are told."
  [f]
  (if *collector*
    (try (f)
      (catch Throwable e
        (do-report {:type :error :message "Uncaught exception in a fixture."
                    :expected nil :actual e})))
    (f)))

(defn test-vars "Runs the tests of vars, inside the fixtures of their namespaces." [vars]
  (doseq [[ns vars] (group-by (fn [v] (the-ns (var-namespace v))) vars)]
    (let [once (join-fixtures (::once-fixtures (meta ns)))
          each (join-fixtures (::each-fixtures (meta ns)))]
      (in-fixtures
        (fn []
          (once (fn []
                  (doseq [v vars]
                    (when (:test (meta v))
                      (in-fixtures (fn [] (each (fn [] (test-var v))))))))))))))

(defn test-all-vars "Runs all tests of a namespace, in the order that they were defined." [ns]
  (test-vars (in-order (vals (ns-interns ns)))))

(defn test-ns "Runs the tests of a namespace, or its test-ns-hook; gives what was counted." [ns]
  (binding [*report-counters* (atom *initial-report-counters*)]
    (let [ns (the-ns ns)]
      (do-report {:type :begin-test-ns :ns ns})
      (if-let [hook (get (ns-interns ns) 'test-ns-hook)]
        ((var-get hook))
        (test-all-vars ns))
      (do-report {:type :end-test-ns :ns ns}))
    @*report-counters*))

(defn run-tests "Runs the tests of namespaces, the current one unless told, and reports a summary."
  ([] (run-tests *ns*))
  ([& namespaces]
   (let [summary (assoc (apply merge-with + (map test-ns namespaces)) :type :summary)]
     (do-report summary)
     summary)))

(defn- chosen?
  "Whether a test is among those of a name, with one of some marks and none of others. A mark is a
  keyword whose value is true in the metadata of the test or of its namespace."
  [{:keys [only include exclude]} v]
  (let [named (name (:name (meta v)))
        marks (merge (meta (the-ns (var-namespace v))) (meta v))]
    (and (or (nil? only) (= only named) (= only (str (var-namespace v) "/" named)))
         (or (empty? include) (some marks include))
         (not-any? marks exclude))))

(defn ^:no-doc run-chosen
  "Runs the tests of namespaces, only the chosen ones if anything is chosen, and reports a summary."
  [namespaces choice]
  (if choice
    (binding [*report-counters* (atom *initial-report-counters*)]
      (test-vars (filter (fn [v] (chosen? choice v))
                         (mapcat (fn [ns] (in-order (vals (ns-interns ns)))) namespaces)))
      (do-report (assoc @*report-counters* :type :summary)))
    (do-report (assoc (apply merge-with + *initial-report-counters* (map test-ns namespaces))
                      :type :summary))))

(defn run-all-tests "Runs the tests of all namespaces, or of those whose name matches."
  ([] (apply run-tests (all-ns)))
  ([re] (apply run-tests (filter (fn [ns] (re-matches re (name (ns-name ns)))) (all-ns)))))

(defn run-test-var "Runs one test inside its fixtures and reports a summary." [v]
  (binding [*report-counters* (atom *initial-report-counters*)]
    (test-vars [v])
    (let [summary (assoc @*report-counters* :type :summary)]
      (do-report summary)
      summary)))

(defmacro run-test "Runs the test of that name and reports a summary." [test-symbol]
  `(run-test-var (var ~test-symbol)))

(defn successful? "True if a summary has neither failures nor errors." [summary]
  (and (zero? (:fail summary 0)) (zero? (:error summary 0))))
