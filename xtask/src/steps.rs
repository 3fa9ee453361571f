//! Commands run one after the other; the first that fails ends it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::{architecture, needs};

/// The repository's top folder.
pub fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask
        .parent()
        .expect("xtask lies in the repository")
        .to_path_buf()
}

/// The quick one: what must hold before every commit.
pub fn check() -> Result<(), String> {
    lint()?;
    cargo(
        "tests",
        &["test", "--workspace", "--exclude", "cauchy", "--quiet"],
    )?;
    cargo(
        "tests of the program",
        &["test", "-p", "cauchy", "--lib", "--bins", "--quiet"],
    )
}

/// Everything. The tests of the program start servers, browsers and clients.
pub fn test() -> Result<(), String> {
    lint()?;
    cargo(
        "the program, as users build it",
        &["build", "--release", "--bin", "cauchy"],
    )?;
    cargo("all tests", &["test", "--workspace", "--no-fail-fast"])?;
    cargo(
        "queues of a pipeline that are left out by default",
        &["test", "-p", "cauchy-pipe", "--features", "nats,zmq"],
    )?;
    cargo(
        "Parquet, which is left out by default",
        &[
            "test",
            "-p",
            "cauchy-store",
            "--features",
            "parquet",
            "--test",
            "parquet",
        ],
    )
}

fn lint() -> Result<(), String> {
    architecture::check(&root())?;
    cargo("format", &["fmt", "--all", "--", "--check"])?;
    cargo(
        "lints",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ],
    )?;
    let mut doc = Command::new("cargo");
    doc.args(["doc", "--workspace", "--no-deps", "--quiet"])
        .env("RUSTDOCFLAGS", "-D warnings");
    run("documentation", &mut doc)?;
    check_licences()
}

/// Licences and sources of dependencies, where `cargo deny` is installed: building it takes as long
/// as building the program. What it asks of the network is left out.
fn check_licences() -> Result<(), String> {
    let deny = Command::new("cargo").args(["deny", "--version"]).output();
    if deny.is_ok_and(|output| output.status.success()) {
        cargo(
            "licences",
            &[
                "deny",
                "--log-level",
                "error",
                "check",
                "licenses",
                "bans",
                "sources",
            ],
        )?;
    }
    Ok(())
}

fn cargo(what: &str, arguments: &[&str]) -> Result<(), String> {
    run(what, Command::new("cargo").args(arguments))
}

/// Runs a command, in the top folder unless it has its own, saying what it is and how long it took.
pub fn run(what: &str, command: &mut Command) -> Result<(), String> {
    eprintln!("== {what}");
    let started = Instant::now();
    if command.get_current_dir().is_none() {
        command.current_dir(root());
    }
    let status = command
        .env("CAUCHY_TEST_ENV", needs::folder())
        .status()
        .map_err(|error| format!("{what}: cannot start {command:?}: {error}"))?;
    eprintln!("== {what}: {:.1} s", started.elapsed().as_secs_f32());
    if status.success() {
        Ok(())
    } else {
        Err(format!("{what} failed ({status})"))
    }
}
