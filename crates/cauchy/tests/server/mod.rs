//! A server of its own for a test: the program, with a configuration in a folder of its own, on
//! ports that the system gives. It ends with the test.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod authority;
pub mod clients;
pub mod http;
pub mod log;
pub mod process;
pub mod queues;
pub mod riemann;
pub mod subscriber;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use log::Log;
use riemann::Riemann;

/// How long a test waits for what must come. Long: the machine may be slow and the build unoptimised.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Servers of the usual kinds, an index, and a minute to live.
pub const USUAL: &str = r#"
(tcp-server {:port 0})
(udp-server {:port 0})
(ws-server {:port 0})
(periodically-expire 1)
(let [index (index)] (streams (default :ttl 60 index)))
"#;

/// What runs when no configuration is given, on ports of its own.
pub fn built_in(tcp_port: u16) -> String {
    include_str!("../../src/builtin.config")
        .replace("(tcp-server {", &format!("(tcp-server {{:port {tcp_port} "))
        .replace("(udp-server {", "(udp-server {:port 0 ")
        .replace("(ws-server {", "(ws-server {:port 0 ")
}

/// The same, but that nothing is kept for later questions.
pub fn built_in_without_history(tcp_port: u16) -> String {
    let config = built_in(tcp_port);
    let (open, stream) = (
        "(history {:dir \"cauchy-history\" :optional true})",
        "      history\n",
    );
    assert!(config.contains(open) && config.contains(stream), "{config}");
    config.replace(open, "nil").replace(stream, "")
}

/// The program as built for this test.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_cauchy"))
}

/// The program as users build it, if that has been done; else as built for this test.
pub fn fastest_program() -> (Command, bool) {
    let debug = Path::new(env!("CARGO_BIN_EXE_cauchy"));
    let release = debug
        .parent()
        .and_then(Path::parent)
        .map(|target| target.join("release/cauchy"));
    match release.filter(|path| path.exists()) {
        Some(path) => (Command::new(path), true),
        None => (program(), !cfg!(debug_assertions)),
    }
}

/// A running server.
pub struct Server {
    child: Child,
    pub log: Log,
    folder: TempDir,
}

impl Server {
    /// Starts with a configuration and waits until it is ready.
    pub fn start(config: &str) -> Server {
        Server::start_with(config, program())
    }

    /// The same, with a command that was prepared: limits, environment, another build.
    pub fn start_with(config: &str, command: Command) -> Server {
        let server = Server::spawn(config, command);
        server.log.wait("ready in ");
        server
    }

    /// Starts, and waits for nothing.
    pub fn spawn(config: &str, mut command: Command) -> Server {
        let folder = TempDir::new().expect("a temporary folder");
        fs::write(folder.path().join("riemann.config"), config).expect("the folder takes a file");
        let mut child = command
            .args(["start", "riemann.config"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stderr = child.stderr.take().expect("standard error is piped");
        Server {
            child,
            log: Log::follow(stderr),
            folder,
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where the first server of a kind listens, as the log says.
    pub fn address(&self, kind: &str) -> SocketAddr {
        let line = self.log.wait(&format!("{kind} server 127.0.0.1:"));
        let address = line.split(' ').find_map(|word| word.parse().ok());
        address.unwrap_or_else(|| panic!("no address in: {line}"))
    }

    pub fn port(&self, kind: &str) -> String {
        self.address(kind).port().to_string()
    }

    /// A connection to its Riemann protocol.
    pub fn connect(&self) -> Riemann {
        Riemann::connect(self.address("tcp"))
    }

    /// Replaces the configuration and asks to read it.
    pub fn reload(&self, config: &str) {
        fs::write(self.path("riemann.config"), config).expect("the folder takes a file");
        self.signal(libc::SIGHUP);
    }

    pub fn signal(&self, signal: libc::c_int) {
        let pid = libc::pid_t::try_from(self.pid()).expect("a process id");
        // SAFETY: the child has not been waited for, so that the id is still its own.
        let outcome = unsafe { libc::kill(pid, signal) };
        assert_eq!(outcome, 0, "the server has gone");
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        eventually("the server's end", || {
            self.child.try_wait().expect("our child")
        })
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("our child").is_none()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("---- the server's log\n{}\n----", self.log.tail(60));
        }
    }
}

/// Waits until there is something, looking often; fails when patience ends.
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// A port that nobody uses now, for TCP and UDP, outside of those that connections are given.
pub fn free_port() -> u16 {
    use std::sync::atomic::{AtomicU16, Ordering};
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = (std::process::id() % 8_000) as u16;
    let free = |port: &u16| {
        std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok()
            && std::net::UdpSocket::bind(("127.0.0.1", *port)).is_ok()
    };
    std::iter::repeat_with(|| 20_000 + (start + NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000)
        .take(12_000)
        .find(free)
        .expect("a free port")
}
