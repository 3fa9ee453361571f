//! The sinks that a configuration can name: a file a sink, each a constructor that reads options
//! and gives a stream in front of an outlet.

mod aws;
mod blueflood;
mod boundary;
mod clickhouse;
mod cloudwatch;
mod datadog;
mod druid;
mod elasticsearch;
mod graphite;
mod hipchat;
mod influxdb;
mod json;
mod kairosdb;
mod keenio;
mod letter;
mod librato;
mod logentries;
mod logstash;
mod mailer;
mod mailgun;
mod msteams;
mod nagios;
mod netuitive;
mod opentsdb;
mod opsgenie;
mod options;
mod outlets;
mod pagerduty;
mod prometheus;
mod pushover;
mod shinken;
pub mod sink;
mod slack;
mod sns;
mod stackdriver;
mod stand_in;
mod telegram;
mod twilio;
mod unavailable;
mod victorops;
mod xymon;
mod zabbix;

use std::sync::Arc;

use clj::{Native, Runtime, Value};

use crate::queue::SinkFn;

pub use json::to_value_with;
pub use options::{Options, text};
pub use outlets::Outlets;

/// Each namespace, what it defines, and which of that a configuration sees without asking.
const NAMESPACES: &[(&str, &[Native], &[&str])] = &[
    ("riemann.blueflood", blueflood::NATIVES, &[]),
    ("riemann.boundary", boundary::NATIVES, &["boundary"]),
    ("riemann.clickhouse", clickhouse::NATIVES, &["clickhouse"]),
    ("riemann.cloudwatch", cloudwatch::NATIVES, &["cloudwatch"]),
    ("riemann.datadog", datadog::NATIVES, &["datadog"]),
    ("riemann.druid", druid::NATIVES, &["druid"]),
    (
        "riemann.elasticsearch",
        elasticsearch::NATIVES,
        &[
            "elasticsearch",
            "default-bulk-formatter",
            "elasticsearch-bulk",
        ],
    ),
    ("riemann.email", mailer::NATIVES, &["mailer"]),
    ("postal.core", mailer::POSTAL, &[]),
    ("riemann.graphite", graphite::NATIVES, &["graphite"]),
    ("riemann.hipchat", hipchat::NATIVES, &["hipchat"]),
    ("riemann.influxdb", influxdb::NATIVES, &["influxdb"]),
    ("riemann.influxdb2", influxdb::NATIVES_2, &["influxdb2"]),
    ("riemann.kafka", unavailable::KAFKA, &["kafka"]),
    ("riemann.kairosdb", kairosdb::NATIVES, &["kairosdb"]),
    ("riemann.keenio", keenio::NATIVES, &["keenio"]),
    ("riemann.librato", librato::NATIVES, &["librato-metrics"]),
    ("riemann.logentries", logentries::NATIVES, &["logentries"]),
    ("riemann.logstash", logstash::NATIVES, &["logstash"]),
    ("riemann.mailgun", mailgun::NATIVES, &["mailgun"]),
    ("riemann.msteams", msteams::NATIVES, &["msteams"]),
    ("riemann.nagios", nagios::NATIVES, &["nagios"]),
    ("riemann.netuitive", netuitive::NATIVES, &["netuitive"]),
    ("riemann.opentsdb", opentsdb::NATIVES, &["opentsdb"]),
    ("riemann.opsgenie", opsgenie::NATIVES, &["opsgenie"]),
    ("riemann.pagerduty", pagerduty::NATIVES, &["pagerduty"]),
    ("riemann.prometheus", prometheus::NATIVES, &["prometheus"]),
    ("riemann.pushover", pushover::NATIVES, &["pushover"]),
    ("riemann.rabbitmq", unavailable::RABBITMQ, &["rabbitmq"]),
    ("riemann.shinken", shinken::NATIVES, &["shinken"]),
    ("riemann.slack", slack::NATIVES, &["slack"]),
    ("riemann.sns", sns::NATIVES, &["sns-publisher"]),
    (
        "riemann.stackdriver",
        stackdriver::NATIVES,
        &["stackdriver"],
    ),
    ("riemann.telegram", telegram::NATIVES, &["telegram"]),
    ("riemann.twilio", twilio::NATIVES, &["twilio"]),
    ("riemann.victorops", victorops::NATIVES, &["victorops"]),
    ("riemann.xymon", xymon::NATIVES, &["xymon"]),
    ("riemann.zabbix", zabbix::NATIVES, &["zabbix"]),
];

/// Constructors that a configuration does not see without asking.
const UNREFERRED: [(&str, &str); 2] = [
    ("riemann.blueflood", "-ingest"),
    ("riemann.prometheus", "prometheus-batch"),
];

/// Defines the constructors of all sinks, and makes them visible to configurations.
pub fn install(rt: &Runtime) {
    let config = rt.ensure_namespace("riemann.config");
    for (namespace, natives, referred) in NAMESPACES {
        rt.define_natives(namespace, natives);
        for name in *referred {
            if let Some(var) = rt.var(namespace, name) {
                config.refer(name, var);
            }
        }
    }
    for (namespace, natives, referred) in NAMESPACES {
        let more = |native: &&Native| {
            referred.contains(&native.name) || UNREFERRED.contains(&(namespace, native.name))
        };
        for native in natives.iter().filter(more) {
            let var = rt.var(namespace, native.name);
            if let Some(var) = var.filter(|_| native.name != "default-bulk-formatter") {
                var.set_root(Some(Value::Fn(Arc::new(SinkFn(*native)))));
            }
        }
    }
    nagios::install(rt);
}
