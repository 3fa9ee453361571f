//! Proves with real processes that what was acknowledged outlives `kill -9`, and that several
//! processes can share a journal. `SLOW=1` kills a thousand times in each mode.
//!
//! The writers are this test program again: `writer` and `filler` do nothing unless they are
//! told a folder.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use journal::{
    Compression, Durability, Error, Id, Journal, Mode, Options, Reader, Recovery, Start,
};
use tempfile::TempDir;

const FOLDER: &str = "JOURNAL_TEST_FOLDER";
const NAME: &str = "JOURNAL_TEST_WRITER";
const CASE: &str = "JOURNAL_TEST_CASE";
const END: &str = "JOURNAL_TEST_END";

/// The modes in which processes are killed.
const CASES: usize = 6;

fn options(case: usize) -> Options {
    let (durability, compression, mode) = match case {
        0 => (Durability::Os, Compression::None, Mode::SingleProcess),
        1 => (Durability::Os, Compression::Lz4, Mode::SingleProcess),
        2 => (
            Durability::Interval { ms: 1 },
            Compression::None,
            Mode::SingleProcess,
        ),
        3 => (Durability::Always, Compression::None, Mode::SingleProcess),
        4 => (Durability::Os, Compression::None, Mode::MultiProcess),
        _ => (Durability::Always, Compression::Lz4, Mode::MultiProcess),
    };
    Options {
        durability,
        compression,
        mode,
        segment_bytes: 16 << 10,
        buffer_bytes: 4096,
        ..Options::default()
    }
}

fn record(writer: &str, number: u64) -> Vec<u8> {
    let mut bytes = format!("{writer} {number} ").into_bytes();
    let len = bytes.len() + (number * 31 % 150) as usize;
    bytes.resize(len, b'a' + (number % 26) as u8);
    bytes
}

/// Appends until it is killed, or to a number, and says what was acknowledged.
#[test]
fn writer() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let name = std::env::var(NAME).expect("a name");
    let case = std::env::var(CASE).expect("a case").parse().expect("one");
    let end: u64 = std::env::var(END).expect("an end").parse().expect("one");
    let journal = Journal::open(Path::new(&folder), options(case)).expect("it opens");
    let mut out = std::io::stdout().lock();
    for number in 1..=end {
        let id = journal.append(&record(&name, number)).expect("room");
        if number % 50 == 0 {
            journal.tick(number as i64 * 1000).expect("ticked");
        }
        // The pipe is closed when the parent has seen enough.
        if writeln!(out, "ack {number} {id}").is_err() {
            return;
        }
    }
}

/// Fills its files up to what the system lets them be, and goes on when they may be longer.
#[test]
fn filler() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let limit = |bytes: u64| {
        let limit = libc::rlimit {
            rlim_cur: bytes,
            rlim_max: libc::RLIM_INFINITY,
        };
        // SAFETY: the limit is a good one; a signal that is ignored runs nothing.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit), 0);
        }
    };
    let options = Options {
        segment_bytes: 1 << 20,
        ..options(0)
    };
    let journal = Journal::open(Path::new(&folder), options).expect("it opens");
    limit(50_000);
    let mut number = 1;
    let full = loop {
        match journal.append(&record("f", number)) {
            Ok(id) => assert_eq!(id, Id(number)),
            Err(error) => break error,
        }
        number += 1;
    };
    assert!(matches!(full, Error::Full { .. }), "{full}");
    limit(1 << 30);
    for number in number..number + 500 {
        assert_eq!(
            journal.append(&record("f", number)).expect("room"),
            Id(number)
        );
    }
    println!("ack {} {}", number + 499, number + 499);
}

#[test]
fn a_file_that_may_not_grow_costs_nothing() {
    let folder = TempDir::new().expect("a folder");
    let mut filler = Writer::run(folder.path(), "filler", "f", 0, 0);
    filler.listen(u64::MAX);
    assert!(filler.child.wait().expect("it ends").success());
    let journal = Journal::open(folder.path(), options(0)).expect("it opens");
    let mut reader = journal
        .subscribe_passing("check", Start::Begin)
        .expect("added");
    let all = read_all(&mut reader);
    assert_eq!(filler.acknowledged.values().max(), all.keys().max());
    assert!(all.len() > 900, "{}", all.len());
    let numbers = (1..).map(|number| record("f", number));
    assert!(all.values().zip(numbers).all(|(one, other)| *one == other));
}

struct Writer {
    child: Child,
    out: BufReader<ChildStdout>,
    name: String,
    acknowledged: BTreeMap<u64, Id>,
}

impl Writer {
    fn start(folder: &Path, name: &str, case: usize, end: u64) -> Writer {
        Writer::run(folder, "writer", name, case, end)
    }

