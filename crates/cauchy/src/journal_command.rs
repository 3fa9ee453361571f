//! `cauchy journal`: looks into a journal's folder, and moves its subscribers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::journal::{Durability, Error, Id, Journal, Options, Start};
use clap::{Args, Subcommand, ValueEnum};

use crate::journal_print as print;

#[derive(Args)]
#[command(after_help = "\
A journal is a folder of records in segments; each subscriber reads at its own pace, and segments
go when all have passed them. `info`, `subscribers`, `read`, `tail` and `verify` write nothing and
work beside a running server. The others need the journal to themselves, unless it was made for
several processes: stop the server first.

Exit status: 0; 1 if it could not be done, or if `verify` found damage.

Examples:
  cauchy journal info /var/lib/cauchy/ingest
  cauchy journal subscribers /var/lib/cauchy/ingest      who reads, and how far behind
  cauchy journal add /var/lib/cauchy/ingest safe --at 41200
  cauchy journal set /var/lib/cauchy/ingest streams 41200   read again from there
  cauchy journal tail /var/lib/cauchy/ingest --follow
  cauchy journal verify /var/lib/cauchy/ingest           check every record's checksum")]
pub struct JournalCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Say what the journal holds: records, segments, bytes, settings
    Info {
        #[command(flatten)]
        journal: Folder,
        #[command(flatten)]
        style: Style,
    },
    /// List the subscribers: checkpoint, unread records and bytes, age of the oldest
    Subscribers {
        #[command(flatten)]
        journal: Folder,
        #[command(flatten)]
        style: Style,
    },
    /// Add a subscriber
    Add {
        #[command(flatten)]
        journal: Folder,
        /// Its name
        name: String,
        /// Where it begins: `begin`, `end`, or after the record of this id
        #[arg(long, default_value = "begin", value_name = "WHERE")]
        at: String,
    },
    /// Remove a subscriber, and the segments that only it had not passed
    Remove {
        #[command(flatten)]
        journal: Folder,
        /// Its name
        name: String,
    },
    /// Set a subscriber's checkpoint: it reads on after the record of this id
    Set {
        #[command(flatten)]
        journal: Folder,
        /// Its name; it is added if it is not there
        name: String,
        /// The id, as `read` prints it; 0 is before all
        id: Id,
    },
    /// Print records
    Read {
        #[command(flatten)]
        journal: Folder,
        /// The id of the first one; the oldest if none is given
        #[arg(long, conflicts_with = "subscriber")]
        from: Option<Id>,
        /// Begin where this subscriber is; its checkpoint stays
        #[arg(long, value_name = "NAME")]
        subscriber: Option<String>,
        /// How many at most
        #[arg(long, short = 'n', default_value_t = usize::MAX, hide_default_value = true)]
        count: usize,
        /// How
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Print the last records
    Tail {
        #[command(flatten)]
        journal: Folder,
        /// How many
        #[arg(long, short = 'n', default_value_t = 10)]
        count: usize,
        /// Go on as records come, until interrupted
        #[arg(long, short = 'f')]
        follow: bool,
        /// How
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Check every record's checksum and name what is damaged
    Verify {
        #[command(flatten)]
        journal: Folder,
        #[command(flatten)]
        style: Style,
    },
    /// Mend what stops a journal from opening; no good record is removed
    Repair {
        #[command(flatten)]
        journal: Folder,
    },
    /// Delete the segments that nobody needs any more
    #[command(
        after_help = "Without subscribers all segments but the newest are deleted: nobody waits for them."
    )]
    Compact {
        #[command(flatten)]
        journal: Folder,
    },
}

#[derive(Args)]
struct Folder {
    /// The journal's folder
    dir: PathBuf,
}

#[derive(Args)]
struct Style {
    /// Answer as JSON
    #[arg(long)]
    json: bool,
}

/// How a record is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Its id and its text, control characters escaped
    Text,
    /// Its id and its bytes, two digits each
    Hex,
    /// One JSON object a line: id, and text or hex
    Json,
    /// Its bytes and a newline
    Raw,
}

