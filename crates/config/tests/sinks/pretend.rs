//! A host that has nothing.

use std::io;

use clj::{Host, LogLevel};

pub struct Pretend;

impl Host for Pretend {
    fn now_ms(&self) -> i64 {
        0
    }

    fn nano_time(&self) -> i64 {
        0
    }

    fn sleep_ms(&self, _: u64) {}

    fn env(&self, _: &str) -> Option<String> {
        None
    }

    fn envs(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn hostname(&self) -> String {
        "pretend".into()
    }

    fn print(&self, _: &str) {}

    fn print_error(&self, _: &str) {}

    fn read_file(&self, _: &str) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn write_file(&self, _: &str, _: &str, _: bool) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    fn file_exists(&self, _: &str) -> bool {
        false
    }

    fn is_directory(&self, _: &str) -> bool {
        false
    }

    fn list_directory(&self, _: &str) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn find_source(&self, _: &str) -> Option<(String, String)> {
        None
    }

    fn random(&self) -> f64 {
        0.5
    }

    fn log(&self, _: LogLevel, _: &str, _: &str) {}
}
