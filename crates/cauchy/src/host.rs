//! The machine, as the language sees it.

use std::io::{self, Write};
use std::net::{IpAddr, ToSocketAddrs};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

use clj::{LogLevel, Program, Ran};

/// Files, time, environment and output of this machine.
pub struct Machine {
    /// Folders that namespaces are looked for in.
    search: Vec<PathBuf>,
    started: Instant,
    random: AtomicU64,
}

impl Machine {
    /// A machine whose namespaces lie in these folders.
    pub fn new(search: Vec<PathBuf>) -> Machine {
        let seed = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(1, |age| age.as_nanos() as u64);
        Machine {
            search,
            started: Instant::now(),
            random: AtomicU64::new(seed),
        }
    }
}

impl clj::Host for Machine {
    fn now_ms(&self) -> i64 {
        let age = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(age.as_millis()).unwrap_or(i64::MAX)
    }

    fn nano_time(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_nanos()).unwrap_or(i64::MAX)
    }

    fn sleep_ms(&self, ms: u64) {
        thread::sleep(Duration::from_millis(ms));
    }

    fn env(&self, name: &str) -> Option<String> {
        env::var(name).ok()
    }

    fn envs(&self) -> Vec<(String, String)> {
        let text = |os: std::ffi::OsString| os.to_string_lossy().into_owned();
        env::vars_os()
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    fn hostname(&self) -> String {
        hostname()
    }

    fn print(&self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    fn print_error(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    fn read_file(&self, path: &str) -> io::Result<String> {
        fs::read_to_string(path)
    }

    fn write_file(&self, path: &str, text: &str, append: bool) -> io::Result<()> {
        let mut options = fs::OpenOptions::new();
        options
            .create(true)
            .write(true)
            .append(append)
            .truncate(!append);
        options.open(path)?.write_all(text.as_bytes())
    }

    fn file_exists(&self, path: &str) -> bool {
        Path::new(path).exists()
    }

    fn is_directory(&self, path: &str) -> bool {
        Path::new(path).is_dir()
    }

    fn list_directory(&self, path: &str) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        let mut names: Vec<String> = entries
            .iter()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        Ok(names)
    }

    fn create_directory(&self, path: &str) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        if Path::new(path).is_dir() {
            return fs::remove_dir(path);
        }
        fs::remove_file(path)
    }

    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = (name, 0).to_socket_addrs()?;
        Ok(found.map(|address| address.ip()).collect())
    }

    fn run(&self, program: &Program) -> io::Result<Ran> {
        let mut command = Command::new(&program.words[0]);
        command
            .args(&program.words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        if let Some(environment) = &program.environment {
            command.env_clear().envs(environment.iter().cloned());
        }
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let ended = thread::scope(|scope| {
            scope.spawn(move || {
                // A program need not read what it is given.
                let _ = stdin.map(|mut stdin| stdin.write_all(program.input.as_bytes()));
            });
            child.wait_with_output()
        })?;
        let signal = ended.status.signal().map_or(-1, |signal| 128 + signal);
        Ok(Ran {
            status: ended.status.code().unwrap_or(signal),
            out: String::from_utf8_lossy(&ended.stdout).into_owned(),
            err: String::from_utf8_lossy(&ended.stderr).into_owned(),
        })
    }

    fn find_source(&self, path: &str) -> Option<(String, String)> {
        let endings = ["clj", "cljc", "config"];
        let files = self.search.iter().flat_map(|folder| {
            endings
                .iter()
                .map(move |ending| folder.join(format!("{path}.{ending}")))
        });
        files.filter(|file| file.is_file()).find_map(|file| {
            let text = fs::read_to_string(&file).ok()?;
            Some((file.to_string_lossy().into_owned(), text))
        })
    }

    /// SplitMix64: for sampling and shuffling, not for secrets.
    fn random(&self) -> f64 {
        let mut bits = self
            .random
            .fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }

    fn log(&self, level: LogLevel, logger: &str, text: &str) {
        match level {
            LogLevel::Trace => tracing::trace!(target: "config", logger, "{text}"),
            LogLevel::Debug => tracing::debug!(target: "config", logger, "{text}"),
            LogLevel::Info => tracing::info!(target: "config", logger, "{text}"),
            LogLevel::Warn => tracing::warn!(target: "config", logger, "{text}"),
            LogLevel::Error | LogLevel::Fatal => {
                tracing::error!(target: "config", logger, "{text}");
            }
        }
    }

    fn log_enabled(&self, level: LogLevel, _: &str) -> bool {
        match level {
            LogLevel::Trace => tracing::enabled!(target: "config", tracing::Level::TRACE),
            LogLevel::Debug => tracing::enabled!(target: "config", tracing::Level::DEBUG),
            LogLevel::Info => tracing::enabled!(target: "config", tracing::Level::INFO),
            LogLevel::Warn => tracing::enabled!(target: "config", tracing::Level::WARN),
            LogLevel::Error | LogLevel::Fatal => {
                tracing::enabled!(target: "config", tracing::Level::ERROR)
            }
        }
    }
}

/// The system's name of this machine.
pub fn hostname() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is as long as it is said to be, and gethostname writes no more.
    let failed = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) } != 0;
    let length = name
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(name.len());
    match std::str::from_utf8(&name[..length]) {
        Ok(name) if !failed && !name.is_empty() => name.to_owned(),
        _ => "localhost".to_owned(),
    }
}
