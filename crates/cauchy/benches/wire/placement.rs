//! Which processors a process runs on.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that this process may use.
pub fn allowed() -> Vec<usize> {
    let set = sched_getaffinity(None).expect("a process may ask for its own");
    (0..CpuSet::MAX_CPU)
        .filter(|&one| set.is_set(one))
        .collect()
}

/// Keeps every thread that a process has now to some processors.
pub fn pin(process: u32, processors: &[usize]) {
    let mut set = CpuSet::new();
    processors.iter().for_each(|&one| set.set(one));
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).expect("it runs");
    for thread in threads.flatten() {
        let id = thread.file_name().to_str().and_then(|id| id.parse().ok());
        if let Some(id) = id.and_then(Pid::from_raw) {
            // A thread that has ended meanwhile needs no place.
            let _ = sched_setaffinity(Some(id), &set);
        }
    }
}
