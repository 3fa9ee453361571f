;; slingshot.slingshot: throws and catches maps.
(ns slingshot.slingshot)

(defn throwable
  "What is thrown for a value: itself if it can be, else an ExceptionInfo that carries it."
  [value message]
  (cond
    (instance? Throwable value) value
    (map? value)                (ex-info message value)
    :else                       (ex-info message {:object value})))

(defn thrown-value
  "The value that an exception carries, else the exception."
  [exception]
  (if-let [data (ex-data exception)]
    (if (= [:object] (keys data)) (:object data) data)
    exception))

(defmacro throw+
  "Throws any value."
  ([value]
   `(let [value# ~value]
      (throw (throwable value# (str "throw+: " (pr-str value#))))))
  ([value message]
   `(throw (throwable ~value ~message))))

(defn- selects [selector exception value]
  (cond
    (vector? selector)
    `(and (map? ~value) (= ~(peek selector) (get-in ~value ~(pop selector))))

    (and (symbol? selector) (class? (resolve selector)))
    `(or (instance? ~selector ~exception) (instance? ~selector ~value))

    (seq? selector)
    (clojure.walk/postwalk-replace {'% value} selector)

    :else
    `(~selector ~value)))

(defmacro try+
  "As try; a catch clause may name a class, a [key value] of a thrown map, a predicate, or a form
  about %."
  [& body]
  (let [clause?   (fn [head form] (and (seq? form) (= head (first form))))
        catches   (filter (fn [form] (clause? 'catch form)) body)
        finally   (filter (fn [form] (clause? 'finally form)) body)
        exception (gensym "exception")
        value     (gensym "value")]
    `(try
       ~@(remove (fn [form] (or (clause? 'catch form) (clause? 'finally form))) body)
       (catch Throwable ~exception
         (let [~value (thrown-value ~exception)]
           (cond
             ~@(mapcat (fn [[_ selector name & handler]]
                         [(selects selector exception value)
                          `(let [~name ~value] ~@handler)])
                       catches)
             :else (throw ~exception))))
       ~@finally)))
