//! Riemann's messages as the generated code of another implementation knows them.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub struct State {
    #[prost(int64, optional, tag = "1")]
    pub time: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub state: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub service: Option<String>,
    #[prost(string, optional, tag = "4")]
    pub host: Option<String>,
    #[prost(string, optional, tag = "5")]
    pub description: Option<String>,
    #[prost(bool, optional, tag = "6")]
    pub once: Option<bool>,
    #[prost(string, repeated, tag = "7")]
    pub tags: Vec<String>,
    #[prost(float, optional, tag = "8")]
    pub ttl: Option<f32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Event {
    #[prost(int64, optional, tag = "1")]
    pub time: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub state: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub service: Option<String>,
    #[prost(string, optional, tag = "4")]
    pub host: Option<String>,
    #[prost(string, optional, tag = "5")]
    pub description: Option<String>,
    #[prost(string, repeated, tag = "7")]
    pub tags: Vec<String>,
    #[prost(float, optional, tag = "8")]
    pub ttl: Option<f32>,
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<Attribute>,
    #[prost(int64, optional, tag = "10")]
    pub time_micros: Option<i64>,
    #[prost(sint64, optional, tag = "13")]
    pub metric_sint64: Option<i64>,
    #[prost(double, optional, tag = "14")]
    pub metric_d: Option<f64>,
    #[prost(float, optional, tag = "15")]
    pub metric_f: Option<f32>,
    #[prost(bytes = "vec", optional, tag = "100")]
    pub metric_histogram: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Query {
    #[prost(string, optional, tag = "1")]
    pub string: Option<String>,
}

/// `key` is required; as an optional, its absence can be seen.
#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    #[prost(string, optional, tag = "1")]
    pub key: Option<String>,
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Msg {
    #[prost(bool, optional, tag = "2")]
    pub ok: Option<bool>,
    #[prost(string, optional, tag = "3")]
    pub error: Option<String>,
    #[prost(message, repeated, tag = "4")]
    pub states: Vec<State>,
    #[prost(message, optional, tag = "5")]
    pub query: Option<Query>,
    #[prost(message, repeated, tag = "6")]
    pub events: Vec<Event>,
}
