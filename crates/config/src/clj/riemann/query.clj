;; riemann.query: Riemann's query language.
(ns riemann.query)

(defn fun
  "A function of an event that tells whether a query's tree matches it."
  [ast]
  (riemann.query/-fun ast))

(declare clj-ast)

(def ^:private comparisons '#{< > <= >=})

(defn- compared [sign a b]
  (list 'let ['a (clj-ast a) 'b (clj-ast b)]
        (list 'and '(number? a) '(number? b) (list sign 'a 'b))))

(defn- found [pattern term]
  (list 'let ['a (clj-ast term)]
        (list 'and '(string? a) (list 're-find pattern 'a))))

(defn- like-pattern [text]
  (let [pieces (clojure.string/split text #"%" -1)]
    (re-pattern (str "^" (clojure.string/join ".*" (map #(java.util.regex.Pattern/quote %) pieces)) "$"))))

(defn clj-ast
  "A query's tree as code about a local named event."
  [ast]
  (cond
    (keyword? ast)    (list ast 'event)
    (not (seq? ast))  ast
    :else
    (let [[head a b] ast]
      (cond
        (= :tagged head)         (list 'when-let '[tags (:tags event)]
                                       (list 'riemann.common/member? a 'tags))
        (= :like head)           (found (like-pattern a) b)
        (= :regex head)          (found (re-pattern a) b)
        (contains? comparisons head) (compared head a b)
        :else                    (apply list head (map clj-ast (rest ast)))))))