/// Does what was asked for; errors go to standard error.
pub fn run(command: &JournalCommand) -> ExitCode {
    match dispatch(&command.command) {
        Ok(code) => code,
        Err(line) => {
            eprintln!("cauchy: {line}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: &Command) -> Result<ExitCode, String> {
    match command {
        Command::Info { journal, style } => print::info(&view(journal)?, style.json)?,
        Command::Subscribers { journal, style } => {
            print::subscribers(&view(journal)?, style.json)?;
        }
        Command::Read {
            journal,
            from,
            subscriber,
            count,
            format,
        } => {
            let view = view(journal)?;
            let after = first_wanted(&view, *from, subscriber.as_deref())?;
            print::records(&view, after, *count, *format, false)?;
        }
        Command::Tail {
            journal,
            count,
            follow,
            format,
        } => {
            let view = view(journal)?;
            let last = view.last().map_err(text)?.0;
            let after = Id(last.saturating_sub(*count as u64));
            print::records(&view, after, usize::MAX, *format, *follow)?;
        }
        Command::Verify { journal, style } => return verify(&journal.dir, style.json),
        Command::Repair { journal } => repair(&journal.dir)?,
        Command::Add { journal, name, at } => {
            let start = start(at)?;
            open(journal)?.add_subscriber(name, start).map_err(text)?;
        }
        Command::Remove { journal, name } => {
            open(journal)?.remove_subscriber(name).map_err(text)?;
        }
        Command::Set { journal, name, id } => {
            let set = open(journal)?.set_subscriber(name, *id).map_err(text)?;
            if set != *id {
                println!("{name} is at {set}, the last record; there is no {id} yet");
            }
        }
        Command::Compact { journal } => {
            let deleted = open(journal)?.compact().map_err(text)?;
            println!("{deleted} segments deleted");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn text(error: Error) -> String {
    error.to_string()
}

/// The journal as it is, whoever writes it.
fn view(folder: &Folder) -> Result<Journal, String> {
    Journal::view(&folder.dir).map_err(|error| named(&folder.dir, &error))
}

/// The journal, to change it. It is never made here.
fn open(folder: &Folder) -> Result<Journal, String> {
    view(folder)?;
    let options = Options {
        durability: Durability::Always,
        ..Options::default()
    };
    let journal =
        Journal::open(&folder.dir, options).map_err(|error| named(&folder.dir, &error))?;
    let recovery = journal.recovery();
    if !recovery.is_clean() {
        eprintln!("{}: after a crash: {recovery}", folder.dir.display());
    }
    Ok(journal)
}

fn named(dir: &Path, error: &Error) -> String {
    format!("{}: {error}", dir.display())
}

fn start(at: &str) -> Result<Start, String> {
    match at {
        "begin" => Ok(Start::Begin),
        "end" => Ok(Start::End),
        id => id
            .parse()
            .map(Start::After)
            .map_err(|_| format!("--at takes `begin`, `end` or the id of a record, not {id}")),
    }
}

/// After which record reading begins.
fn first_wanted(view: &Journal, from: Option<Id>, subscriber: Option<&str>) -> Result<Id, String> {
    match (from, subscriber) {
        (Some(id), _) => Ok(id.previous()),
        (None, Some(name)) => view.checkpoint_of(name).map_err(text),
        (None, None) => Ok(view.first().map_err(text)?.previous()),
    }
}

fn verify(dir: &Path, json: bool) -> Result<ExitCode, String> {
    let disk = ::journal::disk::real::RealDisk::at(dir);
    let verified = ::journal::verify(&disk).map_err(|error| named(dir, &error))?;
    print::verified(&verified, json)?;
    Ok(if verified.damages.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn repair(dir: &Path) -> Result<(), String> {
    // A journal is never made here, so one is opened only where one has been open before.
    if dir.join("alive").exists()
        && let Err(error @ Error::Locked) = Journal::open(dir, Options::default())
    {
        return Err(named(dir, &error));
    }
    let disk = ::journal::disk::real::RealDisk::at(dir);
    let repaired = ::journal::repair(&disk).map_err(|error| named(dir, &error))?;
    print::repaired(&repaired)
}
