//! Flags of `cauchy history`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
#[command(after_help = "\
Asks a running server over HTTP, or reads a folder of history, also one that a server has open.
Matching series are merged into one, unless --each wants each by itself.

A time is ISO 8601 (UTC if it names no zone), seconds since 1970, now, or -6h. A length is 10s, 1m,
1h30m, 1d. What --show takes, parted by commas, X and Q being numbers:
  count sum mean min max last rate stddev text modes heatmap histogram
  quantile:Q  share-above:X  share-below:X  count-above:X  count-below:X
  people-above:X          how many were at or above X since --from: one measurement, one person
  people-minutes-above:X  the same in minutes; with X@10s each measurement stands for 10 seconds

Examples:
  cauchy history 'service = \"api latency\"' --from -1d --show quantile:0.99,share-above:1.5,count
  cauchy history 'service = \"login\"' --from 2026-06-10T02:00 --show people-above:1.5
  cauchy history 'service =~ \"disk %\"' --each --show max --svg disks.svg
  cauchy history 'host = \"db1\"' --show heatmap --dir /var/lib/cauchy/history
  cauchy history 'service = \"rtt\"' --source raw --from -5m --csv
  cauchy history 'host = \"db1\"' --names

Exit status: 0; 1 if there is no answer, or if damage left a part of it out.")]
pub struct HistoryCommand {
    /// Which series, in Riemann's query language: by host, service, and what `:by` names
    pub query: String,

    /// From this time on
    #[arg(
        long,
        value_name = "TIME",
        default_value = "-1h",
        allow_hyphen_values = true
    )]
    pub from: String,

    /// Before this time
    #[arg(
        long,
        value_name = "TIME",
        default_value = "now",
        allow_hyphen_values = true
    )]
    pub to: String,

    /// How long a step is; what fits the time if not given
    #[arg(long, value_name = "LENGTH")]
    pub step: Option<String>,

    /// What is shown of each step; counts and quantiles if not given
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub show: Option<String>,

    /// Where it is taken from: auto, raw (samples as they came, without --step), 1m, 30m
    #[arg(long, value_name = "SOURCE")]
    pub source: Option<String>,

    /// Show each series by itself
    #[arg(long)]
    pub each: bool,

    /// Name the series that match, and nothing else
    #[arg(long)]
    pub names: bool,

    /// The server
    #[arg(
        long,
        value_name = "URL",
        env = "CAUCHY_URL",
        default_value = "http://127.0.0.1:5556"
    )]
    pub url: String,

    /// Read this folder of history instead
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Draw the plot into a file instead of the terminal
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Print the answer as JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,

    /// Print the answer as comma-separated values
    #[arg(long)]
    pub csv: bool,

    /// The newest rows of each series that are printed; 0 prints all
    #[arg(long, value_name = "COUNT", default_value_t = 24)]
    pub rows: usize,
}

impl HistoryCommand {
    /// The names and values of the question's parts.
    pub fn parts(&self) -> Vec<(&'static str, &str)> {
        let mut parts = vec![("query", &*self.query)];
        if self.names {
            return parts;
        }
        parts.extend([("from", &*self.from), ("to", &*self.to)]);
        parts.extend(self.step.as_deref().map(|step| ("step", step)));
        parts.extend(self.show.as_deref().map(|show| ("show", show)));
        parts.extend(self.source.as_deref().map(|source| ("source", source)));
        parts.extend(self.each.then_some(("each", "true")));
        parts
    }
}
