//! Runs the texts of `spec/config/errors`, or those whose name contains `SPEC`: what the program says
//! of configurations that are wrong. `UPDATE=1` rewrites what they expect; read the diff as a user.
//!
//! A file is steps parted by blank lines: a command of `cauchy` that is given the configuration, the
//! configuration, `----`, what it says and its exit status. `TAKEN` is a port that another program has.

use std::fmt::Write;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// What parts a step from what is expected of it.
const RULE: &str = "----";

/// The name that every configuration has here.
const FILE: &str = "riemann.config";

#[test]
fn errors_are_told_as_the_texts_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/config/errors");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder of texts")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    if let Ok(wanted) = std::env::var("SPEC") {
        paths.retain(|path| path.to_string_lossy().contains(&wanted));
    }
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = String::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a text");
        let steps = steps(&text);
        let mut written = Vec::new();
        for (input, expected) in &steps {
            let found = outcome(input);
            if found != *expected {
                let _ = write!(
                    wrong,
                    "{}:\n{input}expected\n{expected}found\n{found}\n",
                    path.display()
                );
            }
            written.push(format!("{input}{RULE}\n{found}"));
        }
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, written.join("\n")).expect("the repository can be written to");
        }
    }
    let update = std::env::var_os("UPDATE").is_some();
    assert!(
        update || wrong.is_empty(),
        "{wrong}\nUPDATE=1 rewrites the files"
    );
}

/// Each step, up to the rule, and what is expected after it.
fn steps(text: &str) -> Vec<(String, String)> {
    let mut steps = Vec::new();
    let (mut input, mut expected, mut answered) = (String::new(), String::new(), false);
    for line in text.lines() {
        if line == RULE {
            answered = true;
        } else if answered && line.is_empty() {
            steps.push((std::mem::take(&mut input), std::mem::take(&mut expected)));
            answered = false;
        } else {
            let part = if answered { &mut expected } else { &mut input };
            let _ = writeln!(part, "{line}");
        }
    }
    if answered {
        steps.push((input, expected));
    }
    steps
}

/// A line of a server's log with this word ends it.
const END: &str = "END";

/// How long a program may be silent.
const LONGEST: Duration = Duration::from_secs(20);

/// The lines of a pipe, as they come.
fn lines_of(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// What the program says, without blank lines, and how it ends.
fn outcome(input: &str) -> String {
    let is_comment = |line: &&str| line.is_empty() || line.starts_with("# ");
    let mut lines = input.lines().skip_while(is_comment);
    let command = lines.next().expect("a step has a command");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let source: String = lines.map(|line| format!("{line}\n")).collect();
    let folder = tempfile::TempDir::new().expect("a folder");
    fs::write(folder.path().join(FILE), source.replace("TAKEN", &port)).expect("a new file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_cauchy"))
        .args(command.split(' '))
        .arg(FILE)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let answer = lines_of(child.stdout.take().expect("a pipe"));
    let told = lines_of(child.stderr.take().expect("a pipe"));
    let mut log = String::new();
    while let Ok(line) = told.recv_timeout(LONGEST) {
        let ends = line.contains(END);
        log.push_str(&(line + "\n"));
        if ends {
            child.kill().expect("a server that runs");
        }
    }
    if child.try_wait().expect("a child").is_none() {
        let _ = child.kill();
    }
    let status = child.wait().expect("a child");
    let mut said: String = std::iter::from_fn(|| answer.recv().ok())
        .map(|line| line + "\n")
        .collect();
    said.push_str(&log);
    let mut out = String::new();
    for line in said.replace(&port, "TAKEN").lines().map(str::trim_end) {
        let line = told_by(line);
        if !line.is_empty() {
            let _ = writeln!(out, "{line}");
        }
    }
    match status.code() {
        Some(code) => writeln!(out, "exit {code}"),
        None => writeln!(out, "killed"),
    }
    .expect("text grows");
    out
}

/// A line of the log without its time and thread; nothing for what goes as it should.
fn told_by(line: &str) -> &str {
    if line.starts_with("INFO [") {
        return "";
    }
    match line.split_once("] ") {
        Some((start, rest)) if start.starts_with("WARN [") || start.starts_with("ERROR [") => {
            rest.split_once(" - ").map_or(rest, |(_thread, told)| told)
        }
        _ => line,
    }
}
