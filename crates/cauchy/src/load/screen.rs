//! What is printed while a load runs.

use std::io::{self, IsTerminal, Write};

use load::{Report, Sample, line, line_head, progress};

/// Standard output; on a terminal with a last line that shows how far the load is.
pub struct Screen {
    quiet: bool,
    live: bool,
    has_head: bool,
    rates: Vec<f64>,
}

impl Screen {
    pub fn new(quiet: bool) -> Screen {
        Screen {
            quiet,
            live: !quiet && io::stdout().is_terminal(),
            has_head: false,
            rates: Vec::new(),
        }
    }

    /// A second has passed.
    pub fn sample(
        &mut self,
        sample: &Sample,
        events_per_message: u64,
        answered: bool,
    ) -> io::Result<()> {
        self.rates.push(if answered {
            sample.ack_rate(events_per_message)
        } else {
            sample.send_rate(events_per_message)
        });
        if self.quiet {
            return Ok(());
        }
        if !std::mem::replace(&mut self.has_head, true) {
            self.print(&line_head(answered))?;
        }
        self.print(&line(sample, events_per_message, answered))
    }

    /// Redraws the last line.
    pub fn progress(&mut self, phase: &str, done: f64) -> io::Result<()> {
        if !self.live {
            return Ok(());
        }
        let text = progress(phase, done, &self.rates);
        let mut out = io::stdout().lock();
        write!(out, "\r\x1b[2K{text}")?;
        out.flush()
    }

    /// The load is over.
    pub fn end(&mut self, report: &Report) -> io::Result<()> {
        self.print(load::summary(report).trim_end())
    }

    /// Prints lines, in place of the last one on a terminal.
    pub fn print(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.live {
            write!(out, "\r\x1b[2K")?;
        }
        writeln!(out, "{text}")
    }
}
