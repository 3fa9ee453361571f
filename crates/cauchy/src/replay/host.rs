//! The machine, as the language sees it in a replay: its time is the messages', and nothing that is
//! written gets out.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use clj::{Host, LogLevel, Program, Ran};
use clock::{Clock, VirtualClock};
use config::{Effect, Effects};

use crate::host::Machine;

pub struct Stage {
    pub machine: Machine,
    pub clock: Arc<VirtualClock>,
    pub effects: Effects,
}

impl Stage {
    fn tell(&self, action: &str, path: &str, body: &str) {
        self.effect("file", action, path, body);
    }

    fn effect(&self, sink: &str, action: &str, to: &str, body: &str) {
        (self.effects)(Effect {
            sink: sink.into(),
            action: action.into(),
            to: to.into(),
            body: body.into(),
        });
    }
}

impl Host for Stage {
    fn now_ms(&self) -> i64 {
        self.clock.now().us.div_euclid(1000)
    }

    fn nano_time(&self) -> i64 {
        self.machine.nano_time()
    }

    /// Nobody waits: time goes by itself.
    fn sleep_ms(&self, _: u64) {}

    fn env(&self, name: &str) -> Option<String> {
        self.machine.env(name)
    }

    fn envs(&self) -> Vec<(String, String)> {
        self.machine.envs()
    }

    fn hostname(&self) -> String {
        self.machine.hostname()
    }

    fn print(&self, text: &str) {
        self.machine.print_error(text);
    }

    fn print_error(&self, text: &str) {
        self.machine.print_error(text);
    }

    fn read_file(&self, path: &str) -> io::Result<String> {
        self.machine.read_file(path)
    }

    fn write_file(&self, path: &str, text: &str, append: bool) -> io::Result<()> {
        self.tell(if append { "append" } else { "write" }, path, text);
        Ok(())
    }

    fn file_exists(&self, path: &str) -> bool {
        self.machine.file_exists(path)
    }

    fn is_directory(&self, path: &str) -> bool {
        self.machine.is_directory(path)
    }

    fn list_directory(&self, path: &str) -> io::Result<Vec<String>> {
        self.machine.list_directory(path)
    }

    fn create_directory(&self, path: &str) -> io::Result<()> {
        self.tell("create", path, "");
        Ok(())
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.tell("remove", path, "");
        Ok(())
    }

    /// As if it had done what it was to do.
    fn run(&self, program: &Program) -> io::Result<Ran> {
        self.effect("program", "run", &program.words.join(" "), &program.input);
        Ok(Ran {
            status: 0,
            out: String::new(),
            err: String::new(),
        })
    }

    fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.machine.addresses(name)
    }

    fn find_source(&self, path: &str) -> Option<(String, String)> {
        self.machine.find_source(path)
    }

    fn random(&self) -> f64 {
        self.machine.random()
    }

    fn log(&self, _: LogLevel, logger: &str, text: &str) {
        self.machine.print_error(&format!("{logger}: {text}\n"));
    }
}
