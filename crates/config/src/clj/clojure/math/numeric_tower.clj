;; clojure.math.numeric-tower: functions that keep to exact numbers where they can.
(ns clojure.math.numeric-tower
  (:refer-clojure :exclude [abs]))

(defn- whole-power [base exponent]
  (loop [result 1 base base left exponent]
    (if (zero? left)
      result
      (recur (if (odd? left) (*' result base) result)
             (if (= 1 left) base (*' base base))
             (quot left 2)))))

(defn expt
  "base to the power of an exponent: exact for an exact base and a whole exponent, else a double."
  [base exponent]
  (if (and (rational? base) (integer? exponent))
    (if (neg? exponent)
      (/ 1 (whole-power base (- exponent)))
      (whole-power base exponent))
    (Math/pow base exponent)))

(defn abs
  "The number without its sign."
  [n]
  (if (neg? n) (-' n) n))

(defn gcd
  "The greatest whole number that divides both."
  [a b]
  (if (zero? b) (abs a) (recur b (rem a b))))

(defn lcm
  "The least whole number that both divide."
  [a b]
  (if (or (zero? a) (zero? b)) 0 (abs (*' b (quot a (gcd a b))))))

(defn- next-below [n]
  (if (neg? n) (dec' (bigint n)) (bigint n)))

(defn- as-whole [n]
  (if (<= Long/MIN_VALUE n Long/MAX_VALUE) (long n) n))

(defn floor
  "The greatest whole number that is not greater."
  [n]
  (cond
    (integer? n) n
    (rational? n) (as-whole (next-below n))
    :else (Math/floor n)))

(defn ceil
  "The least whole number that is not less."
  [n]
  (if (integer? n) n (- (floor (- n)))))

(defn round
  "The nearest whole number, halves up."
  [n]
  (if (integer? n) n (long (floor (+ n 1/2)))))

(defn exact-integer-sqrt
  "The greatest whole number whose square is no more than n, and what is left of n."
  [n]
  (loop [root (bigint (Math/sqrt n))]
    (cond
      (> (*' root root) n)               (recur (dec root))
      (<= (*' (inc root) (inc root)) n)  (recur (inc root))
      :else                              [(as-whole root) (as-whole (- n (*' root root)))])))

(defn sqrt
  "The square root: exact where n is the square of an exact number, else a double."
  [n]
  (cond
    (neg? n)     Double/NaN
    (integer? n) (let [[root left] (exact-integer-sqrt n)]
                   (if (zero? left) root (Math/sqrt n)))
    (ratio? n)   (/ (sqrt (numerator n)) (sqrt (denominator n)))
    :else        (Math/sqrt n)))
