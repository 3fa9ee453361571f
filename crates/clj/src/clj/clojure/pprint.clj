; What of clojure.pprint is said in terms of the rest.

(defmacro pp "Prints the last value of a prompt." []
  `(pprint *1))

(defn fresh-line "Ends the line." []
  (newline))

(defn write "Prints a value as pprint does, or gives the text if :stream is nil." [object & options]
  (let [{:keys [stream pretty] :or {stream true pretty true}} (apply hash-map options)
        text (if pretty
               (let [text (with-out-str (pprint object))] (subs text 0 (dec (count text))))
               (pr-str object))]
    (cond
      (nil? stream) text
      (true? stream) (print text)
      :else (.write stream text))))

(defmacro with-pprint-dispatch "Evaluates the body; there is one way to print here." [f & body]
  `(do ~@body))

(defn set-pprint-dispatch "Nothing: there is one way to print here." [f]
  nil)

(defn simple-dispatch "Prints a value." [object]
  (print (write object :stream nil)))

(defn code-dispatch "Prints a value." [object]
  (print (write object :stream nil)))

(defn- directives [fmt]
  (map (fn [[_ params flags kind text]]
         {:params (if (seq params) (mapv parse-long (string-parts params)) [])
          :colon (boolean (some #{\:} flags))
          :at (boolean (some #{\@} flags))
          :kind (when kind (Character/toLowerCase (first kind)))
          :text text})
       (re-seq #"~([0-9,+-]*)([:@]*)([a-zA-Z%~&])|([^~]+)" fmt)))

(defn- string-parts [params]
  (vec (.split params ",")))

(defn- padded [text width left]
  (let [spaces (apply str (repeat (- (or width 0) (count text)) " "))]
    (if left (str spaces text) (str text spaces))))

(defn- with-commas [digits]
  (let [[_ sign digits] (re-matches #"([+-]?)(.*)" digits)
        groups (map (fn [group] (apply str (reverse group))) (partition-all 3 (reverse digits)))]
    (str sign (apply str (interpose "," (reverse groups))))))

(defn- shown [{:keys [kind params colon at]} arg]
  (let [[width places] params]
    (case kind
      \a (padded (if (nil? arg) "nil" (print-str arg)) width at)
      \s (padded (pr-str arg) width at)
      \d (let [digits (str arg)
               digits (if (and at (not (neg? arg))) (str "+" digits) digits)]
           (padded (if colon (with-commas digits) digits) width true))
      \x (padded (format "%x" (biginteger arg)) width true)
      \o (padded (format "%o" (biginteger arg)) width true)
      \b (padded (.toString (biginteger arg) 2) width true)
      \f (padded (if places (format (str "%." places "f") (double arg)) (str (double arg))) width true)
      \$ (format "%.2f" (double arg))
      \c (str arg)
      (throw (UnsupportedOperationException.
               (str "cl-format: ~" kind " is not supported; a s d x o b f c % ~ are"))))))

(defn cl-format
  "Text after the format of Common Lisp: ~a ~s ~d ~:d ~x ~o ~b ~f ~c ~% ~& ~~. The first argument
  is nil for the text itself, true to print it, or a writer."
  [writer fmt & args]
  (loop [parts (directives fmt) args args text ""]
    (if-let [{:keys [kind params] :as part} (first parts)]
      (cond
        (nil? kind) (recur (rest parts) args (str text (:text part)))
        (contains? #{\% \& \~} kind)
        (recur (rest parts) args
               (str text (apply str (repeat (or (first params) 1) (if (= \~ kind) "~" "\n")))))
        (empty? args) (throw (RuntimeException. "Not enough arguments for format definition"))
        :else (recur (rest parts) (rest args) (str text (shown part (first args)))))
      (cond
        (nil? writer) text
        (true? writer) (print text)
        :else (.write writer text)))))
