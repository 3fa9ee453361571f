;; riemann.repl: nREPL.
(ns riemann.repl)

(defn start-server
  "Says that there is no nREPL server; a configuration that asks for one goes on without it."
  [options]
  (clojure.tools.logging/warn "repl-server: there is no nREPL server in this version; going on without it")
  nil)

(def start-server! start-server)

(defn stop-server! [] nil)
