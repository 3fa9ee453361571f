//! Signals, one after the other.

use std::io;
use std::sync::mpsc::{Receiver, sync_channel};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// What the user wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Read the configuration again.
    Reload,
    /// End, cleanly. The name of the signal, for the log.
    Stop(&'static str),
}

/// Signals that may wait while another is served.
const WAITING_MAX: usize = 16;

/// Begins to take signals. A second one that asks to stop ends the process at once.
///
/// # Errors
/// The system refuses.
pub fn listen() -> io::Result<Receiver<Signal>> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let (sender, receiver) = sync_channel(WAITING_MAX);
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            let mut stopping = false;
            for signal in signals.forever() {
                let signal = match signal {
                    SIGHUP => Signal::Reload,
                    SIGINT => Signal::Stop("SIGINT"),
                    _ => Signal::Stop("SIGTERM"),
                };
                if signal != Signal::Reload && std::mem::replace(&mut stopping, true) {
                    std::process::exit(1);
                }
                // Reloads beyond those that wait already would find the same file.
                let _ = sender.try_send(signal);
            }
        })?;
    Ok(receiver)
}
