; clojure.java.shell: other programs, run to their end.
(ns clojure.java.shell)

(def ^:dynamic *sh-dir* "The folder that sh runs programs in; nil for the server's own." nil)
(def ^:dynamic *sh-env* "The environment that sh gives programs; nil for the server's own." nil)

(defmacro with-sh-dir "Runs forms; what they start with sh runs in a folder." [dir & forms]
  `(binding [*sh-dir* ~dir] ~@forms))

(defmacro with-sh-env "Runs forms; what they start with sh has an environment." [env & forms]
  `(binding [*sh-env* ~env] ~@forms))

(defn- variable [entry]
  (if (string? entry)
    entry
    (let [[k v] entry] (str (if (keyword? k) (name k) k) "=" v))))

(defn sh
  "Runs a program with its arguments to its end; gives {:exit status, :out text, :err text}. Options
  behind the arguments: :in, a text that it reads; :dir, the folder it runs in; :env, a map or a list
  of \"NAME=value\", the whole of its environment. Throws java.io.IOException if it cannot be started.
  Whoever calls it waits: in a stream, put it behind async-queue!."
  [& args]
  (let [[words options] (split-with string? args)
        {:keys [in dir env]} (merge {:dir *sh-dir* :env *sh-env*} (apply hash-map options))]
    (run-program (vec words)
                 (cond (nil? in) "" (string? in) in :else (slurp in))
                 (when dir (str dir))
                 (when env (mapv variable env)))))
