//! The page, in headless Chromium. Needs what `crates/web/tests/NEEDS` lists.

use std::path::{Path, PathBuf};
use std::process::Command;

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser").join(name)
}

#[test]
fn works_on_a_pretend_server_that_goes_away_and_lags() {
    let status = Command::new("python3").arg(script("page.py")).status();
    assert!(status.expect("python3 starts").success());
}
