;; riemann.config: the namespace that configurations are read in.
(ns riemann.config
  (:require [cauchy.histogram :as h]
            [riemann.core :as core]
            [riemann.common :as common :refer [event]]
            [riemann.service :as service]
            [riemann.folds :as folds]
            [riemann.index :as index]
            [riemann.logging :as logging]
            [riemann.pubsub :as pubsub]
            [riemann.test :as test :refer [tap io tests]]
            [riemann.time :refer [unix-time linear-time once! every!]]
            [riemann.client :as client :refer [udp-client tcp-client multi-client]]
            [riemann.query :as query]
            [riemann.repl :as repl]
            [riemann.pipeline :as pipes]
            [riemann.plugin :refer [load-plugin load-plugins]]
            [riemann.transport.tcp :as tcp]
            [riemann.transport.udp :as udp]
            [riemann.transport.websockets :as websockets]
            [riemann.transport.sse :as sse]
            [riemann.transport.graphite :as graphite]
            [riemann.transport.opentsdb :as opentsdb]
            [riemann.transport.rabbitmq :as rabbitmq]
            [riemann.kafka :as kafka :refer [kafka]]
            [riemann.graphite :as graphite-client]
            [riemann.logstash :as logstash]
            [clojure.java.io :refer [file]])
  (:use riemann.streams
        clojure.tools.logging))

(def core "The core that runs now." (atom (core/core)))

(def next-core "The core that the configuration is building." (atom (core/core)))

(def ^:dynamic *config-file* "The file being read." nil)

(defn kwargs-or-map
  "Options given as one map, or as keys and values."
  [options]
  (if (and (= 1 (count options)) (or (nil? (first options)) (map? (first options))))
    (first options)
    (apply hash-map options)))

(defn repl-server
  "Starts an nREPL server. Options: :host \"127.0.0.1\", :port 5557."
  [& options]
  (repl/start-server (kwargs-or-map options)))

(defn service!
  "Makes sure that a service, or one equivalent to it, is in the next core. Returns the one that is."
  [service]
  (locking core
    (let [running (first (filter (fn [s] (service/equiv? service s)) (:services @core)))
          chosen  (or running service)]
      (swap! next-core core/conj-service chosen)
      chosen)))

(defn instrumentation
  "Changes how the server tells of itself. Options: :interval 10, in seconds; :enabled? true."
  [& options]
  (swap! next-core core/conj-service
         (core/instrumentation-service (kwargs-or-map options))
         true))

(defn tcp-server
  "Riemann's protocol over TCP. Options: :host \"127.0.0.1\", :port 5555 (5554 with TLS),
  :so-backlog, :max-frame-size; for TLS :tls? true, :key, :cert, :ca-cert (PEM files; with :ca-cert
  clients must show a certificate that it signed)."
  [& options]
  (service! (tcp/tcp-server (kwargs-or-map options))))

(defn udp-server
  "Riemann's protocol over UDP. Options: :host \"127.0.0.1\", :port 5555, :max-size 16384 bytes,
  :so-rcvbuf bytes."
  [& options]
  (service! (udp/udp-server (kwargs-or-map options))))

(defn ws-server
  "HTTP and websockets: the page, queries and subscriptions. Options: :host \"127.0.0.1\",
  :port 5556."
  [& options]
  (service! (websockets/ws-server (kwargs-or-map options))))

(defn sse-server
  "Subscriptions as server-sent events. Options: :host \"127.0.0.1\", :port 5558, :headers {}."
  [& options]
  (service! (sse/sse-server (kwargs-or-map options))))

(defn graphite-server
  "Graphite's line protocol. Options: :host \"127.0.0.1\", :port 2003, :protocol :tcp (or :udp),
  :parser-fn (a function of an event, whose result is merged into it), :tags false."
  [& options]
  (service! (graphite/graphite-server (kwargs-or-map options))))

(defn opentsdb-server
  "OpenTSDB's line protocol. Options: :host \"127.0.0.1\", :port 4242, :parser-fn."
  [& options]
  (service! (opentsdb/opentsdb-server (kwargs-or-map options))))

(defn rabbitmq-transport
  "Messages from RabbitMQ; not in this build: it logs an error when it starts."
  [& options]
  (service! (rabbitmq/rabbitmq-transport (kwargs-or-map options))))

(defn kafka-consumer
  "Events from Kafka; not in this build: it logs an error when it starts."
  [& options]
  (service! (kafka/kafka-consumer (kwargs-or-map options))))

(defn journal
  "Puts a journal in front of the streams: a message is acknowledged once it is in there. What the
  streams had not seen when the server ended, they are given at the next start. Options:
  :durability :os (or :interval, with :ms 100; or :always), :compression :none (or :lz4),
  :dir \"/var/lib/cauchy/NAME\", :rewind seconds (what the streams had seen shortly before the end
  they are given again, so that windows are full; 0), :retention {:bytes n :age seconds}, how much of what the streams
  have seen is kept for replays (nothing)."
  [name & options]
  (riemann.config/-journal! name (kwargs-or-map options)))

(defn pipeline
  "Takes messages from source at the speed they come, keeps them in queue, and gives them to store at
  the speed it likes. Each is a URL, as of the command cauchy pipe, or a map: \"tcp://0.0.0.0:4242\"
  with framing \"lines\" is {:type :tcp :host \"0.0.0.0\" :port 4242 :framing :lines}. store may be
  a function, which is given a vector of messages, events where the framing is :events; what it
  throws on comes again. Options: :monitor seconds between figures in the log (none)."
  [name source queue store & options]
  (let [wanted (pipes/pipeline name source queue store (kwargs-or-map options))]
    (when-let [why (pipes/clash wanted (:services @next-core))]
      (throw (IllegalArgumentException. why)))
    (service! wanted)))

