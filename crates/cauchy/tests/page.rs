//! The page, in headless Chromium: on a pretend server, and on the real one. Needs what
//! `crates/web/tests/NEEDS` lists.

mod server;

use std::path::{Path, PathBuf};
use std::process::Command;

use server::{Server, USUAL};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/browser")
        .join(name)
}

#[test]
fn works_on_a_pretend_server_that_goes_away_and_lags() {
    let status = Command::new("python3").arg(script("page.py")).status();
    assert!(status.expect("python3 starts").success());
}

#[test]
fn works_on_the_real_server() {
    let server = Server::start(USUAL);
    let page = format!("http://{}/", server.address("ws"));
    let status = Command::new("python3")
        .arg(script("run.py"))
        .args([&page, &server.port("tcp")])
        .status();
    assert!(status.expect("python3 starts").success());
}
