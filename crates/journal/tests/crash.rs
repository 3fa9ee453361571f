//! Proves that what was acknowledged survives: the pretend disk is crashed at every step (write,
//! sync, new name), as a killed process and as a machine without power.

use std::collections::BTreeMap;
use std::sync::Arc;

use journal::disk::pretend::{Crash, PretendDisk};
use journal::{Compression, Durability, Id, Journal, Options, Result, Start};

/// How many records a life appends: some seven segments of them.
const TURNS: i64 = 140;

/// What a program knows to be kept.
#[derive(Clone, Default)]
struct Known {
    /// Acknowledged, whatever crashes.
    durable: BTreeMap<u64, Vec<u8>>,
    /// Acknowledged, if only the process ends.
    appended: BTreeMap<u64, Vec<u8>>,
    /// The subscriber has been added.
    subscribed: bool,
    /// The last checkpoint that was stored, and the highest that was ever tried.
    checkpoint: u64,
    tried: u64,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    durability: Durability,
    compression: Compression,
}

const CASES: [Case; 5] = [
    Case {
        durability: Durability::Os,
        compression: Compression::None,
    },
    Case {
        durability: Durability::Os,
        compression: Compression::Lz4,
    },
    Case {
        durability: Durability::Interval { ms: 1 },
        compression: Compression::None,
    },
    Case {
        durability: Durability::Always,
        compression: Compression::None,
    },
    Case {
        durability: Durability::Always,
        compression: Compression::Lz4,
    },
];

fn options(case: Case) -> Options {
    Options {
        durability: case.durability,
        compression: case.compression,
        segment_bytes: 4096,
        buffer_bytes: 4096,
        ..Options::default()
    }
}

/// A record says which life of the journal wrote it, so that an old one is not taken for a new.
fn record(life: u64, number: u64) -> Vec<u8> {
    let mut bytes = format!("{life}/{number}/").into_bytes();
    let len = bytes.len() + (number * 37 % 400) as usize;
    bytes.resize(len, b'a' + (number % 26) as u8);
    bytes
}

/// One life: some appends, syncs and checkpoints, until the disk crashes.
fn live(disk: &PretendDisk, case: Case, life: u64, known: &mut Known) -> Result<()> {
    let journal = Journal::open_on(Arc::new(disk.clone()), options(case))?;
    if !known.subscribed {
        match journal.add_subscriber("a", Start::Begin) {
            Ok(()) | Err(journal::Error::SubscriberExists { .. }) => known.subscribed = true,
            Err(error) => return Err(error),
        }
    }
    for turn in 0..TURNS {
        let id = journal.last()?.next().0;
        let bytes = record(life, id);
        assert_eq!(journal.append(&bytes)?, Id(id));
        known.appended.insert(id, bytes.clone());
        if case.durability == Durability::Always {
            known.durable.insert(id, bytes);
        }
        if turn % 13 == 12 {
            journal.tick(turn * 1000)?;
        }
        if turn % 17 == 16 {
            journal.sync()?;
            known.durable.extend(known.appended.clone());
        }
        if turn % 11 == 10 {
            let checkpoint = id.saturating_sub(20).max(known.checkpoint);
            known.tried = known.tried.max(checkpoint);
            journal.checkpoint("a", Id(checkpoint))?;
            known.checkpoint = checkpoint;
        }
    }
    Ok(())
}

