//! Proves that `cauchy test` passes the files of tests below `spec/tests`, which are written as those that came
//! with Riemann: with namespaces of their own, real servers, clients, and time moved by hand.

mod server;

use std::fs;
use std::path::{Path, PathBuf};

use server::{free_port, program};

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of tests") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.to_string_lossy().ends_with("_test.clj") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn files_of_tests_pass_as_they_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/tests");
    let files = files_below(&folder);
    assert!(!files.is_empty());
    for file in files {
        let output = program()
            .args(["test", "--path"])
            .args([&folder, &file])
            .env("FREE_PORT", free_port().to_string())
            .output()
            .expect("the program starts");
        let told = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let name = file.display();
        assert!(output.status.success(), "{name}\n{told}\n{errors}");
        assert!(!told.contains("containing 0 assertions"), "{name}\n{told}");
    }
}
