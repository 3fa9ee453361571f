//! A server under mixed load for minutes: nothing unacknowledged, and memory that stays as it is.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::steps::{root, run};

const LENGTH: Duration = Duration::from_secs(600);
/// Shortest that says anything: some windows and sweeps.
const LENGTH_MIN: Duration = Duration::from_secs(20);
const SAMPLE_INTERVAL: Duration = Duration::from_millis(500);
/// How long a load may take to end after its time: it waits ten seconds for answers.
const END_PATIENCE: Duration = Duration::from_secs(60);
/// The last quarter's median memory may be that many times the second's. The first fills the index,
/// the buffers and the allocator's pools.
const GROWTH_MAX: f64 = 1.10;

/// A load beside the others: its name and its flags.
const LOADS: [(&str, &[&str]); 5] = [
    (
        "tcp",
        &[
            "-e", "100", "-c", "3", "--keys", "20000", "--rate", "200000",
        ],
    ),
    (
        "tcp",
        &[
            "-c", "200", "--keys", "1000", "--rate", "10000", "--ttl", "2",
        ],
    ),
    ("udp", &["--keys", "1000", "--rate", "10000"]),
    ("ws", &["-c", "2", "--keys", "100", "--rate", "1000"]),
    ("graphite", &["-c", "2", "--keys", "500", "--rate", "5000"]),
];

/// Runs for ten minutes, or for the seconds given.
pub fn soak(arguments: &[String]) -> Result<(), String> {
    let length = match arguments {
        [] => LENGTH,
        [seconds] => Duration::from_secs(
            seconds
                .parse()
                .map_err(|_| format!("soak takes a number of seconds, not '{seconds}'"))?,
        ),
        _ => return Err("soak takes a number of seconds, and nothing else".into()),
    };
    if length < LENGTH_MIN {
        return Err(format!("soak takes at least {} s", LENGTH_MIN.as_secs()));
    }
    let mut build = Command::new("cargo");
    run(
        "the program, as users build it",
        build.args(["build", "--release", "--bin", "cauchy"]),
    )?;
    let server = Server::start()?;
    let samples = under_load(&server, length)?;
    let (early, late) = (quarter(&samples, 1), quarter(&samples, 3));
    println!("resident memory: {early:.1} MB in the second quarter, {late:.1} MB in the last");
    if late > early * GROWTH_MAX {
        return Err(format!("memory grew by more than {GROWTH_MAX} times"));
    }
    Ok(())
}

/// Loads the server for that long; gives its memory over time, in MB.
fn under_load(server: &Server, length: Duration) -> Result<Vec<f64>, String> {
    let mut loads = Vec::new();
    for (protocol, flags) in LOADS {
        loads.push((protocol, server.load(protocol, flags, length)?));
    }
    let (started, mut samples) = (Instant::now(), Vec::new());
    let mut told = started;
    while started.elapsed() < length {
        std::thread::sleep(SAMPLE_INTERVAL);
        samples.push(server.resident_mb()?);
        if told.elapsed() > length / 10 {
            told = Instant::now();
            let resident = samples.last().copied().unwrap_or_default();
            println!("{:5} s {resident:7.1} MB", started.elapsed().as_secs());
        }
    }
    for (protocol, load) in &mut loads {
        await_success(protocol, load, started + length + END_PATIENCE)?;
    }
    Ok(samples)
}

fn await_success(protocol: &str, load: &mut Child, until: Instant) -> Result<(), String> {
    loop {
        match load.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("the load over {protocol} ended with {status}")),
            None if Instant::now() > until => {
                let _ = load.kill();
                return Err(format!("the load over {protocol} does not end"));
            }
            None => std::thread::sleep(SAMPLE_INTERVAL),
        }
    }
}

/// The median of one of four parts.
fn quarter(samples: &[f64], number: usize) -> f64 {
    let length = samples.len() / 4;
    let mut part = samples[number * length..(number + 1) * length].to_vec();
    part.sort_by(f64::total_cmp);
    part[length / 2]
}

/// The program with servers of each kind, on ports that were free.
struct Server {
    program: PathBuf,
    child: Child,
    /// Of `tcp`, `udp`, `ws` and `graphite`.
    ports: [u16; 4],
}

impl Server {
    fn start() -> Result<Server, String> {
        let target = std::env::var_os("CARGO_TARGET_DIR");
        let target = target.map_or_else(|| root().join("target"), PathBuf::from);
        let program = target.join("release/cauchy");
        let ports = free_ports()?;
        let config = target.join("soak.config");
        fs::write(&config, configuration(&ports)).map_err(|error| error.to_string())?;
        let child = spawn(Command::new(&program).arg("start").arg(&config))?;
        let server = Server {
            program,
            child,
            ports,
        };
        server.await_port()?;
        Ok(server)
    }

    fn await_port(&self) -> Result<(), String> {
        let started = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.ports[0])).is_err() {
            if started.elapsed() > END_PATIENCE {
                return Err("the server does not listen".into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn load(&self, protocol: &str, flags: &[&str], length: Duration) -> Result<Child, String> {
        let place = ["tcp", "udp", "ws", "graphite"]
            .iter()
            .position(|kind| *kind == protocol)
            .ok_or_else(|| format!("no server for {protocol}"))?;
        spawn(
            Command::new(&self.program)
                .args(["load", "--quiet", "--protocol", protocol])
                .args(flags)
                .args(["--duration", &length.as_secs().to_string()])
                .arg(format!("127.0.0.1:{}", self.ports[place])),
        )
    }

    fn resident_mb(&self) -> Result<f64, String> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(Path::new(&path))
            .map_err(|error| format!("the server has ended: {error}"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kib: f64 = kib
            .and_then(|kib| kib.parse().ok())
            .ok_or("the system does not tell the server's memory")?;
        Ok(kib * 1024.0 / 1e6)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(command: &mut Command) -> Result<Child, String> {
    let silent = command.stdin(Stdio::null()).stderr(Stdio::null());
    silent
        .spawn()
        .map_err(|error| format!("cannot start {command:?}: {error}"))
}

/// Ports that nobody uses now.
fn free_ports() -> Result<[u16; 4], String> {
    let bind = || TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string());
    let listeners = [bind()?, bind()?, bind()?, bind()?];
    let mut ports = [0; 4];
    for (port, listener) in ports.iter_mut().zip(&listeners) {
        *port = listener
            .local_addr()
            .map_err(|error| error.to_string())?
            .port();
    }
    Ok(ports)
}

/// Windows, tables and expiry: what could grow.
fn configuration([tcp, udp, ws, graphite]: &[u16; 4]) -> String {
    format!(
        r#"(tcp-server {{:port {tcp}}})
(udp-server {{:port {udp}}})
(ws-server {{:port {ws}}})
(graphite-server {{:port {graphite}}})
(instrumentation {{:interval 5}})
(periodically-expire 1)
(let [index (index)]
  (streams
    (default :ttl 10
      index
      (with {{:service "events" :host nil}} (rate 1 index))
      (by [:host :service]
        (percentiles 5 [0.5 0.95 0.99] (fn [event] nil))
        (changed-state (fn [event] nil))
        (moving-event-window 5 (fn [events] nil)))
      (coalesce 5 (fn [events] nil))
      (expired (rate 5 index)))))
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_are_told_by_their_medians() {
        let samples: Vec<f64> = (0..40).map(f64::from).collect();
        assert_eq!([quarter(&samples, 1), quarter(&samples, 3)], [15.0, 35.0]);
    }
}
