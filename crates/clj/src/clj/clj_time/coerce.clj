; What of clj-time.coerce has to do with SQL: its dates and times are dates here.

(defn to-timestamp "A date." [x]
  (to-date x))

(defn to-sql-time "A date." [x]
  (to-date x))

(defn to-sql-date "A date." [x]
  (to-date x))

(defn from-sql-time "A point in time of a date." [x]
  (from-date x))

(defn from-sql-date "A point in time of a date." [x]
  (from-date x))
