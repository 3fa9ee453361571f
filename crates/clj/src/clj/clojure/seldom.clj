; What of clojure.core is seldom used. Each definition starts at the beginning of a line and is
; compiled when it is first used.

(defn- pmap-ahead []
  (+ 2 (.availableProcessors (Runtime/getRuntime))))

(defn- pmap-step [f ahead running waiting]
  (lazy-seq
    (let [started (take (- ahead (count running)) waiting)
          running (into running (map (fn [args] (future (apply f args)))) started)]
      (when-let [oldest (peek running)]
        (cons @oldest
              (pmap-step f ahead (pop running) (drop (count started) waiting)))))))

(defn pmap "As map, but works on some of what comes next on other threads."
  ([f coll] (pmap-step f (pmap-ahead) clojure.lang.PersistentQueue/EMPTY (map list coll)))
  ([f coll & colls]
   (pmap-step f (pmap-ahead) clojure.lang.PersistentQueue/EMPTY (apply map list coll colls))))

(defn pcalls "What functions of no arguments give, each worked out on a thread of its own."
  [& fns]
  (pmap (fn [f] (f)) fns))

(defmacro pvalues "The values of expressions, each worked out on a thread of its own." [& exprs]
  `(pcalls ~@(map (fn [expr] `(fn* [] ~expr)) exprs)))

(defn create-struct "The basis of maps that have these keys." [& keys]
  (if (seq keys)
    (vec keys)
    (throw (IllegalArgumentException. "Must supply keys"))))

