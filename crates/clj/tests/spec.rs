//! Runs the texts of `spec/lang`, or those whose name contains `SPEC`. `UPDATE=1` rewrites what they
//! expect.
//!
//! A file is steps parted by blank lines: a command, its input, `----`, what comes of it. `eval`
//! evaluates forms and shows what they print and the last value, or the error; `check` shows all
//! errors of a text.

mod pretend;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clj::{Cx, Runtime, diagnostics};
use pretend::Pretend;

fn spec_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/lang")
}

/// Each step: everything up to `----`, and what is expected after it.
fn steps(text: &str) -> Vec<(String, String)> {
    let mut steps = Vec::new();
    let (mut input, mut expected, mut answered) = (String::new(), String::new(), false);
    for line in text.lines() {
        if line == "----" {
            answered = true;
        } else if answered && line.is_empty() {
            steps.push((std::mem::take(&mut input), std::mem::take(&mut expected)));
            answered = false;
        } else {
            let part = if answered { &mut expected } else { &mut input };
            part.push_str(line);
            part.push('\n');
        }
    }
    if answered {
        steps.push((input, expected));
    }
    steps
}

fn outcome(cx: &Cx<'_>, host: &Pretend, input: &str) -> String {
    let body: Vec<&str> = input
        .lines()
        .skip_while(|line| line.is_empty() || line.starts_with('#') && !line.starts_with("#("))
        .collect();
    let (command, lines) = body.split_first().expect("a step has a command");
    let source = lines.join("\n");
    let mut out = String::new();
    match *command {
        "eval" => match clj::load::eval_forms(cx, "spec.clj", &source) {
            Ok(value) => {
                let shown = value.to_readable();
                out.push_str(&host.take_printed());
                let _ = writeln!(out, "{shown}");
            }
            Err(thrown) => {
                out.push_str(&host.take_printed());
                out.push_str(&diagnostics::render(cx.rt, &thrown));
            }
        },
        "check" => {
            for thrown in cx.rt.check_source(cx, "spec.clj", &source, 10) {
                out.push_str(&diagnostics::render(cx.rt, &thrown));
            }
        }
        other => panic!("unknown command {other}"),
    }
    // A blank line would end the expectation.
    let lines = out.lines().map(|line| {
        if line.is_empty() {
            "."
        } else {
            line.trim_end()
        }
    });
    lines.fold(String::new(), |text, line| text + line + "\n")
}

fn run(path: &Path) -> (String, String) {
    let text = std::fs::read_to_string(path).unwrap();
    let host = pretend::host();
    let rt = Runtime::new(host.clone());
    let cx = Cx::new(&rt);
    let written = steps(&text)
        .into_iter()
        .map(|(input, _)| format!("{input}----\n{}", outcome(&cx, &host, &input)))
        .collect::<Vec<_>>()
        .join("\n");
    (text, written)
}

#[test]
fn the_language_does_what_the_texts_say() {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(spec_folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    if let Ok(wanted) = std::env::var("SPEC") {
        paths.retain(|path| path.to_string_lossy().contains(&wanted));
    }
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = Vec::new();
    for path in paths {
        // Deep recursion is part of what is tested: the stack has a size of its own.
        let thread = std::thread::Builder::new().stack_size(8 << 20);
        let (text, written) = thread
            .spawn({
                let path = path.clone();
                move || run(&path)
            })
            .unwrap()
            .join()
            .unwrap();
        if text == written {
            continue;
        }
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &written).unwrap();
        } else {
            wrong.push(difference(&path, &text, &written));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn difference(path: &Path, text: &str, written: &str) -> String {
    let mut out = format!("{}:\n", path.display());
    for ((input, expected), (_, found)) in steps(text).iter().zip(&steps(written)) {
        if expected != found {
            let _ = write!(out, "{input}expected\n{expected}found\n{found}\n");
        }
    }
    out
}