    fn run(folder: &Path, role: &str, name: &str, case: usize, end: u64) -> Writer {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", role, "--nocapture"])
            .env(FOLDER, folder)
            .env(NAME, name)
            .env(CASE, case.to_string())
            .env(END, end.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        Writer {
            out: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
            name: name.to_owned(),
            acknowledged: BTreeMap::new(),
        }
    }

    /// Reads what it says, up to `count` acknowledgements. Says whether it goes on.
    fn listen(&mut self, count: u64) -> bool {
        let mut heard = 0;
        while heard < count {
            let mut line = Vec::new();
            let read = self.out.read_until(b'\n', &mut line).expect("a pipe");
            if read == 0 {
                return false;
            }
            let line = String::from_utf8_lossy(&line);
            let Some((_, rest)) = line.split_once("ack ") else {
                continue;
            };
            // A line that the kill cut short acknowledges nothing.
            let mut words = rest.strip_suffix('\n').unwrap_or("").split(' ');
            let number = words.next().and_then(|word| word.parse().ok());
            let id = words.next().and_then(|word| word.parse().ok());
            if let (Some(number), Some(id)) = (number, id) {
                self.acknowledged.insert(number, id);
                heard += 1;
            }
        }
        true
    }

    fn kill(&mut self) {
        self.child.kill().expect("it is ours");
        self.listen(u64::MAX);
        self.child.wait().expect("it ends");
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// All records by id, having checked that none is missing or torn.
fn read_all(reader: &mut Reader) -> BTreeMap<Id, Vec<u8>> {
    let mut all = BTreeMap::new();
    loop {
        let batch = reader.next_batch(1000).expect("it reads");
        if batch.is_empty() {
            break;
        }
        for (id, bytes) in batch.iter() {
            let text = String::from_utf8_lossy(bytes);
            let mut words = text.split(' ');
            let writer = words.next().expect("a name");
            let number = words.next().and_then(|number| number.parse().ok());
            assert_eq!(bytes, record(writer, number.expect("a number")), "{id}");
            assert!(all.insert(id, bytes.to_vec()).is_none(), "{id} twice");
        }
    }
    assert_eq!(reader.take_damages(), []);
    all
}

fn rounds(few: u64) -> u64 {
    if std::env::var_os("SLOW").is_some() {
        1000
    } else {
        few
    }
}

#[test]
fn what_was_acknowledged_outlives_kill_9() {
    for case in 0..CASES {
        let folder = TempDir::new().expect("a folder");
        let mut acknowledged = BTreeMap::new();
        let mut moment = 17;
        for round in 0..rounds(5) {
            let name = format!("w{round}");
            let mut writer = Writer::start(folder.path(), &name, case, u64::MAX);
            moment = moment * 1103 % 307;
            assert!(writer.listen(moment + 1), "case {case}: it stopped");
            writer.kill();
            for (number, id) in &writer.acknowledged {
                acknowledged.insert(*id, record(&name, *number));
            }
            let journal = Journal::open(folder.path(), options(case)).expect("it opens");
            // A write may be cut short, and a segment that is used again may have its new name
            // but not yet its new head. Neither was acknowledged.
            let mended = journal.recovery().clone();
            let expected = Recovery {
                from_buffer: mended.from_buffer,
                torn_bytes: mended.torn_bytes,
                misnamed: mended.misnamed.min(1),
                ..Recovery::default()
            };
            assert_eq!(mended, expected, "case {case}");
            let mut reader = journal.subscribe("check", Start::Begin).expect("added");
            let from = journal.checkpoint_of("check").expect("it is there");
            let all = read_all(&mut reader);
            for (id, bytes) in acknowledged.range(from.next()..) {
                assert_eq!(all.get(id), Some(bytes), "case {case} round {round}: {id}");
            }
            let last = journal.last().expect("open");
            let whole = (from.0 + 1..=last.0).map(Id);
            assert!(
                all.keys().copied().eq(whole),
                "case {case}: ids have no gaps"
            );
            // Some are read again in the next round, the rest may go.
            let safe = Id(last.0.saturating_sub(500)).max(from);
            reader.checkpoint(safe).expect("stored");
            acknowledged = acknowledged.split_off(&safe);
        }
    }
}

#[test]
fn writers_and_readers_of_several_processes_share_a_journal() {
    let folder = TempDir::new().expect("a folder");
    let journal = Journal::open(folder.path(), options(4)).expect("it opens");
    let mut reader = journal.subscribe("all", Start::Begin).expect("added");
    let mut writers: Vec<Writer> = ["a", "b", "c"]
        .into_iter()
        .map(|name| Writer::start(folder.path(), name, 4, 3000))
        .collect();
    // One of them is killed while the others go on; we append and read meanwhile.
    assert!(writers[0].listen(500));
    writers[0].kill();
    let mut all = BTreeMap::new();
    for number in 1..=500 {
        journal.append(&record("here", number)).expect("room");
        all.extend(read_all(&mut reader));
        if let Some((last, _)) = all.last_key_value() {
            reader.checkpoint(*last).expect("stored");
        }
    }
    for writer in &mut writers[1..] {
        writer.listen(u64::MAX);
        assert!(writer.child.wait().expect("it ends").success());
        assert_eq!(writer.acknowledged.len(), 3000);
    }
    all.extend(read_all(&mut reader));
    assert_eq!(journal.last().expect("open").0, all.len() as u64);
    for writer in &writers {
        for (number, id) in &writer.acknowledged {
            assert_eq!(all[id], record(&writer.name, *number));
        }
        let prefix = format!("{} ", writer.name).into_bytes();
        let own = all.values().filter(|bytes| bytes.starts_with(&prefix));
        let expected = (1..).map(|number| record(&writer.name, number));
        assert!(own.zip(expected).all(|(own, expected)| *own == expected));
    }
}

/// What stands for a record, so that millions can be remembered.
fn mark(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Three processes write; again and again one of them is killed and another takes its place. The
/// rest go on, and this one reads along: nothing that was acknowledged is missing.
#[test]
fn processes_that_share_a_journal_are_killed_one_after_the_other() {
    for case in [4, 5] {
        let folder = TempDir::new().expect("a folder");
        let journal = Journal::open(folder.path(), options(case)).expect("it opens");
        let mut reader = journal.subscribe("check", Start::Begin).expect("added");
        let start = |number: u64| {
            let name = format!("w{number}");
            Writer::start(folder.path(), &name, case, u64::MAX)
        };
        let mut writers: Vec<Writer> = (0..3).map(start).collect();
        // By id, from 1 on.
        let mut marks = Vec::new();
        let mut moment = 17;
        for round in 0..rounds(6) {
            moment = moment * 1103 % 307;
            for writer in &mut writers {
                assert!(writer.listen(moment % 40 + 1), "case {case}: it stopped");
            }
            let victim = (moment % 3) as usize;
            let mut killed = std::mem::replace(&mut writers[victim], start(round + 3));
            assert!(killed.listen(moment + 1), "case {case}: it stopped");
            killed.kill();
            for (id, bytes) in read_all(&mut reader) {
                assert_eq!(
                    id.0,
                    marks.len() as u64 + 1,
                    "case {case}: ids have no gaps"
                );
                marks.push(mark(&bytes));
            }
            for (number, id) in &killed.acknowledged {
                let expected = mark(&record(&killed.name, *number));
                let read = marks.get(id.0 as usize - 1);
                assert_eq!(read, Some(&expected), "case {case} round {round}: {id}");
            }
            reader.checkpoint(Id(marks.len() as u64)).expect("stored");
        }
    }
}

#[test]
fn a_journal_for_one_process_tells_a_second_one() {
    let folder = TempDir::new().expect("a folder");
    let mut writer = Writer::start(folder.path(), "a", 0, u64::MAX);
    assert!(writer.listen(1));
    let second = Journal::open(folder.path(), options(0));
    assert!(matches!(second.err(), Some(Error::Locked)));
    // It can be looked at while it is written.
    let view = Journal::view(folder.path()).expect("it is there");
    let mut reader = view.subscribe_passing("v", Start::Begin).expect("added");
    let mut all = BTreeMap::new();
    while all.len() < 3000 {
        assert!(writer.listen(100));
        all.extend(read_all(&mut reader));
    }
    assert_eq!(all.last_key_value().expect("some").0.0, all.len() as u64);
    assert!(matches!(view.append(b"x"), Err(Error::ReadOnly)));
    writer.kill();
    let journal = Journal::open(folder.path(), options(0)).expect("it is free again");
    assert!(journal.last().expect("open") >= Id(writer.acknowledged.len() as u64));
}

#[test]
fn a_subscriber_added_in_one_process_is_seen_in_another() {
    let folder = TempDir::new().expect("a folder");
    // Two handles in one process have locks of their own, as two processes do.
    let one = Journal::open(folder.path(), options(4)).expect("it opens");
    let other = Journal::open(folder.path(), options(4)).expect("it opens");
    one.add_subscriber("a", Start::Begin).expect("added");
    let again = other.add_subscriber("a", Start::Begin);
    assert!(matches!(again, Err(Error::SubscriberExists { .. })));
    let last = one.append(b"x").expect("room");
    assert_eq!(other.last().expect("open"), last);
    other.checkpoint("a", last).expect("stored");
    assert_eq!(one.checkpoint_of("a").expect("there"), last);
}
