//! Where events leave: a module a target, all behind one queue.
//!
//! An [`outlet::Outlet`] owns a bounded queue and a thread; a [`target::Target`] knows how to reach
//! one place. A stream offers items to the outlet and goes on; delivery, retries and losses happen
//! on the outlet's thread and show in its [`stats::Stats`]. Making a target never connects: the
//! first delivery does. What a target sends is built by pure functions, tested byte by byte.
//!
//! This crate never blocks a stream and never evaluates the language: what a configuration computes
//! (a subject, a path, a message) is in the item already.

pub mod aws;
pub mod blueflood;
pub mod boundary;
pub mod clickhouse;
pub mod cloudwatch;
pub mod datadog;
pub mod document;
pub mod druid;
pub mod durable;
pub mod elasticsearch;
pub mod event_json;
pub mod fetch;
pub mod figures;
pub mod graphite;
pub mod hipchat;
pub mod http;
pub mod influxdb;
pub mod kairosdb;
pub mod keenio;
pub mod librato;
pub mod logentries;
pub mod logstash;
pub mod mail;
pub mod mailgun;
pub mod msteams;
pub mod nagios;
pub mod netuitive;
pub mod opentsdb;
pub mod opsgenie;
pub mod outlet;
pub mod pace;
pub mod pagerduty;
pub mod policy;
pub mod prometheus;
pub mod pushover;
mod queue;
pub mod riemann;
#[cfg(test)]
mod sample;
pub mod shinken;
pub mod slack;
pub mod sns;
pub mod socket;
pub mod stackdriver;
pub mod stats;
pub mod target;
pub mod telegram;
pub mod tls;
pub mod twilio;
pub mod url;
pub mod victorops;
pub mod words;
pub mod xymon;
pub mod zabbix;
