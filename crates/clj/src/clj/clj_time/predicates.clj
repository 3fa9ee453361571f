; What of clj-time.predicates is said in terms of clj-time.core.

(defn- month-is [n dt]
  (= n (clj-time.core/month dt)))

(defn january? "True in January." [dt] (month-is 1 dt))

(defn february? "True in February." [dt] (month-is 2 dt))

(defn march? "True in March." [dt] (month-is 3 dt))

(defn april? "True in April." [dt] (month-is 4 dt))

(defn may? "True in May." [dt] (month-is 5 dt))

(defn june? "True in June." [dt] (month-is 6 dt))

(defn july? "True in July." [dt] (month-is 7 dt))

(defn august? "True in August." [dt] (month-is 8 dt))

(defn september? "True in September." [dt] (month-is 9 dt))

(defn october? "True in October." [dt] (month-is 10 dt))

(defn november? "True in November." [dt] (month-is 11 dt))

(defn december? "True in December." [dt] (month-is 12 dt))

(defn first-day-of-month? "True on the first of a month." [dt]
  (= 1 (clj-time.core/day dt)))

(defn last-day-of-month? "True on the last of a month." [dt]
  (not= (clj-time.core/month dt)
        (clj-time.core/month (clj-time.core/plus dt (clj-time.core/days 1)))))

(defn same-date? "True for two points in time on one day." [dt1 dt2]
  (= (map (fn [part] (part dt1)) [clj-time.core/year clj-time.core/month clj-time.core/day])
     (map (fn [part] (part dt2)) [clj-time.core/year clj-time.core/month clj-time.core/day])))
