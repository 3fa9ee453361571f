; The macros of clojure.core that are easier said in the dialect itself, and a few functions. Each
; definition starts at the beginning of a line and is compiled when it is first used.

(defmacro comment "Ignores its forms." [& body] nil)

(defmacro when "Evaluates the body if the test is true." [test & body]
  (list 'if test (cons 'do body)))

(defmacro when-not "Evaluates the body if the test is false." [test & body]
  (list 'if test nil (cons 'do body)))

(defmacro if-not "As if, with the test turned round."
  ([test then] `(if ~test nil ~then))
  ([test then else] `(if ~test ~else ~then)))

(defmacro and "The first value that is false, else the last."
  ([] true)
  ([x] x)
  ([x & more] (cons 'and* (cons x more))))

(defmacro or "The first value that is true, else the last."
  ([] nil)
  ([x] x)
  ([x & more] (cons 'or* (cons x more))))

(defmacro cond "The expression after the first test that is true." [& clauses]
  (if (seq clauses)
    (if (next clauses)
      (list 'if (first clauses) (second clauses) (cons 'clojure.core/cond (nthnext clauses 2)))
      (throw (IllegalArgumentException. "cond requires an even number of forms")))))

(defmacro if-let "Binds a name to a value that is true, and goes on with one branch or the other."
  ([bindings then] `(if-let ~bindings ~then nil))
  ([bindings then else]
   (assert-bindings "if-let" bindings)
   (let [[pattern value] bindings]
     `(let* [found# ~value]
        (if found# (let [~pattern found#] ~then) ~else)))))

(defmacro when-let "As if-let, with a body and no other branch." [bindings & body]
  `(if-let ~bindings (do ~@body) nil))

(defmacro if-some "As if-let, for a value that is not nil."
  ([bindings then] `(if-some ~bindings ~then nil))
  ([bindings then else]
   (assert-bindings "if-some" bindings)
   (let [[pattern value] bindings]
     `(let* [found# ~value]
        (if (nil? found#) ~else (let [~pattern found#] ~then))))))

(defmacro when-some "As when-let, for a value that is not nil." [bindings & body]
  `(if-some ~bindings (do ~@body) nil))

(defmacro when-first "Evaluates the body with a name bound to the first of a sequence, if there is one."
  [bindings & body]
  (assert-bindings "when-first" bindings)
  (let [[pattern coll] bindings]
    `(let* [items# (seq ~coll)]
       (if items# (let [~pattern (first items#)] ~@body) nil))))

(defn- assert-bindings [name bindings]
  (if (vector? bindings)
    (if (= 2 (count bindings))
      nil
      (throw (IllegalArgumentException. (str name " requires exactly 2 forms in binding vector"))))
    (throw (IllegalArgumentException. (str name " requires a vector for its binding")))))

(defmacro condp "The expression of the first clause whose test and the expression satisfy a predicate."
  [pred expr & clauses]
  (let [p (gensym "pred__") e (gensym "expr__")]
    `(let* [~p ~pred ~e ~expr] ~(condp-clauses p e clauses))))

(defn- condp-clauses [p e clauses]
  (let [[a b c] clauses]
    (if (= :>> b)
      `(if-let [found# (~p ~a ~e)] (~c found#) ~(condp-clauses p e (nthnext clauses 3)))
      (if (nil? (seq clauses))
        `(throw (IllegalArgumentException. (str "No matching clause: " ~e)))
        (if (nil? (next clauses))
          a
          `(if (~p ~a ~e) ~b ~(condp-clauses p e (nthnext clauses 2))))))))

(defmacro -> "Threads a value through forms as their first argument." [x & forms]
  (loop* [x x forms (seq forms)]
    (if forms
      (let* [form (first forms)]
        (recur (if (seq? form)
                 (with-meta (cons (first form) (cons x (next form))) (meta form))
                 (list form x))
               (next forms)))
      x)))

(defmacro ->> "Threads a value through forms as their last argument." [x & forms]
  (loop* [x x forms (seq forms)]
    (if forms
      (let* [form (first forms)]
        (recur (if (seq? form)
                 (with-meta (concat form (list x)) (meta form))
                 (list form x))
               (next forms)))
      x)))

(defmacro as-> "Threads a value through forms under a name." [expr name & forms]
  `(let [~name ~expr ~@(interleave (repeat name) (butlast forms))]
     ~(if (empty? forms) name (last forms))))

(defmacro some-> "As ->, but stops at nil." [expr & forms]
  (let [g (gensym "some__")]
    `(let [~g ~expr ~@(mapcat (fn [form] [g `(if (nil? ~g) nil (-> ~g ~form))]) (butlast forms))]
       ~(if (empty? forms) g `(if (nil? ~g) nil (-> ~g ~(last forms)))))))

(defmacro some->> "As ->>, but stops at nil." [expr & forms]
  (let [g (gensym "some__")]
    `(let [~g ~expr ~@(mapcat (fn [form] [g `(if (nil? ~g) nil (->> ~g ~form))]) (butlast forms))]
       ~(if (empty? forms) g `(if (nil? ~g) nil (->> ~g ~(last forms)))))))

(defmacro cond-> "Threads a value as -> does through the forms whose test is true." [expr & clauses]
  (let [g (gensym "cond__")]
    `(let [~g ~expr
           ~@(mapcat (fn [[test form]] [g `(if ~test (-> ~g ~form) ~g)]) (partition 2 clauses))]
       ~g)))

(defmacro cond->> "Threads a value as ->> does through the forms whose test is true." [expr & clauses]
  (let [g (gensym "cond__")]
    `(let [~g ~expr
           ~@(mapcat (fn [[test form]] [g `(if ~test (->> ~g ~form) ~g)]) (partition 2 clauses))]
       ~g)))

(defmacro doto "Calls forms with a value as first argument, for their effects; gives the value."
  [x & forms]
  (let [g (gensym "doto__")]
    `(let [~g ~x]
       ~@(map (fn [form] (if (seq? form) `(~(first form) ~g ~@(next form)) `(~form ~g))) forms)
       ~g)))

(defmacro .. "Calls methods one on the result of the other."
  ([x form] `(. ~x ~form))
  ([x form & more] `(.. (. ~x ~form) ~@more)))

(defmacro memfn "A function that calls a method." [name & args]
  `(fn [target# ~@args] (. target# (~name ~@args))))

(defmacro while "Repeats the body as long as the test is true." [test & body]
  `(loop* [] (if ~test (do ~@body (recur)) nil)))

(defmacro dotimes "Repeats the body with a name bound to 0, 1 … n-1." [bindings & body]
  (assert-bindings "dotimes" bindings)
  (let [[i n] bindings]
    `(let* [n# (long ~n)]
       (loop [~i 0]
         (if (< ~i n#) (do ~@body (recur (inc ~i))) nil)))))

(defmacro doseq "Evaluates the body for each element, for its effects; takes :let, :when and :while."
  [bindings & body]
  (if (vector? bindings)
    (doseq-step (seq bindings) body)
    (throw (IllegalArgumentException. "doseq requires a vector for its binding"))))

(defn- doseq-step [bindings body]
  (if bindings
    (let [[pattern value] bindings more (nnext bindings)]
      (case pattern
        :let `(let ~value ~(doseq-step more body))
        :when `(if ~value ~(doseq-step more body) nil)
        :while `(if ~value ~(doseq-step more body) :clojure.core/stop)
        (let [items (gensym "items__")]
          `(loop* [~items (seq ~value)]
             (if ~items
               (if (identical? :clojure.core/stop
                               (let [~pattern (first ~items)] ~(doseq-step more body)))
                 nil
                 (recur (next ~items)))
               nil)))))
    `(do ~@body nil)))

(defmacro for "The values of the body for each element, lazily; takes :let, :when and :while."
  [bindings body]
  (if (vector? bindings)
    (for-step (partition 2 bindings) body)
    (throw (IllegalArgumentException. "for requires a vector for its binding"))))

(defn- for-step [groups body]
  (let [[[pattern coll] & more] groups
        modifiers (take-while (fn [group] (keyword? (first group))) more)
        inner (drop-while (fn [group] (keyword? (first group))) more)
        walk (gensym "walk__")
        items (gensym "items__")]
    `((fn* ~walk [~items]
        (lazy-seq
          (loop* [~items (seq ~items)]
            (if ~items
              (let [~pattern (first ~items)]
                ~(for-body modifiers inner body walk items))
              nil))))
      ~coll)))

(defn- for-body [modifiers inner body walk items]
  (if (seq modifiers)
    (let [[modifier value] (first modifiers)
          go-on (for-body (next modifiers) inner body walk items)]
      (case modifier
        :let `(let ~value ~go-on)
        :when `(if ~value ~go-on (recur (next ~items)))
        :while `(if ~value ~go-on nil)
        (throw (IllegalArgumentException. (str "Invalid 'for' keyword " modifier)))))
    (if (seq inner)
      `(let* [inner# (seq ~(for-step inner body))]
         (if inner#
           (concat inner# (~walk (rest ~items)))
           (recur (next ~items))))
      `(cons ~body (~walk (rest ~items))))))

(defmacro lazy-seq "A sequence whose body runs when it is first looked at." [& body]
  `(lazy-seq* (fn* [] ~@body)))

(defmacro lazy-cat "Joins sequences that are worked out when they are reached." [& colls]
  `(concat ~@(map (fn [coll] `(lazy-seq ~coll)) colls)))

(defmacro delay "A value worked out once, when it is first wanted." [& body]
  `(delay* (fn* [] ~@body)))

(defmacro future "A value worked out on another thread." [& body]
  `(future-call (fn* [] ~@body)))

(defmacro letfn "Functions that see each other." [bindings & body]
  `(letfn* ~(vec (mapcat (fn [spec] [(first spec) (cons `fn spec)]) bindings)) ~@body))

(defmacro assert "Throws if the expression is not true."
  ([x] `(if ~x nil (throw (AssertionError. (str "Assert failed: " (pr-str '~x))))))
  ([x message]
   `(if ~x nil (throw (AssertionError. (str "Assert failed: " ~message "\n" (pr-str '~x)))))))

(defmacro with-open "Evaluates the body with names bound to things that are closed after it."
  [bindings & body]
  (if (empty? bindings)
    `(do ~@body)
    `(let ~(subvec bindings 0 2)
       (try
         (with-open ~(subvec bindings 2) ~@body)
         (finally (. ~(bindings 0) close))))))

(defmacro locking "Evaluates the body while no other thread does so with the same object." [x & body]
  `(locking* ~x (fn* [] ~@body)))

(defmacro dosync "Evaluates the body as one step, as far as refs can tell." [& body]
  `(dosync* (fn* [] ~@body)))

(defmacro sync "As dosync." [flags & body]
  `(dosync ~@body))

(defmacro io! "Throws if a transaction is running, else evaluates the body." [& body]
  `(do (io!*) ~@body))

(defmacro binding "Evaluates the body with dynamic vars bound on this thread." [bindings & body]
  (if (vector? bindings)
    (if (even? (count bindings))
      `(with-bindings* (hash-map ~@(mapcat (fn [[v value]] [`(var ~v) value]) (partition 2 bindings)))
                       (fn* [] ~@body))
      (throw (IllegalArgumentException. "binding requires an even number of forms in binding vector")))
    (throw (IllegalArgumentException. "binding requires a vector for its binding"))))

(defmacro with-bindings "Evaluates the body with the vars of a map bound on this thread."
  [binding-map & body]
  `(with-bindings* ~binding-map (fn* [] ~@body)))

(defmacro with-redefs "Evaluates the body while the roots of vars are others." [bindings & body]
  `(with-redefs-fn ~(zipmap (map (fn [v] `(var ~v)) (take-nth 2 bindings)) (take-nth 2 (next bindings)))
                   (fn* [] ~@body)))

(defmacro with-local-vars "Evaluates the body with names bound to fresh vars." [bindings & body]
  `(let ~(vec (mapcat (fn [[name value]] [name `(local-var*)]) (partition 2 bindings)))
     (with-bindings* (hash-map ~@bindings) (fn* [] ~@body))))

(defmacro bound-fn "A function that runs with the bindings in effect now." [& tail]
  `(bound-fn* (fn ~@tail)))

(defmacro declare "Makes names known before they are defined." [& names]
  `(do ~@(map (fn [name] (list 'def (vary-meta name assoc :declared true))) names)))

(defmacro defonce "Defines a name unless it has a value." [name expr]
  `(let* [v# (def ~name)]
     (if (bound? v#) nil (def ~name ~expr))))

(defmacro definline "Defines a function." [name & decl]
  `(defn ~name ~@decl))

(defmacro with-precision "Evaluates the body; decimals are worked out to so many digits."
  [precision & exprs]
  (if (= :rounding (first exprs))
    `(with-precision* ~precision '~(second exprs) (fn* [] ~@(nnext exprs)))
    `(with-precision* ~precision nil (fn* [] ~@exprs))))

(defmacro time "Prints how long the expression takes; gives its value." [expr]
  `(let [start# (System/nanoTime) value# ~expr]
     (prn (str "Elapsed time: " (/ (double (- (System/nanoTime) start#)) 1000000.0) " msecs"))
     value#))

(defmacro with-out-str "What the body prints, as a string." [& body]
  `(with-out-str* (fn* [] ~@body)))

(defmacro with-in-str "Evaluates the body with a string to read from." [s & body]
  `(with-in-str* ~s (fn* [] ~@body)))

(defmacro vswap! "Changes a volatile by a function of its value." [vol f & args]
  `(vreset! ~vol (~f (deref ~vol) ~@args)))

(defmacro refer-clojure "Refers to clojure.core." [& filters]
  `(refer-clojure* ~@(map (fn [x] `(quote ~x)) filters)))

(defmacro amap "A new array of the values of an expression for each index." [a idx ret expr]
  `(let [a# ~a ~ret (aclone a#)]
     (loop [~idx 0]
       (if (< ~idx (alength a#))
         (do (aset ~ret ~idx ~expr) (recur (inc ~idx)))
         ~ret))))

(defmacro areduce "Folds an array." [a idx ret init expr]
  `(let [a# ~a]
     (loop [~idx 0 ~ret ~init]
       (if (< ~idx (alength a#)) (recur (inc ~idx) ~expr) ~ret))))

(defmacro defmulti "Defines a function that goes by the value of a dispatch function." [name & more]
  (let [doc (if (string? (first more)) (first more) nil)
        more (if doc (next more) more)
        attributes (if (map? (first more)) (first more) nil)
        more (if attributes (next more) more)
        [dispatch & options] more
        options (apply hash-map options)
        name (vary-meta name merge attributes (if doc {:doc doc} nil))]
    `(let* [v# (def ~name)]
       (if (if (bound? v#) (multi?* (var-get v#)) false)
         v#
         (def ~name (multi* '~name ~dispatch ~(get options :default :default)
                            ~(get options :hierarchy nil)))))))

(defmacro defmethod "Adds a method for a dispatch value to a multimethod."
  [multifn dispatch-val & fn-tail]
  `(add-method* ~multifn ~dispatch-val (fn ~@fn-tail)))

(defmacro defprotocol "Defines functions that go by the class of their first argument."
  [name & specs]
  (let [doc (if (string? (first specs)) (first specs) nil)
        signatures (filter seq? specs)
        names (map first signatures)]
    `(do
       (def ~(if doc (vary-meta name assoc :doc doc) name) (protocol* '~name))
       ~@(map (fn [signature]
                `(def ~(vary-meta (first signature) assoc
                                  :arglists (list 'quote (filter vector? signature))
                                  :doc (first (filter string? signature)))
                   (protocol-fn* ~name '~(first signature))))
              signatures)
       '~name)))

(defn- spec-groups [specs]
  (loop [specs (seq specs) target nil groups []]
    (if specs
      (if (seq? (first specs))
        (recur (next specs) target (conj groups [target (first specs)]))
        (recur (next specs) (first specs) (conj groups [(first specs) nil])))
      groups)))

(defn- merged-methods [groups]
  (loop [groups (seq groups) order [] arities {}]
    (if groups
      (let [[target [name & tail]] (first groups)
            key [target name]]
        (recur (next groups)
               (if (contains? arities key) order (conj order key))
               (update arities key (fnil conj []) tail)))
      (map (fn [[target name]] [target name (get arities [target name])]) order))))

(defn- implementations [specs wrap]
  (let [groups (spec-groups specs)
        bare (filter (fn [[target method]] (nil? method)) groups)
        methods (merged-methods (filter second groups))]
    (concat
      (map (fn [[target]] [target]) bare)
      (map (fn [[target name arities]]
             [target (list 'quote name) `(fn ~@(map wrap arities))])
           methods))))

(defn- names-in [form]
  (cond
    (symbol? form) #{form}
    (coll? form) (reduce into #{} (map names-in form))
    :else #{}))

(defn- with-fields [fields]
  (fn [[[this & params] & body]]
    (let [used (names-in body)
          hidden (names-in params)
          self (if (symbol? this) (with-meta this nil) (gensym "this__"))
          wanted (filter (fn [field] (and (contains? used field)
                                          (not (contains? hidden field))
                                          (not= field self)))
                         fields)
          changing (set (filter changing? wanted))
          body (if (seq changing) (map (fn [form] (live form changing self)) body) body)
          fixed `(let* ~(vec (mapcat (fn [field]
                                       [(with-meta field nil)
                                        (list '. self (symbol (str "-" (name field))))])
                                     (remove changing wanted)))
                   ~@body)]
      (list (vec (cons self params))
            (if (symbol? this) fixed `(let [~this ~self] ~fixed))))))

(defn- changing? [field]
  (let [{:keys [volatile-mutable unsynchronized-mutable]} (meta field)]
    (or volatile-mutable unsynchronized-mutable)))

(defn- live [form changing self]
  (let [within (fn [form] (live form changing self))]
    (cond
      (symbol? form) (if (contains? changing form)
                       (list '. self (symbol (str "-" (name form))))
                       form)
      (seq? form) (cond
                    (= 'quote (first form)) form
                    (and (= 'set! (first form)) (contains? changing (second form)))
                    `(set-field!* ~self '~(second form) ~(within (nth form 2)))
                    :else (with-meta (apply list (map within form)) (meta form)))
      (vector? form) (with-meta (mapv within form) (meta form))
      (map? form) (into {} (map (fn [[k v]] [(within k) (within v)]) form))
      (set? form) (into #{} (map within form))
      :else form)))

(defmacro defrecord "Defines a type whose values are maps with these fields." [name fields & specs]
  (type-definition name fields specs true))

(defmacro deftype "Defines a type with these fields." [name fields & specs]
  (type-definition name fields specs false))

(defn- type-definition [type-name fields specs record?]
  (let [specs (drop-options specs)
        arrow (symbol (str "->" (name type-name)))
        from-map (symbol (str "map->" (name type-name)))]
    `(do
       (define-type* '~type-name '~fields ~record?)
       (def ~arrow (constructor* ~type-name))
       ~@(if record? [`(defn ~from-map [m#] (map-constructor* ~type-name m#))] [])
       (implement* ~type-name ~@(implementations specs (with-fields fields)))
       ~type-name)))

(defn- drop-options [specs]
  (if (keyword? (first specs)) (drop-options (nnext specs)) specs))

(defmacro reify "A value that implements protocols and interfaces." [& specs]
  `(reify* ~@(implementations (drop-options specs) (fn [arity] arity))))

(defmacro proxy "A value that implements interfaces with one method each." [interfaces args & methods]
  (let [self (fn [[params & body]] (list (vec (cons 'this params)) (cons 'do body)))
        arities (fn [tail] (if (vector? (first tail)) [tail] tail))]
    `(reify*
       ~@(map (fn [interface] [interface]) interfaces)
       ~@(map (fn [[name & tail]]
                [(or (first interfaces) 'Object) (list 'quote name)
                 `(fn ~@(map self (arities tail)))])
              methods))))

(defmacro extend-type "Adds functions for a class to protocols." [t & specs]
  `(extend ~t
     ~@(mapcat
         (fn [[protocol methods]]
           [protocol (into {} (map (fn [[_ name arities]] [(keyword name) `(fn ~@arities)])
                                   (merged-methods methods)))])
         (group-by first (filter second (spec-groups specs))))))

(defmacro extend-protocol "Adds functions for classes to a protocol." [protocol & specs]
  `(do
     ~@(map (fn [[t methods]]
              `(extend ~t ~protocol
                 ~(into {} (map (fn [[_ name arities]] [(keyword name) `(fn ~@arities)])
                                (merged-methods methods)))))
            (group-by first (filter second (spec-groups specs))))
     nil))

(defmacro definterface "Defines a protocol." [name & signatures]
  `(defprotocol ~name
     ~@(map (fn [[method params]] (list method (vec (cons 'this params)))) signatures)))

(defmacro gen-class "Does nothing here: there are no classes to make." [& options] nil)

(defn load "Loads sources by their paths, relative to that of the current namespace." [& paths]
  (doseq [path paths]
    (let [here (.replace (.replace (str (ns-name *ns*)) "-" "_") "." "/")
          folder (subs here 0 (max 0 (.lastIndexOf here "/")))]
      (load-path* (if (.startsWith path "/") (subs path 1) (str folder "/" path))))))
