//! What the tests of pipelines share: messages, a store that tells, and a real Redis.

#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part"
)]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use event::Time;
use pipe::source::{Inlet, Listening, accept};
use pipe::{Batch, Framing, Overflow, PipeError, Pipeline, Queue, Store};
use sinks::pace::MachinePace;
use sinks::socket::Address;

/// Longer than anything takes: a test that waits so long has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A store that tells how many messages it has stored, each time.
pub struct Telling<S> {
    pub store: S,
    pub told: Sender<usize>,
}

impl<S: Store> Store for Telling<S> {
    fn store(&mut self, batch: &Batch, origin: &str) -> Result<(), PipeError> {
        self.store.store(batch, origin)?;
        let _ = self.told.send(batch.len());
        Ok(())
    }
}

/// A store that keeps what it takes.
#[derive(Default)]
pub struct Keeping(pub Arc<std::sync::Mutex<Vec<Vec<u8>>>>);

impl Store for Keeping {
    fn store(&mut self, batch: &Batch, _origin: &str) -> Result<(), PipeError> {
        let mut kept = self.0.lock().unwrap();
        kept.extend(batch.iter().map(<[u8]>::to_vec));
        Ok(())
    }
}

/// Waits until so many more messages are stored.
pub fn wait(told: &Receiver<usize>, count: usize) -> usize {
    let mut stored = 0;
    while stored < count {
        stored += told.recv_timeout(PATIENCE).expect("the store goes on");
    }
    stored
}

pub fn pipeline(queue: Box<dyn Queue>, bytes_max: u64, overflow: Overflow) -> Arc<Pipeline> {
    let pace = Arc::new(MachinePace::start());
    Arc::new(Pipeline::new("test", queue, bytes_max, overflow, pace).expect("a queue"))
}

/// A pipeline that runs, and what its store tells.
pub struct Running {
    pub pipeline: Arc<Pipeline>,
    pub told: Receiver<usize>,
    store: Option<JoinHandle<()>>,
    source: Option<JoinHandle<()>>,
    inlet: Arc<Inlet>,
    pub port: u16,
}

impl Running {
    pub fn start(
        pipeline: Arc<Pipeline>,
        framing: Framing,
        store: impl Store + 'static,
    ) -> Running {
        let (sender, told) = channel();
        let mut store = Telling {
            store,
            told: sender,
        };
        let drained = pipeline.clone();
        let store = std::thread::spawn(move || drained.drain(&mut store));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let inlet = Inlet::new(pipeline.clone(), framing, Arc::new(|| Time::from_s(1)));
        let fed = inlet.clone();
        let source = std::thread::spawn(move || {
            accept(&Listening::Tcp(listener), &fed).expect("a socket");
        });
        Running {
            pipeline,
            told,
            store: Some(store),
            source: Some(source),
            inlet,
            port,
        }
    }

    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).expect("it listens")
    }

    /// Ends it; all threads are gone afterwards.
    pub fn stop(&mut self) {
        self.inlet.close();
        let join = |thread: Option<JoinHandle<()>>| {
            if let Some(thread) = thread {
                thread.join().expect("no panic");
            }
        };
        join(self.source.take());
        self.pipeline.stop();
        join(self.store.take());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.pipeline.stop();
    }
}

/// Message number so and so, 100 bytes.
pub fn message(number: usize) -> Vec<u8> {
    format!("{number:0100}").into_bytes()
}

/// Sends messages of 100 bytes, coalesced.
pub fn send(mut stream: TcpStream, numbers: std::ops::Range<usize>) {
    let numbers: Vec<usize> = numbers.collect();
    for some in numbers.chunks(1000) {
        let bytes: Vec<u8> = some.iter().flat_map(|&number| message(number)).collect();
        stream.write_all(&bytes).expect("it reads");
    }
}

fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    free.local_addr().expect("an address").port()
}

/// A Redis that writes everything to disk before it answers.
pub struct Redis {
    child: Child,
    pub address: Address,
}

impl Redis {
    /// One on a free port.
    pub fn start(dir: &Path) -> Redis {
        Redis::start_on(dir, free_port())
    }

    /// One that writes nothing to disk.
    pub fn start_unsynced(dir: &Path) -> Redis {
        Redis::start_with(dir, free_port(), &["--appendonly", "no"])
    }

    pub fn start_on(dir: &Path, port: u16) -> Redis {
        let synced = ["--appendonly", "yes", "--appendfsync", "always"];
        Redis::start_with(dir, port, &synced)
    }

    fn start_with(dir: &Path, port: u16, options: &[&str]) -> Redis {
        let mut child = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--dir"])
            .arg(dir)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("redis-server is installed: cargo xtask needs");
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        let mut said = String::new();
        while !said.contains("Ready to accept connections") {
            let before = said.len();
            lines.read_line(&mut said).expect("it speaks");
            assert!(said.len() > before, "redis-server ended: {said}");
        }
        // It goes on to write there, and would end if nobody read.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Redis {
            child,
            address: Address::new("127.0.0.1", port),
        }
    }

    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// What `redis-cli` prints for a command.
    pub fn ask(&self, words: &[&str]) -> String {
        let output = Command::new("redis-cli")
            .args(["-p", &self.address.port.to_string()])
            .args(words)
            .output()
            .expect("redis-cli is installed: cargo xtask needs");
        String::from_utf8(output.stdout)
            .expect("text")
            .trim()
            .to_owned()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