/// Opens what is left and holds it to what is known. Records up to `base` must be of the first life
/// and later ones of the second, if that is given. Returns the last id.
fn inspect(
    disk: &PretendDisk,
    case: Case,
    known: &Known,
    crash: Crash,
    base: Option<u64>,
    what: &str,
) -> u64 {
    let journal = Journal::open_on(Arc::new(disk.clone()), options(case))
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let kept = match crash {
        Crash::Process => &known.appended,
        Crash::Machine => &known.durable,
    };
    let checkpoint = if known.subscribed {
        journal.checkpoint_of("a").expect(what).0
    } else {
        0
    };
    assert!(checkpoint <= journal.last().expect(what).0, "{what}");
    assert!(checkpoint <= known.tried, "{what}: {checkpoint}");
    let always = case.durability == Durability::Always;
    if crash == Crash::Process || always {
        assert!(checkpoint >= known.checkpoint, "{what}: {checkpoint}");
    }
    let mut reader = journal.subscribe("check", Start::Begin).expect(what);
    reader.seek(Id(checkpoint));
    let mut read = BTreeMap::new();
    loop {
        let batch = reader.next_batch(50).expect(what);
        let Some((last, _)) = batch.last() else {
            break;
        };
        for (id, bytes) in batch.iter() {
            let text = String::from_utf8_lossy(bytes);
            let mut parts = text.split('/');
            let life = parts.next().and_then(|life| life.parse().ok());
            let life = life.unwrap_or_else(|| panic!("{what}: {id} is {text}"));
            let expected = base.map_or(life, |base| 1 + u64::from(id.0 > base));
            assert_eq!(life, expected, "{what}: {id} is another life's");
            assert_eq!(bytes, record(life, id.0), "{what}: {id}");
            let before = read.insert(id.0, bytes.to_vec());
            assert!(before.is_none(), "{what}: {id} twice");
        }
        assert_eq!(read.last_key_value().expect(what).0, &last.0, "{what}");
    }
    for (id, bytes) in kept.range(checkpoint + 1..) {
        assert_eq!(read.get(id), Some(bytes), "{what}: record {id} is lost");
    }
    journal.remove_subscriber("check").expect(what);
    journal.last().expect(what).0
}

/// Crashes a life at every step, and the life after it at some, in the one way or the other.
fn crash_everywhere(case: Case, crash: Crash, then: Crash, seeds: u64) {
    let whole = PretendDisk::new();
    live(&whole, case, 1, &mut Known::default()).expect("no crash");
    let steps = whole.steps();
    assert!(steps > 30, "{steps}");
    for step in 1..=steps {
        for seed in 1..=seeds {
            let disk = PretendDisk::new();
            disk.crash_at(step);
            let mut known = Known::default();
            // A crash while the journal is closed is not told to anybody.
            let _ = live(&disk, case, 1, &mut known);
            let seed = seed * 7919 + step;
            let left = disk.after(crash, seed);
            let what = format!("{case:?} {crash:?}, {then:?} at {step} of {steps}, seed {seed}");
            let found = left.after(Crash::Process, 1);
            let base = inspect(&found, case, &known, crash, None, &what);

            // The next life, which may crash too, in the middle of its recovery.
            left.crash_at(1 + (seed.wrapping_mul(31)) % 40);
            if crash == Crash::Machine {
                known.appended = known.durable.clone();
                if case.durability != Durability::Always {
                    known.checkpoint = 0;
                }
            }
            let _ = live(&left, case, 2, &mut known);
            let again = left.after(then, seed + 1);
            let what = format!("{what}, and again");
            // Of two machines that crash, the second may bring back what the first has lost.
            let base = (then == Crash::Process).then_some(base);
            inspect(&again, case, &known, then, base, &what);
        }
    }
}

/// With `SLOW=1` many more ways in which a crash may turn out.
fn seeds(few: u64) -> u64 {
    if std::env::var_os("SLOW").is_some() {
        few * 10
    } else {
        few
    }
}

#[test]
fn a_killed_process_loses_nothing() {
    for case in CASES {
        crash_everywhere(case, Crash::Process, Crash::Process, seeds(1));
    }
}

#[test]
fn a_machine_without_power_loses_nothing_that_was_synced() {
    for case in CASES {
        crash_everywhere(case, Crash::Machine, Crash::Machine, seeds(3));
    }
}

#[test]
fn a_process_killed_after_the_machine_crashed_loses_nothing_of_its_own() {
    for case in CASES {
        crash_everywhere(case, Crash::Machine, Crash::Process, seeds(2));
    }
}
