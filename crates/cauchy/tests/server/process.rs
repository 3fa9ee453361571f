//! What the system says of a process, and limits on it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// Resident memory.
pub fn resident_bytes(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    1024 * kib
        .and_then(|kib| kib.parse::<u64>().ok())
        .expect("a size in kB")
}

/// Processor time used so far, to the kernel's tick.
pub fn cpu_time(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    let fields = stat.rsplit(')').next().expect("fields after the name");
    let ticks: u64 = fields
        .split_ascii_whitespace()
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<u64>().expect("a number of ticks"))
        .sum();
    // SAFETY: sysconf reads a constant of the system.
    let ticks_per_s = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Duration::from_secs_f64(ticks as f64 / ticks_per_s as f64)
}

/// Lets the process have that many files and sockets, and never more.
pub fn limit_file_handles(command: &mut Command, count: u64) {
    let limit = libc::rlimit {
        rlim_cur: count,
        rlim_max: count,
    };
    // SAFETY: between fork and exec only setrlimit is called, which is safe there and reads the one
    // struct that it is given.
    unsafe {
        command.pre_exec(
            move || match libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            },
        );
    }
}

/// Raises this process's limit of files and sockets as far as it may, up to `wanted`; gives what it
/// is now. A privileged process may raise its hard limit too.
pub fn raise_file_handles(wanted: u64) -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the calls read or write the structs that they are given, which outlive them.
    unsafe {
        let raised = libc::rlimit {
            rlim_cur: wanted,
            rlim_max: wanted,
        };
        libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
        if limit.rlim_cur < wanted && libc::setrlimit(libc::RLIMIT_NOFILE, &raw const raised) != 0 {
            limit.rlim_cur = wanted.min(limit.rlim_max);
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
        libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
    }
    limit.rlim_cur
}

/// Lets no file of the process grow beyond a size, as a full disk does, until it is lifted.
pub fn limit_file_bytes(command: &mut Command, bytes: u64) {
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: between fork and exec only signal and setrlimit are called, which are safe there;
    // setrlimit reads the one struct that it is given.
    unsafe {
        command.pre_exec(move || {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            match libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
}

/// Lets files grow again.
pub fn unlimit_file_bytes(pid: u32) {
    let limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    let pid = libc::pid_t::try_from(pid).expect("a process id");
    // SAFETY: prlimit reads the one struct that it is given, which outlives the call.
    let done = unsafe {
        libc::prlimit(
            pid,
            libc::RLIMIT_FSIZE,
            &raw const limit,
            std::ptr::null_mut(),
        )
    };
    assert_eq!(done, 0, "the process has gone");
}
