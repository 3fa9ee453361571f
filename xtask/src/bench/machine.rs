//! Where and when figures were taken.

use std::fs;
use std::process::Command;
use std::thread::available_parallelism;

use crate::steps::root;

pub struct Machine {
    /// Of today, as year-month-day.
    pub date: String,
    /// Short, with a mark if files differ from it.
    pub commit: String,
    processor: String,
    cores: usize,
    kernel: String,
    rustc: String,
    /// Of the last minutes, and so of the run.
    load: String,
}

impl Machine {
    pub fn here() -> Result<Machine, String> {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let cpuinfo = read("/proc/cpuinfo");
        let processor = cpuinfo
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find_map(|(name, value)| (name.trim() == "model name").then_some(value.trim()));
        let load = read("/proc/loadavg");
        let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
        Ok(Machine {
            date: output("date", &["-u", "+%Y-%m-%d-%H%M"])?,
            commit: output("git", &["describe", "--always", "--dirty", "--exclude=*"])?,
            processor: processor.unwrap_or("unknown").to_owned(),
            cores: available_parallelism().map_or(1, usize::from),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            rustc: output("rustc", &["--version"])?,
            load,
        })
    }

    pub fn describe(&self) -> String {
        format!(
            "# {} at {}\n\n- {}, {} cores\n- Linux {}\n- {}\n- load average at the end: {}\n",
            self.commit, self.date, self.processor, self.cores, self.kernel, self.rustc, self.load
        )
    }
}

fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
