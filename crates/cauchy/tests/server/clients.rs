//! Third-party clients, as `cargo xtask needs` installs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A script of `tests/clients`, run by Python with the packages of `tests/NEEDS`.
pub fn python(script: &str) -> Command {
    let mut command = Command::new(installed("venv/bin/python"));
    command
        .arg(source(script))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// A script of `tests/clients`, run by Node with the packages of `tests/NEEDS`.
pub fn node(script: &str) -> Command {
    let mut command = Command::new("node");
    command
        .arg(source(script))
        .env("NODE_PATH", installed("npm/node_modules"));
    command
}

/// The Go program of `tests/clients/go`.
pub fn go() -> Command {
    Command::new(installed("go/go-client"))
}

/// Runs a command to its end, which must be a good one.
pub fn run(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; run `cargo xtask needs`"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn source(script: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/clients")
        .join(script)
}

/// In the folder that `CAUCHY_TEST_ENV` names, else where `xtask` puts it by itself.
fn installed(path: &str) -> PathBuf {
    let folder = std::env::var_os("CAUCHY_TEST_ENV").map_or_else(
        || {
            let program = Path::new(env!("CARGO_BIN_EXE_cauchy"));
            let target = program
                .parent()
                .and_then(Path::parent)
                .expect("a target folder");
            target.join("test-env")
        },
        PathBuf::from,
    );
    let path = folder.join(path);
    assert!(
        path.exists(),
        "{} is missing: run `cargo xtask needs`",
        path.display()
    );
    path
}