(defn streams
  "Adds streams to the next core. Every event that is received goes to each of them, in order."
  [& things]
  (swap! next-core (fn [core] (assoc core :streams (into (vec (:streams core)) things)))))

(defn index
  "The index of the next core, as a stream: events that it is given are kept, the latest of each
  host and service, until their ttl is over. Options: :persist true, so that it outlives the
  server; :dir \"/var/lib/cauchy/index\"."
  [& options]
  (riemann.config/-index-options! (kwargs-or-map options))
  (locking core
    (or (:index @next-core)
        (let [new-index (core/wrap-index (riemann.index/-kept) (:pubsub @core))]
          (swap! next-core assoc :index new-index)
          new-index))))

(defn history
  "A stream that keeps what it is given for ever, or as long as you say: each metric is a sample of
  the series of its host and service; a state that is new to its series is kept as a text. Options:
  :dir \"/var/lib/cauchy/history\"; :by [:zone \"canary\" :tags], what else tells series apart: an
  attribute, whether the event has a tag, all tags; :retention {:raw 1209600 :minutes 7776000
  :half-hours :forever :bytes n}, in seconds, how long samples, and what is kept of each minute and
  half hour, stay; :durability :interval (or :os, :always), :ms 1000; :ahead 3600, how many seconds
  in the future an event may lie; :full :refuse (or :roll-up, delete the oldest samples that have
  been rolled up), what to do when the disk is full; :scrub 86400, how often every byte is looked
  at; :optional false, whether the server starts without it if it cannot be opened."
  [& options]
  (riemann.config/-history! (kwargs-or-map options)))

(defn update-index
  "Deprecated: an index is a stream itself. Returns it."
  [index]
  index)

(defn delete-from-index
  "A stream that takes events out of the index: the one of the same host and service, or all that
  agree with the event in the given field, fields or function."
  ([] (fn [event] (core/delete-from-index @core event)))
  ([fields] (fn [event] (core/delete-from-index @core fields event))))

(defn periodically-expire
  "Takes expired events out of the index every interval seconds (default 10), and sends each
  through the streams with state \"expired\". Options: :keep-keys [:host :service] or :all."
  [& args]
  (let [[interval & options] (if (number? (first args)) args (cons 10 args))]
    (service! (core/reaper interval (or (kwargs-or-map options) {})))))

(defn reinject
  "A stream that sends events to the top-level streams again."
  [event]
  (core/stream! @core event))

(defn async-queue!
  "Passes events to its children on other threads, through a bounded queue. Options:
  :core-pool-size 1, :max-pool-size 128, :keep-alive-time 10, :keep-alive-unit MILLISECONDS,
  :queue-size 1000. A full queue throws RejectedExecutionException. With :queue {:journal \"name\"}
  events wait in a journal, and outlive the server."
  [name threadpool-options & children]
  (or (riemann.config/-journal-queue threadpool-options children)
      (let [s (service! (service/threadpool-service name threadpool-options))]
        (apply execute-on (riemann.service/-service-executor s) children))))

(defn publish
  "A stream that publishes events on a channel."
  [channel]
  (fn [event]
    (pubsub/publish! (:pubsub @core) channel event)))

(defn subscribe
  "Calls f with every event that is published on a channel."
  [channel f]
  (pubsub/subscribe! (:pubsub @core) channel f))

(defn clear!
  "Begins the next core anew."
  []
  (locking core
    (reset! next-core (core/core))))

(defn apply!
  "Makes the next core the one that runs."
  []
  (locking core
    (swap! core core/transition! @next-core)
    (clear!)))

(defn- -retire!
  "Stops the services of the core that runs, but for its servers: those are the program's. Lets go
  of the core in each: they would hold each other for ever."
  []
  (let [services (:services @core)]
    (doseq [s services]
      (when-not (:handle s) (service/stop! s)))
    (doseq [s services]
      (when-let [held (:core s)] (reset! held nil)))))

(defn start!
  "Starts the core that runs."
  []
  (core/start! @core))

(defn stop!
  "Stops the core that runs."
  []
  (core/stop! @core))

(defn read-strings
  "All forms of a text."
  [text]
  (riemann.config/-read-all text))

(defn validate-config
  "Reads a file and throws if its syntax is wrong."
  [path]
  (read-strings (slurp path)))

(def local-repo "Where plugins would be kept." "/etc/riemann/plugins")

(defn add-dependencies
  "Libraries cannot be loaded at run time: an error that says what to do."
  [& _]
  (throw (UnsupportedOperationException.
           "Java libraries cannot be loaded; put Clojure source beside the configuration and require it")))

(defmacro depend
  "Libraries cannot be loaded at run time: an error that says what to do."
  [plugin artifact version options]
  `(add-dependencies ~(str plugin) ~(str artifact) ~version))

(defn config-file-path
  "A path relative to the file being read."
  [path]
  (riemann.config/-relative-path *config-file* path))

(defn include
  "Reads another file, or every .clj and .config file below a folder in lexical order; relative to
  the file being read."
  [path]
  (doseq [found (riemann.config/-included-files (config-file-path path))]
    (binding [*config-file* found
              *ns* (find-ns 'riemann.config)]
      (load-file found))))
