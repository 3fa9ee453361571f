;; riemann.client: sends events to a server, and asks it questions.
(ns riemann.client)

(defn send-event
  "Sends one event. Returns what can be dereferenced for the answer."
  [client event]
  (riemann.client/send-events client [event]))

(defn send-exception
  "Sends an event that tells of an exception, with the service's name."
  [client service exception]
  (send-event client (assoc (riemann.common/exception->event exception)
                            :service service
                            :exception nil
                            :event nil)))

(defn send-msg
  "Sends a message: its query if it has one, else its events."
  [client msg]
  (if-let [query (:query msg)]
    (map-promise (fn [events] {:ok true :events events})
                 (riemann.client/query client (or (:string query) query)))
    (riemann.client/send-events client (:events msg))))

(defn flush!
  "Events are sent as they come; there is nothing to flush."
  [client]
  client)

(defn reconnect!
  "Closes the client's connection, and connects again."
  [client]
  (close! client)
  (connect! client))

(defn transport
  "What a client sends with: itself."
  [client]
  client)

(defn batch-client
  "The client: messages that wait are sent in one write, without being asked."
  ([client] client)
  ([client n] client))

(defn multi-client
  "A client that uses each of several clients in turn."
  [clients]
  (riemann.client/-multi-client clients))
