//! Serves the figures at `/metrics`, one request a connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use ::pipe::{Pipeline, prometheus};

/// A head may be so long: a scraper's has some hundred bytes.
const HEAD_BYTES_MAX: u64 = 16 << 10;

/// One scraper is served at a time; one that is silent is given up.
const SILENCE_MAX: Duration = Duration::from_secs(2);

/// Binds, and serves on a thread until the program ends. Returns where.
pub fn serve(place: &str, pipeline: Arc<Pipeline>) -> Result<SocketAddr, String> {
    let told = |error: std::io::Error| format!("--metrics {place}: {error}");
    let listener = TcpListener::bind(place).map_err(told)?;
    let address = listener.local_addr().map_err(told)?;
    let thread = std::thread::Builder::new().name("pipe metrics".into());
    let serving = thread.spawn(move || {
        for stream in listener.incoming().flatten() {
            // The scraper left: it asks again.
            let _ = answer(stream, &pipeline);
        }
    });
    serving.map_err(told)?;
    Ok(address)
}

fn answer(mut stream: TcpStream, pipeline: &Pipeline) -> std::io::Result<()> {
    stream.set_read_timeout(Some(SILENCE_MAX))?;
    stream.set_write_timeout(Some(SILENCE_MAX))?;
    let mut head = BufReader::new(Read::by_ref(&mut stream).take(HEAD_BYTES_MAX)).lines();
    let request = head.next().transpose()?.unwrap_or_default();
    for line in head {
        if line?.is_empty() {
            break;
        }
    }
    let (status, body) = if request.starts_with("GET /metrics ") {
        let mut body = prometheus(&[(pipeline.name().to_owned(), pipeline.figures())]);
        body.push_str("# HELP cauchy_cpu_seconds_total Processor time used.\n");
        body.push_str("# TYPE cauchy_cpu_seconds_total counter\n");
        body.push_str(&format!(
            "cauchy_cpu_seconds_total {}\n",
            crate::telemetry::cpu_s()
        ));
        ("200 OK", body)
    } else {
        ("404 Not Found", "only GET /metrics\n".to_owned())
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
