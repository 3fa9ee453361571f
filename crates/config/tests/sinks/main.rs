//! Configurations with sinks, and what arrives.

mod listener;
mod pretend;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use clock::VirtualClock;
use config::{Configuration, Kept, Mode, Settings, Text, load};
use event::{Draft, Event, Number, Time};
use listener::Listener;
use pretend::Pretend;

fn settings() -> Settings {
    Settings {
        mode: Mode::Run,
        host: Arc::new(Pretend),
        clock: Arc::new(VirtualClock::new()),
        kept: Kept::default(),
        wire: None,
        telemetry: None,
    }
}

/// A running configuration; `PORT` in it is that of the listener.
fn run(text: &str, listener: &Listener) -> Configuration {
    let text = text.replace("PORT", &listener.port.to_string());
    let configuration = match load(
        &Text::Source {
            name: "sinks.config",
            text: &text,
        },
        settings(),
    ) {
        Ok(configuration) => configuration,
        Err(problems) => panic!("{}", problems[0].text),
    };
    configuration
        .apply()
        .unwrap_or_else(|problem| panic!("{}", problem.text));
    configuration
}

fn event() -> Event {
    Draft {
        host: Some("www1.example.com".into()),
        service: Some("api rate".into()),
        state: Some("critical".into()),
        description: Some("too slow".into()),
        metric: Some(Number::F64(2.5)),
        tags: Some(vec!["a".into()]),
        time: Some(Time::from_s(1_500_000_000)),
        ..Draft::record()
    }
    .build()
}

fn send(configuration: &Configuration, event: Event) {
    configuration.stream_events(vec![event], |_, message| panic!("{message:?}"));
}

/// What a stream threw on an event.
fn thrown(configuration: &Configuration, event: Event) -> Option<String> {
    let thrown = Mutex::new(None);
    configuration.stream_events(vec![event], |_, message| *thrown.lock().unwrap() = message);
    thrown.into_inner().unwrap()
}

/// What is said of a configuration that does not load.
#[track_caller]
fn check_error(text: &str, expected: &str) {
    match load(
        &Text::Source {
            name: "sinks.config",
            text,
        },
        settings(),
    ) {
        Ok(_) => panic!("it loads"),
        Err(problems) => assert_eq!(problems[0].message, expected),
    }
}

