;; riemann.client: sends events to a server, and asks it questions.
(ns riemann.client)

(defn send-event
  "Sends one event. Returns what can be dereferenced for the answer."
  [client event]
  (riemann.client/send-events client [event]))

(defn multi-client
  "A client that uses each of several clients in turn."
  [clients]
  (riemann.client/-multi-client clients))
