; What of clj-time.core is said in terms of the rest.

(defn min-date "The earliest of points in time." [dt & dts]
  (earliest (cons dt dts)))

(defn max-date "The latest of points in time." [dt & dts]
  (latest (cons dt dts)))

(defn mins-ago "Whole minutes since a point in time." [d]
  (in-minutes (interval d (now))))

(defmacro do-at "Evaluates the body as if it were that time: not here, where it throws."
  [dt & body]
  `(throw (UnsupportedOperationException. "clj-time.core/do-at: the clock cannot be set")))

(defn adjust "A point in time with what a function of it and arguments gives." [dt f & args]
  (apply f dt args))
