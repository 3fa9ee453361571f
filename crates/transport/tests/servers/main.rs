//! The servers, over real sockets.

mod graphite;
mod http;
mod httptrap;
mod keeping;
mod opentsdb;
mod recorder;
mod sse;
mod tcp;
mod tls;
mod udp;
mod websocket;
mod wire;