#[test]
fn graphite_gets_lines() {
    let listener = Listener::lines();
    let configuration = run(
        "(def graph (graphite {:host \"127.0.0.1\" :port PORT}))
         (def by-function (graphite {:host \"127.0.0.1\" :port PORT
                                     :path (fn [e] (str \"own.\" (:service e)))}))
         (def tagged (graphite {:port PORT
                                :path (riemann.graphite/graphite-path-tags [:host :rack])}))
         (streams graph by-function tagged (smap (fn [e] [e (assoc e :metric nil)]) graph))",
        &listener,
    );
    send(&configuration, event());
    let lines: Vec<String> = (0..4).map(|_| listener.next()).collect();
    assert_eq!(
        lines,
        [
            "com.example.www1.api.rate 2.5 1500000000",
            "own.api.rate 2.5 1500000000",
            "api.rate;host=www1.example.com 2.5 1500000000",
            "com.example.www1.api.rate 2.5 1500000000",
        ]
    );
    let stats = configuration.outlet_stats();
    assert_eq!(stats.len(), 1, "equal targets share an outlet");
    assert_eq!(stats[0].accepted, 4);
}

#[test]
fn mail_is_written_by_functions_of_the_configuration() {
    let listener = Listener::smtp();
    let configuration = run(
        "(def email (mailer {:host \"127.0.0.1\" :port PORT :from \"riemann@example.com\"
                             :subject (fn [events] (str (count events) \" events\"))
                             :body (fn [events] (apply str (map :service events)))}))
         (streams (email \"a@example.com\" \"b@example.com\")
                  (smap (fn [e] [e [e]]) (email [\"c@example.com\"])))",
        &listener,
    );
    send(&configuration, event());
    let letter = listener.next();
    for part in [
        "MAIL FROM:<riemann@example.com>",
        "RCPT TO:<a@example.com>\nRCPT TO:<b@example.com>\n",
        "Subject: 1 events\n",
        "\n\napi rate",
    ] {
        assert!(letter.contains(part), "no {part:?} in {letter}");
    }
    let letter = listener.next();
    assert!(letter.contains("Subject: 2 events\n"), "{letter}");
    assert!(letter.contains("RCPT TO:<c@example.com>\n"), "{letter}");
}

#[test]
fn mail_may_be_html_and_have_further_readers() {
    let listener = Listener::smtp();
    let configuration = run(
        "(def email (mailer {:host \"127.0.0.1\" :port PORT :cc \"c@example.com\"
                             :bcc [\"d@example.com\"]
                             :subject \"fixed\"
                             :body (fn [_] [:alternative
                                            {:type \"text/plain\" :content \"plain\"}
                                            {:type \"text/html; charset=utf-8\"
                                             :content \"<b>rich</b>\"}])}))
         (streams (email \"a@example.com\"))",
        &listener,
    );
    send(&configuration, event());
    let letter = listener.next();
    for part in [
        "RCPT TO:<a@example.com>\nRCPT TO:<c@example.com>\nRCPT TO:<d@example.com>\n",
        "Cc: c@example.com\n",
        "Subject: fixed\n",
        "Content-Type: text/html",
        "\n\n<b>rich</b>",
    ] {
        assert!(letter.contains(part), "no {part:?} in {letter}");
    }
    assert!(!letter.contains("Bcc"), "{letter}");
}

#[test]
fn mail_in_riemanns_words() {
    let listener = Listener::smtp();
    let configuration = run(
        "(def email (mailer {:host \"127.0.0.1\" :port PORT} {:to \"a@example.com\"}))
         (streams (email))",
        &listener,
    );
    send(&configuration, event());
    let letter = listener.next();
    assert!(
        letter.contains("Subject: www1.example.com api rate critical\n"),
        "{letter}"
    );
    assert!(
        letter.contains("www1.example.com api rate critical (2.5)\n"),
        "{letter}"
    );
}

#[test]
fn slack_gets_what_the_formatter_gives() {
    let listener = Listener::http();
    let configuration = run(
        "(streams (slack {:webhook_uri \"http://127.0.0.1:PORT/hook\"}
                         {:username \"bot\" :channel \"#alerts\"
                          :formatter (fn [e] {:text (:service e) :icon \":fire:\"})}))",
        &listener,
    );
    send(&configuration, event());
    assert_eq!(
        listener.next(),
        "POST /hook HTTP/1.1\ncontent-type: application/x-www-form-urlencoded\n\
         payload=%7B%22channel%22%3A%22%23alerts%22%2C%22username%22%3A%22bot%22%2C\
         %22icon_emoji%22%3A%22%3Afire%3A%22%2C%22text%22%3A%22api+rate%22%7D"
    );
}

#[test]
fn formatters_give_maps() {
    let listener = Listener::http();
    let configuration = run(
        "(def formatted (riemann.slack/default-formatter {:host \"h\" :service \"<s>\"}))
         (streams (fn [e] (throw (Exception. (get-in formatted [:attachments 0 :fallback])))))",
        &listener,
    );
    let text = thrown(&configuration, event()).unwrap();
    assert!(text.contains("&lt;s&gt;"), "{text}");
}

#[test]
fn what_a_formatter_throws_is_the_streams() {
    let listener = Listener::http();
    let configuration = run(
        "(streams (slack {:webhook_uri \"http://127.0.0.1:PORT/\"}
                         {:formatter (fn [e] (throw (Exception. \"no words\")))}))",
        &listener,
    );
    assert_eq!(thrown(&configuration, event()).as_deref(), Some("no words"));
}

#[test]
fn pagerduty_gets_incidents() {
    let listener = Listener::http();
    let configuration = run(
        "(def pd (pagerduty {:service-key \"K\" :version :v2 :url \"http://127.0.0.1:PORT/v2\"
                             :formatter (fn [e] {:summary (:service e)})}))
         (def old (pagerduty {:service-key \"K\" :url \"http://127.0.0.1:PORT/v1\"
                              :formatter (fn [e] {:incident_key \"I\"})}))
         (streams (with :dedup-key \"D\" (:trigger pd)) (:resolve old))",
        &listener,
    );
    send(&configuration, event());
    let mut requests = [listener.next(), listener.next()];
    requests.sort();
    assert_eq!(
        requests,
        [
            "POST /v1 HTTP/1.1\ncontent-type: application/json\n\
         {\"service_key\":\"K\",\"event_type\":\"resolve\",\"incident_key\":\"I\"}",
            "POST /v2 HTTP/1.1\ncontent-type: application/json\n\
         {\"routing_key\":\"K\",\"event_action\":\"trigger\",\"dedup_key\":\"D\",\
         \"payload\":{\"summary\":\"api rate\"}}",
        ]
    );
}

#[test]
fn influxdb_gets_points() {
    let listener = Listener::http();
    let configuration = run(
        "(streams (influxdb {:host \"127.0.0.1\" :port PORT :db \"d\" :tags {:dc \"x\"}}))",
        &listener,
    );
    send(
        &configuration,
        event().edit(|draft| draft.metric = Some(Number::Int(7))),
    );
    assert_eq!(
        listener.next(),
        "POST /write?db=d&precision=u HTTP/1.1\ncontent-type: text/plain; charset=utf-8\n\
         api\\ rate,dc=x,host=www1.example.com value=7i,state=\"critical\",\
         description=\"too slow\" 1500000000000000\n"
    );
}

#[test]
fn influxdb_events_may_say_themselves_what_is_written() {
    let listener = Listener::http();
    let configuration = run(
        "(streams (smap (fn [e] {:time 5.5 :measurement \"m\" :influxdb-tags {:a \"b\"}
                                 :influxdb-fields {:f 1 :g \"t\" :h nil} :db \"own\"
                                 :precision :seconds})
                        (influxdb {:host \"127.0.0.1\" :port PORT :version :new-stream})))",
        &listener,
    );
    send(&configuration, event());
    assert_eq!(
        listener.next(),
        "POST /write?db=own&precision=u HTTP/1.1\ncontent-type: text/plain; charset=utf-8\n\
         m,a=b f=1i,g=\"t\" 5000000\n"
    );
}

#[test]
fn elasticsearch_gets_documents_and_bulks() {
    let listener = Listener::http();
    let configuration = run(
        "(def endpoint \"http://127.0.0.1:PORT\")
         (def one (elasticsearch {:es-endpoint endpoint :username \"u\" :password \"p\"}
                                 (fn [e] {:s (:service e)})))
         (def many (elasticsearch-bulk
                     {:es-endpoint endpoint
                      :formatter (default-bulk-formatter {:es-index \"i\" :type \"t\"
                                                          :es-action \"index\"
                                                          :index-suffix \"-yyyy\"})}))
         (streams one (with :es-id \"7\" (smap (fn [e] [(select-keys e [:host :time :es-id])]) many)))",
        &listener,
    );
    send(&configuration, event());
    let mut requests = [listener.next(), listener.next()];
    requests.sort();
    assert_eq!(
        requests,
        [
            "POST /_bulk HTTP/1.1\ncontent-type: application/x-ndjson\n\
         {\"index\":{\"_index\":\"i-2017\",\"_type\":\"t\",\"_id\":\"7\"}}\n\
         {\"@timestamp\":\"2017-07-14T02:40:00.000Z\",\"host\":\"www1.example.com\"}\n",
            "POST /riemann-2017.07.14/event HTTP/1.1\nauthorization: Basic dTpw\n\
         content-type: application/json\n{\"s\":\"api rate\"}",
        ]
    );
}

#[test]
fn http_calls_give_the_answer_as_a_map() {
    let listener = Listener::http();
    run(
        "(require '[clj-http.client :as client])
         (let [answer (client/post \"http://127.0.0.1:PORT/a\"
                                   {:form-params {:a \"b c\"} :headers {\"X-Test\" \"1\"}
                                    :query-params {:q 1} :basic-auth [\"u\" \"p\"] :as :json})]
           (assert (= [200 {:a [1]} \"application/json\"]
                      [(:status answer) (:body answer) (get (:headers answer) \"content-type\")])))
         (assert (= 500 (:status (client/get \"http://127.0.0.1:PORT/500\"
                                             {:throw-exceptions false}))))
         (try (client/get \"http://127.0.0.1:PORT/500\")
              (assert false)
              (catch clojure.lang.ExceptionInfo e
                (assert (= [\"clj-http: status 500\" 500]
                           [(.getMessage e) (:status (ex-data e))]))))
         (let [later (promise)]
           (client/get \"http://127.0.0.1:PORT/a\" {:async? true}
                       (fn [answer] (deliver later (client/success? answer)))
                       (fn [thrown] (deliver later thrown)))
           (assert (true? @later)))
         (assert (= \"a=1&b=x+y&b=z\"
                    (client/generate-query-string {:a 1 :b [\"x y\" \"z\"]})))
         (assert (= [false true true false]
                    ((juxt client/success? client/client-error? client/missing? client/conflict?)
                     {:status 404})))",
        &listener,
    );
    assert_eq!(
        listener.next(),
        "POST /a?q=1 HTTP/1.1\nx-test: 1\ncontent-type: application/x-www-form-urlencoded\n\
         authorization: Basic dTpw\na=b+c"
    );
}

#[test]
fn missing_options_are_named() {
    check_error(
        "(pagerduty {})",
        "pagerduty: the option :service-key is missing",
    );
    check_error(
        "(datadog {:key 1})",
        "datadog: the option :api-key is missing",
    );
    check_error(
        "(telegram {:token \"t\"})",
        "telegram: the option :chat_id is missing",
    );
    check_error("(mailgun)", "mailgun: the option :sandbox is missing");
    check_error(
        "(slack {} {})",
        "slack: the option :webhook_uri is missing (or :account and :token)",
    );
    check_error(
        "(graphite 5)",
        "graphite takes a map of options, not java.lang.Long",
    );
    check_error(
        "(graphite {:port 99999})",
        "graphite: :port 99999 is not a port",
    );
    check_error(
        "(graphite {:protocol :sctp})",
        "graphite: :protocol is :tcp or :udp, not sctp",
    );
    check_error(
        "(tcp-client {:tls? true :ca-cert \"/no/such.pem\"})",
        "tcp-client: /no/such.pem: I/O error: No such file or directory (os error 2)",
    );
    check_error(
        "((mailer) {:host \"h\"})",
        "mailer: a recipient is a string, not ({:host \"h\"}); \
         (the-mailer \"recipient\") gives the stream",
    );
}

/// As an unset variable of the environment makes them.
#[test]
fn options_that_are_nil_let_a_configuration_load() {
    let listener = Listener::http();
    run(
        "(streams (:trigger (pagerduty {:service-key (System/getenv \"NO_KEY\")})))",
        &listener,
    );
}

#[test]
fn what_is_not_in_this_build_loads_and_throws() {
    let listener = Listener::http();
    let configuration = run(
        "(kafka-consumer {:topics [\"t\"]})
         (rabbitmq-transport)
         (streams ((kafka) \"topic\"))",
        &listener,
    );
    assert_eq!(
        thrown(&configuration, event()).as_deref(),
        Some("kafka: not available in this build of cauchy")
    );
}

#[test]
fn retiring_lets_out_what_waits() {
    let listener = Listener::lines();
    let configuration = run("(streams (graphite {:port PORT}))", &listener);
    for _ in 0..100 {
        send(&configuration, event());
    }
    configuration.retire(Duration::from_secs(60));
    for _ in 0..100 {
        assert!(listener.next().starts_with("com.example.www1"));
    }
}

#[test]
fn every_sink_is_there_without_asking() {
    let names = "boundary clickhouse cloudwatch datadog druid mailer graphite hipchat influxdb \
        influxdb2 kafka kairosdb keenio librato-metrics logentries logstash mailgun msteams nagios \
        netuitive opentsdb opsgenie pagerduty pushover rabbitmq shinken slack sns-publisher \
        stackdriver prometheus elasticsearch default-bulk-formatter elasticsearch-bulk telegram \
        twilio victorops xymon zabbix udp-client tcp-client multi-client";
    run(
        &format!("(doseq [f [{names}]] (assert (fn? f)))"),
        &Listener::lines(),
    );
}

#[test]
fn every_sink_takes_riemanns_arguments() {
    run(
        "(require 'riemann.blueflood)
         (streams
           ((boundary \"e\" \"t\") {:metric-id \"m\"}) (clickhouse {:host \"h\"})
           (cloudwatch {:access-key \"a\" :secret-key \"s\"}) (datadog {:api-key \"k\"}) (druid {})
           ((mailer) \"a\") (hipchat {:token \"t\" :room 1}) (influxdb2 {}) (kairosdb {})
           (keenio \"c\" \"p\" \"k\") (:gauge (librato-metrics \"u\" \"k\"))
           (logentries {:token \"t\"}) (logstash {}) ((mailgun {:sandbox \"s\" :service-key \"k\"}) \"a\")
           (msteams {:url \"u\"}) (nagios {}) (nagios {:encryption riemann.nagios/XOR})
           (netuitive {:api-key \"k\"}) (opentsdb {}) (:resolve (opsgenie {:api-key \"k\"}))
           (:trigger (opsgenie \"k\" \"r\")) (pushover \"t\" \"u\") (pushover \"t\" \"u\" {})
           ((rabbitmq) {}) (shinken {}) (slack \"a\" \"t\" \"u\" \"c\") ((sns-publisher {:access-key \"a\" :secret-key \"s\"}) \"arn:aws:sns:eu-west-1:1:t\")
           (stackdriver {:api-key \"k\"}) (prometheus {}) (riemann.prometheus/prometheus-batch {})
           (elasticsearch {}) ((twilio {:account \"a\" :service-key \"k\"}) \"1\")
           (:info (victorops \"a\" \"r\")) (xymon {}) (xymon {:hosts [{:host \"a\"} {:host \"b\"}]})
           (zabbix {}) (riemann.blueflood/blueflood-ingest {}))",
        &Listener::lines(),
    );
}