(defmacro defstruct "Defines the basis of maps that have these keys." [name & keys]
  `(def ~name (create-struct ~@keys)))

(defn struct-map "A map that has the keys of a basis, and what is given by key and value."
  [s & inits]
  (merge (apply array-map (interleave s (repeat nil))) (apply hash-map inits)))

(defn struct "A map that has the keys of a basis, with values in order." [s & vals]
  (if (> (count vals) (count s))
    (throw (IllegalArgumentException. "Too many arguments to struct constructor"))
    (apply array-map (interleave s (concat vals (repeat nil))))))

(defn accessor "A function that takes the value of a key of a basis." [s key]
  (if (some #{key} s)
    (fn [m] (get m key))
    (throw (IllegalArgumentException. "Not a key of struct"))))

(defn iteration
  "The values that calls of step give, one called with what kf finds in the one before: lazily, until
  somef refuses one or kf finds nil. vf takes the value out of what step gives; initk is the first."
  [step & {:keys [somef vf kf initk] :or {somef some? vf identity kf identity initk nil}}]
  (letfn [(from [k]
            (lazy-seq
              (let [page (step k)]
                (when (somef page)
                  (cons (vf page)
                        (when-some [more (kf page)] (from more)))))))]
    (from initk)))

(defn unchecked-short "As a 16-bit integer, cut." [x]
  (let [low (bit-and (long x) 65535)]
    (if (> low 32767) (- low 65536) low)))

(defn unchecked-char "As a character, cut." [x]
  (char (bit-and (long x) 65535)))

(defn unchecked-double "As a double." [x]
  (double x))

(defn unchecked-float "As a float." [x]
  (float x))

(defn unchecked-add-int "The sum, of 32 bits." [x y]
  (unchecked-int (unchecked-add x y)))

(defn unchecked-subtract-int "The difference, of 32 bits." [x y]
  (unchecked-int (unchecked-subtract x y)))

(defn unchecked-multiply-int "The product, of 32 bits." [x y]
  (unchecked-int (unchecked-multiply x y)))

(defn unchecked-divide-int "The quotient, of 32 bits." [x y]
  (unchecked-int (quot x y)))

(defn unchecked-remainder-int "The remainder, of 32 bits." [x y]
  (unchecked-int (rem x y)))

(defn unchecked-negate-int "x negated, of 32 bits." [x]
  (unchecked-int (unchecked-negate x)))

(defn unchecked-dec-int "One less, of 32 bits." [x]
  (unchecked-int (unchecked-dec x)))

(defn unchecked-inc-int "One more, of 32 bits." [x]
  (unchecked-int (unchecked-inc x)))

(defn chunk-buffer "A place to gather the items of a chunk." [capacity]
  (volatile! []))

(defn chunk-append "Adds an item to a chunk that is gathered." [b x]
  (vswap! b conj x)
  nil)

(defn chunk "The chunk that was gathered." [b]
  @b)

(defn chunk-cons "The items of a chunk before a sequence." [chunk rest]
  (concat chunk rest))

(defn chunk-first "The first items of a sequence, as a vector." [s]
  [(first s)])

(defn chunk-rest "What comes after the first items." [s]
  (rest s))

(defn chunk-next "What comes after the first items, nil if nothing does." [s]
  (next s))

(defn inst-ms* "Milliseconds since 1970." [inst]
  (inst-ms inst))

(defn await1 "Waits for an agent, and gives it." [a]
  (await a)
  a)

(defn test "Calls the :test of a var's metadata; gives :ok, or :no-test if there is none." [v]
  (if-let [f (:test (meta v))]
    (do (f) :ok)
    :no-test))

(defn to-array-2d "An array of the arrays of collections." [coll]
  (into-array (map to-array coll)))

(defn vector-of "A vector of values of a primitive type." [t & elements]
  (let [cast (get {:int int :long long :float float :double double :byte byte :short short
                   :char char :boolean boolean}
                  t)]
    (if cast
      (mapv cast elements)
      (throw (IllegalArgumentException. (str "Unrecognized type " t))))))

(defn ref-min-history "Fewest values kept of a ref: none, as transactions here need none."
  ([ref] 0)
  ([ref n] ref))

(defn ref-max-history "Most values kept of a ref."
  ([ref] 10)
  ([ref n] ref))

(defn ref-history-count "Values kept of a ref: none." [ref]
  0)

(defn set-agent-send-executor! "Nothing: agents have their own threads." [executor]
  nil)

(defn set-agent-send-off-executor! "Nothing: agents have their own threads." [executor]
  nil)

(defn mix-collection-hash "A hash of a collection from that of its items." [hash-basis count]
  (unchecked-int (bit-xor (unchecked-multiply (long hash-basis) -862048943) (long count))))

(defn reader-conditional? "False: conditionals are read as what they choose." [value]
  false)

(defn print-simple "Prints a value as str does." [o w]
  (.write w (str o)))

(defn print-ctor "Prints a value as the call of its constructor." [o print-args w]
  (.write w (str "#=(" (.getName (class o)) ". "))
  (print-args o w)
  (.write w ")"))

(defmacro gen-interface "Does nothing here: there are no interfaces to make." [& options] nil)

(defn compile "Loads a namespace; nothing is written." [lib]
  (require lib)
  lib)

(defn bean "What an object tells of itself, as a map." [x]
  (cond
    (nil? x) nil
    (map? x) x
    (instance? Throwable x)
    {:cause (.getCause x) :class (class x) :localizedMessage (.getMessage x)
     :message (.getMessage x) :stackTrace (.getStackTrace x)}
    (instance? java.util.Date x) {:class (class x) :time (.getTime x)}
    (instance? java.io.File x)
    {:absolutePath (.getAbsolutePath x) :class (class x) :directory (.isDirectory x)
     :file (.isFile x) :name (.getName x) :parent (.getParent x) :path (.getPath x)}
    :else {:class (class x)}))

(defn StackTraceElement->vec "A place of a trace: class, method, file and line." [o]
  [(symbol (.getClassName o)) (symbol (.getMethodName o)) (.getFileName o) (.getLineNumber o)])

(defn bases "The classes that a class is said to be made from, of those that are known." [c]
  (seq (remove #{c} (filter (fn [other] (isa? c other)) (known-parents c)))))

(defn supers "All classes and interfaces that a class is a kind of, of those that are known." [c]
  (set (bases c)))

(defn- known-parents [c]
  [Number Comparable CharSequence Iterable Runnable java.io.Serializable java.util.Collection
   java.util.List java.util.Map java.util.Set Throwable Exception RuntimeException Error
   IllegalArgumentException IllegalStateException java.io.IOException clojure.lang.IFn
   clojure.lang.IPersistentCollection clojure.lang.IPersistentMap clojure.lang.IPersistentSet
   clojure.lang.IPersistentVector clojure.lang.Sequential clojure.lang.Seqable Object])
