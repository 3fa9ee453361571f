//! What the tests need: listed in files named `NEEDS`, installed if missing.
//!
//! A line is `kind:name`: `apt` (a Debian package), `pip` and `npm` (into folders below
//! `target/test-env`), `go` (the folder of a program, built into `target/test-env/go`). A word after
//! the name is a program that, if it is found, makes the package needless. Empty lines and `#`
//! comments are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::steps::{root, run};

/// Where what the tests need beside Debian's packages is kept; tests find it in `CAUCHY_TEST_ENV`.
pub fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target
        .map_or_else(|| root().join("target"), PathBuf::from)
        .join("test-env")
}

/// Installs what is missing.
pub fn install() -> Result<(), String> {
    let needs = read_needs(&root())?;
    let of = |kind: &str| -> Vec<String> {
        needs
            .iter()
            .filter(|(k, _)| k == kind)
            .map(|(_, name)| name.clone())
            .collect()
    };
    install_apt(&of("apt"))?;
    install_pip(&of("pip"))?;
    install_npm(&of("npm"))?;
    build_go(&of("go"))
}

fn read_needs(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut files = vec![root.join("tests/NEEDS")];
    let crates = fs::read_dir(root.join("crates")).map_err(|error| error.to_string())?;
    files.extend(
        crates
            .flatten()
            .map(|entry| entry.path().join("tests/NEEDS")),
    );
    let mut needs = Vec::new();
    for file in files.iter().filter(|file| file.exists()) {
        let text =
            fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        for line in text
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty() && !l.starts_with('#'))
        {
            let (kind, name) = line
                .split_once(':')
                .ok_or_else(|| format!("{}: bad line: {line}", file.display()))?;
            let (name, program) = name.split_once(' ').unwrap_or((name, ""));
            if program.is_empty() || !is_in_path(program.trim()) {
                needs.push((kind.to_owned(), name.to_owned()));
            }
        }
    }
    needs.sort();
    needs.dedup();
    Ok(needs)
}

fn install_apt(packages: &[String]) -> Result<(), String> {
    let installed = |package: &&String| {
        let query = Command::new("dpkg-query")
            .args(["-W", "-f=${Status}", package.as_str()])
            .stderr(Stdio::null())
            .output();
        query.is_ok_and(|output| output.stdout.ends_with(b"ok installed"))
    };
    let missing: Vec<&String> = packages
        .iter()
        .filter(|package| !installed(package))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    run(
        "package lists",
        Command::new("apt-get").args(["update", "-qq"]),
    )?;
    let mut command = Command::new("apt-get");
    command
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(missing)
        .env("DEBIAN_FRONTEND", "noninteractive");
    run("Debian packages", command.stdout(Stdio::null()))
}

fn install_pip(packages: &[String]) -> Result<(), String> {
    let venv = folder().join("venv");
    if packages.is_empty() || is_done(&venv, packages) {
        return Ok(());
    }
    run(
        "Python environment",
        Command::new("python3").args(["-m", "venv"]).arg(&venv),
    )?;
    let mut pip = Command::new(venv.join("bin/pip"));
    run(
        "Python packages",
        pip.args(["install", "--quiet"]).args(packages),
    )?;
    mark_done(&venv, packages)
}

fn install_npm(packages: &[String]) -> Result<(), String> {
    let modules = folder().join("npm");
    if packages.is_empty() || is_done(&modules, packages) {
        return Ok(());
    }
    fs::create_dir_all(&modules).map_err(|error| error.to_string())?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
        .arg(&modules);
    run("npm packages", npm.args(packages))?;
    mark_done(&modules, packages)
}

/// Builds each program; its modules are pinned by the `go.sum` beside it.
fn build_go(folders: &[String]) -> Result<(), String> {
    let programs = folder().join("go");
    for folder in folders {
        let mut go = Command::new("go");
        // With a slash at its end it is a folder, and the program is named as its module.
        go.args(["build", "-mod=readonly", "-o"])
            .arg(programs.join(""))
            .current_dir(root().join(folder));
        run("Go program", &mut go)?;
    }
    Ok(())
}

fn is_in_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn is_done(folder: &Path, packages: &[String]) -> bool {
    fs::read_to_string(folder.join("installed")).is_ok_and(|done| done == packages.join("\n"))
}

fn mark_done(folder: &Path, packages: &[String]) -> Result<(), String> {
    fs::write(folder.join("installed"), packages.join("\n")).map_err(|error| error.to_string())
}
