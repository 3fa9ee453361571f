;; riemann.expiration: finds the events whose ttl is over, without looking at all of them.
(ns riemann.expiration)

(def default-ttl "Seconds that an event without a ttl lives." 60)

(defn expiration-time
  "The unix time at which an event's ttl is over."
  [event]
  (+ (or (:time event) (riemann.time/unix-time))
     (or (:ttl event) default-ttl)))

(defn expired?
  "True of an event of state \"expired\", or whose ttl is over."
  [event]
  (or (= "expired" (:state event))
      (< (expiration-time event) (riemann.time/unix-time))))

(defprotocol Tracker
  (update! [tracker event] "Notes the latest event of its host and service.")
  (expired-events! [tracker] "Forgets the events whose ttl is over, and returns them.")
  (shutdown! [tracker] "Forgets all events, and returns them."))

(defn- forget [state key]
  (if-let [[due _] (get-in state [:events key])]
    (-> state
        (update :queue disj [due key])
        (update :events dissoc key))
    state))

(defn- note [state event]
  (let [key   [(str (:host event)) (str (:service event))]
        state (forget state key)]
    (if (= "expired" (:state event))
      state
      (let [due (expiration-time event)]
        (-> state
            (update :queue conj [due key])
            (assoc-in [:events key] [due event]))))))

(def ^:private nothing {:queue (sorted-set) :events {}})

(defn- take-due [state now]
  (loop [state state due []]
    (let [[at key] (first (:queue state))]
      (if (and at (< at now))
        (recur (forget state key) (conj due (second (get-in state [:events key]))))
        [state due]))))

(defrecord PriorityMapTracker [state]
  Tracker
  (update! [this event]
    (swap! state note event)
    this)
  (expired-events! [this]
    (locking state
      (let [[left due] (take-due @state (riemann.time/unix-time))]
        (reset! state left)
        due)))
  (shutdown! [this]
    (locking state
      (let [events (mapv second (vals (:events @state)))]
        (reset! state nothing)
        events))))

(defn tracker!
  "A tracker that knows no event yet."
  []
  (PriorityMapTracker. (atom nothing)))
