;; riemann.repl: nREPL.
(ns riemann.repl)

(defn start-server
  "Starts an nREPL server. Options: :host \"127.0.0.1\", :port 5557. Whoever can connect can do
  whatever the server can: think twice before a :host other than this machine's own."
  [options]
  (riemann.repl/-start! (merge {:host "127.0.0.1" :port 5557} options)))

(def start-server! start-server)

(defn stop-server!
  "Stops the nREPL server."
  []
  (riemann.repl/-stop!))
