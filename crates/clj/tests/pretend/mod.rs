//! A host that pretends: a fixed clock, a little environment, two files.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::{Arc, Mutex};

use clj::{Host, LogLevel};

/// A fresh host.
pub fn host() -> Arc<Pretend> {
    Arc::new(Pretend::default())
}

#[derive(Default)]
pub struct Pretend {
    printed: Mutex<String>,
}

impl Pretend {
    /// What has been printed since the last look.
    pub fn take_printed(&self) -> String {
        std::mem::take(&mut self.printed.lock().unwrap())
    }
}

impl Host for Pretend {
    fn now_ms(&self) -> i64 {
        1_700_000_000_000
    }
    fn env(&self, name: &str) -> Option<String> {
        (name == "HOME").then(|| "/home/pretend".into())
    }
    fn envs(&self) -> Vec<(String, String)> {
        vec![("HOME".into(), "/home/pretend".into())]
    }
    fn hostname(&self) -> String {
        "pretend".into()
    }
    fn print(&self, text: &str) {
        self.printed.lock().unwrap().push_str(text);
    }
    fn print_error(&self, text: &str) {
        self.print(text);
    }
    fn find_source(&self, path: &str) -> Option<(String, String)> {
        let text = match path {
            "mycorp/email" => "(ns mycorp.email)\n(def address \"a@b\")\n(defn- hidden [] 1)\n",
            "mycorp/broken" => "(ns mycorp.broken)\n(def x (undefined-thing 1))\n",
            _ => return None,
        };
        Some((format!("{path}.clj"), text.to_owned()))
    }
    fn log(&self, level: LogLevel, namespace: &str, text: &str) {
        self.print(&format!("{level:?} {namespace} {text}\n"));
    }
}
