//! `cauchy store`: looks into a folder of history, checks it, copies it, and goes back.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use journal::disk::real::RealDisk;
use serde_json::json;
use store::{Options, Period, Query, Store, Verified};

#[derive(Args)]
#[command(after_help = "\
History is a folder of files that are written once, and a journal of what is newest. `info`,
`verify` and `export` write nothing and work beside a running server. The others need the folder to
themselves: stop the server first.

Exit status: 0; 1 if it could not be done, or if damage was found that is left.

Examples:
  cauchy store info /var/lib/cauchy/history
  cauchy store verify /var/lib/cauchy/history            look at every byte
  cauchy store snapshot /var/lib/cauchy/history /var/lib/cauchy/monday
  cauchy store rollback /var/lib/cauchy/history /var/lib/cauchy/monday
  cauchy store export /var/lib/cauchy/history | gzip > history.jsonl.gz")]
pub struct StoreCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Say what the store holds: series, batches and their bytes
    Info {
        /// The store's folder
        dir: PathBuf,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Look at every byte, and name what is damaged
    Verify {
        /// The store's folder
        dir: PathBuf,
        /// Answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Look at every byte, and make rolled-up history that is damaged anew where that is possible
    Scrub {
        /// The store's folder
        dir: PathBuf,
    },
    /// Make a folder that is the store as it is now, of links to its files
    Snapshot {
        /// The store's folder
        dir: PathBuf,
        /// The snapshot: on the same file system, and not there yet
        into: PathBuf,
    },
    /// Go back to a snapshot; what was there is kept beside it as `….before`
    Rollback {
        /// The store's folder
        dir: PathBuf,
        /// The snapshot; it stays as it is
        snapshot: PathBuf,
    },
    /// Write samples to standard output
    Export {
        /// The store's folder
        dir: PathBuf,
        /// From this time on, in seconds since 1970
        #[arg(long, value_name = "SECONDS")]
        from: Option<i64>,
        /// Until before this time
        #[arg(long, value_name = "SECONDS")]
        to: Option<i64>,
        /// JSON lines, or Parquet if the program was built with it
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Take samples as `export` writes them; what is there already is not there twice
    Import {
        /// The store's folder; made if it is not there
        dir: PathBuf,
        /// A file; standard input if none is given
        file: Option<PathBuf>,
        /// JSON lines, or Parquet, which must be a file, if the program was built with it
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Merge files, and roll up all history
    Compact {
        /// The store's folder
        dir: PathBuf,
    },
}

/// How samples are written.
#[derive(Clone, Copy, Default, ValueEnum)]
enum Format {
    #[default]
    Json,
    Parquet,
}

#[cfg(not(feature = "parquet"))]
const NO_PARQUET: &str = "this program was built without Parquet; build it with \
                          `cargo build --release --features parquet`, or use JSON lines";

/// Does what was asked for; errors go to standard error.
pub fn run(command: &StoreCommand) -> ExitCode {
    match dispatch(&command.command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(line) => {
            eprintln!("cauchy: {line}");
            ExitCode::FAILURE
        }
    }
}

/// Says whether no damage is left.
fn dispatch(command: &Command) -> Result<bool, String> {
    match command {
        Command::Info { dir, json } => info(dir, *json),
        Command::Verify { dir, json } => verify(dir, *json),
        Command::Scrub { dir } => scrub(dir),
        Command::Snapshot { dir, into } => {
            let files = open(dir)?.snapshot(dir, into).map_err(text)?;
            print(&format!("{files} files in {}\n", into.display()))
        }
        Command::Rollback { dir, snapshot } => {
            there(snapshot)?;
            // Nobody else may have it open; this ends before the folder is renamed.
            drop(open(dir)?);
            store::roll_back(dir, snapshot).map_err(text)?;
            Ok(true)
        }
        Command::Export {
            dir,
            from,
            to,
            format,
        } => export(dir, *from, *to, *format),
        Command::Import { dir, file, format } => import(dir, file.as_deref(), *format),
        Command::Compact { dir } => {
            open(dir)?.compact().map_err(text)?;
            info(dir, false)
        }
    }
}

fn text(error: store::Error) -> String {
    error.to_string()
}

fn print(text: &str) -> Result<bool, String> {
    let written = io::stdout().write_all(text.as_bytes());
    written.map_err(|error| error.to_string()).map(|()| true)
}

/// A store is made by a server or by `import`, not by a look at a folder that has none.
fn there(dir: &Path) -> Result<(), String> {
    let has = |name: &str| dir.join(name).exists();
    if has("journal") || has("series") {
        return Ok(());
    }
    let dir = dir.display();
    Err(format!(
        "{dir}: there is no history here; name the folder of a store"
    ))
}

fn open(dir: &Path) -> Result<Store, String> {
    there(dir)?;
    let opened = Store::open(dir, Options::default());
    opened.map_err(|error| unopened(dir, &error))
}

fn unopened(dir: &Path, error: &store::Error) -> String {
    let dir = dir.display();
    match error {
        store::Error::Journal(journal::Error::Locked) => format!(
            "{dir}: another process has this history open; stop it first, or look with `info`, \
             `verify` or `export`, which work beside it"
        ),
        error => format!("{dir}: {error}"),
    }
}

fn info(dir: &Path, as_json: bool) -> Result<bool, String> {
    there(dir)?;
    let info = store::info(&RealDisk::at(dir)).map_err(text)?;
    let mut lines = format!("series     {}\n", info.series);
    let mut periods = serde_json::Map::new();
    for period in Period::ALL {
        let batches = info
            .batches
            .iter()
            .filter(|(batch, _)| batch.period == period);
        let (files, bytes) = batches.fold((0, 0), |(files, bytes), (_, more)| {
            (files + 1, bytes + more)
        });
        lines += &format!("{:<9}  {files} files, {bytes} bytes\n", period.name());
        periods.insert(
            period.name().to_owned(),
            json!({"files": files, "bytes": bytes}),
        );
    }
    if as_json {
        lines = format!("{}\n", json!({"series": info.series, "periods": periods}));
    }
    print(&lines)
}

fn verify(dir: &Path, as_json: bool) -> Result<bool, String> {
    there(dir)?;
    let verified = store::verify(&RealDisk::at(dir)).map_err(text)?;
    let damages: Vec<String> = verified.damages.iter().map(ToString::to_string).collect();
    if as_json {
        let Verified {
            files,
            blocks,
            series,
            records,
            ..
        } = verified;
        let found = json!({"files": files, "blocks": blocks, "series": series,
            "records": records, "damages": damages});
        print(&format!("{found}\n"))?;
    } else {
        print(&report(&verified))?;
    }
    Ok(damages.is_empty())
}

fn report(verified: &Verified) -> String {
    let mut lines = format!(
        "{} blocks in {} files, {} series, {} records in the journal\n",
        verified.blocks, verified.files, verified.series, verified.records
    );
    for damage in &verified.damages {
        lines += &format!("{damage}\n");
    }
    lines
}

fn scrub(dir: &Path) -> Result<bool, String> {
    let scrubbed = open(dir)?.scrub().map_err(text)?;
    print(&report(&scrubbed.found))?;
    for name in &scrubbed.mended {
        print(&format!("{name} was made anew\n"))?;
    }
    Ok(scrubbed.left == 0)
}

fn export(dir: &Path, from: Option<i64>, to: Option<i64>, format: Format) -> Result<bool, String> {
    let micros = |seconds: i64| seconds.saturating_mul(1_000_000);
    let query = Query {
        matches: &|_| true,
        from_us: from.map_or(i64::MIN, micros),
        to_us: to.map_or(i64::MAX, micros),
    };
    there(dir)?;
    let viewed = Store::view(dir).map_err(|error| unopened(dir, &error))?;
    let answered = match format {
        Format::Json => {
            let mut out = BufWriter::new(io::stdout().lock());
            store::export(&viewed, &query, &mut out).map_err(text)?
        }
        Format::Parquet => export_parquet(&viewed, &query)?,
    };
    for damage in &answered.damages {
        eprintln!("cauchy: {damage}");
    }
    Ok(answered.damages.is_empty())
}

#[cfg(feature = "parquet")]
fn export_parquet(store: &Store, query: &Query) -> Result<store::Answered, String> {
    store::export_parquet(store, query, Box::new(BufWriter::new(io::stdout()))).map_err(text)
}

#[cfg(not(feature = "parquet"))]
fn export_parquet(_: &Store, _: &Query) -> Result<store::Answered, String> {
    Err(NO_PARQUET.to_owned())
}

#[cfg(feature = "parquet")]
fn import_parquet(store: &Store, file: File) -> Result<usize, String> {
    store::import_parquet(store, file).map_err(text)
}

#[cfg(not(feature = "parquet"))]
fn import_parquet(_: &Store, _: File) -> Result<usize, String> {
    Err(NO_PARQUET.to_owned())
}

fn import(dir: &Path, file: Option<&Path>, format: Format) -> Result<bool, String> {
    let file = file.map(|path| {
        let opened = File::open(path);
        opened.map_err(|error| format!("cannot open {}: {error}", path.display()))
    });
    let file = file.transpose()?;
    let opened = Store::open(dir, Options::default());
    let store = opened.map_err(|error| unopened(dir, &error))?;
    let taken = match (format, file) {
        (Format::Json, None) => store::import(&store, &mut io::stdin().lock()).map_err(text)?,
        (Format::Json, Some(file)) => {
            let mut lines = BufReader::new(file);
            store::import(&store, &mut lines).map_err(text)?
        }
        (Format::Parquet, Some(file)) => import_parquet(&store, file)?,
        (Format::Parquet, None) => {
            return Err("Parquet is read from its end: name a file".to_owned());
        }
    };
    store.seal().map_err(text)?;
    print(&format!("{taken} samples\n"))
}
