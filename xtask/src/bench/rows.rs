//! What is measured, and what it should come to.

/// A figure with a target.
pub struct Row {
    /// By which it is chosen.
    pub name: &'static str,
    pub work: &'static str,
    pub limit: Limit,
    pub unit: &'static str,
    /// Of the program's benches, the one that measures it.
    pub bench: &'static str,
    /// What chooses it there.
    pub word: &'static str,
    /// As the bench calls it.
    pub figure: &'static str,
}

#[derive(Clone, Copy)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

impl Limit {
    pub fn holds(self, figure: f64) -> bool {
        match self {
            Limit::AtMost(most) => figure <= most,
            Limit::AtLeast(least) => figure >= least,
        }
    }
}

use Limit::{AtLeast, AtMost};

const fn row(
    name: &'static str,
    work: &'static str,
    limit: Limit,
    unit: &'static str,
    [bench, word, figure]: [&'static str; 3],
) -> Row {
    Row {
        name,
        work,
        limit,
        unit,
        bench,
        word,
        figure,
    }
}

pub const ROWS: &[Row] = &[
    row(
        "1k",
        "messages of 100 events, 1 K keys, built-in configuration without history",
        AtMost(2.2),
        "× floor",
        ["floor", "1000", "1000 keys, ratio"],
    ),
    row(
        "100k",
        "the same, 100 K keys",
        AtMost(2.0),
        "× floor",
        ["floor", "100000", "100000 keys, ratio"],
    ),
    row(
        "1m",
        "the same, 1 M keys",
        AtMost(2.0),
        "× floor",
        ["floor", "1000000", "1000000 keys, ratio"],
    ),
    row(
        "history",
        "messages of 100 events, 10 K series, built-in configuration",
        AtMost(3.0),
        "× without history",
        ["floor", "history", "history, ratio"],
    ),
    row(
        "history-append",
        "the same: samples for the processor time that history adds",
        AtLeast(3.0),
        "M/s a core",
        ["floor", "history", "history, M samples a core"],
    ),
    row(
        "workers",
        "two workers fed from memory, 1 K keys",
        AtLeast(1.7),
        "× one",
        ["floor", "workers", "workers, 1000 keys"],
    ),
    row(
        "workers-hot",
        "the same, one hot key",
        AtLeast(1.7),
        "× one",
        ["floor", "workers", "workers, 1 keys"],
    ),
    row(
        "wheres-24",
        "24 sibling wheres on service and state",
        AtMost(1.5),
        "× without",
        [
            "streams",
            "24 wheres",
            "24 wheres on service and state against none, ratio",
        ],
    ),
    row(
        "wheres-500",
        "500 sibling wheres on service",
        AtMost(3.0),
        "× without",
        [
            "streams",
            "500 wheres on service against none",
            "500 wheres on service against none, ratio",
        ],
    ),
    row(
        "histogram",
        "a histogram for each host and service",
        AtMost(1.3),
        "× rate",
        [
            "streams",
            "histogram against rate",
            "histogram against rate, ratio",
        ],
    ),
    row(
        "smap",
        "smap of a lambda with an assoc, then index",
        AtLeast(3.0),
        "M/s of cpu",
        [
            "streams",
            "smap of a lambda",
            "smap of a lambda with assoc, index, against index, M/s",
        ],
    ),
    row(
        "hard-case",
        "30 wheres, index, rate, by with percentiles",
        AtLeast(2.0),
        "M/s of cpu",
        [
            "streams",
            "hard case",
            "hard case, M events/s of processor time",
        ],
    ),
    row(
        "hard-case-pause",
        "its longest pause, time without a processor left out",
        AtMost(20.0),
        "ms",
        [
            "streams",
            "hard case",
            "hard case, ms, time without a processor left out",
        ],
    ),
    row(
        "hard-case-memory",
        "its memory",
        AtMost(150.0),
        "MB",
        ["streams", "hard case", "hard case, MB resident at most"],
    ),
    row(
        "singles",
        "messages of one event, 4096 deep, coalesced writes",
        AtLeast(4.0),
        "M/s of cpu",
        ["wire", "singles coalesced", "singles coalesced, M/s of cpu"],
    ),
    row(
        "singles-128",
        "one write each, window 128",
        AtLeast(0.8),
        "× bare",
        [
            "wire",
            "singles a write each, window 128",
            "singles a write each, window 128, M/s, ratio",
        ],
    ),
    row(
        "singles-4096",
        "one write each, window 4096",
        AtLeast(0.8),
        "× bare",
        [
            "wire",
            "singles a write each, window 4096",
            "singles a write each, window 4096, M/s, ratio",
        ],
    ),
    row(
        "round-trip",
        "synchronous round trip, the median",
        AtMost(1.25),
        "× echo",
        ["wire", "round trip", "round trip, ratio"],
    ),
    row(
        "journal",
        "messages of 100 events, with a journal in front in `os`",
        AtLeast(0.7),
        "× without",
        [
            "journal",
            "messages of 100 events",
            "server, messages of 100 events, ratio",
        ],
    ),
    row(
        "journal-singles",
        "the same, messages of one event",
        AtLeast(0.7),
        "× without",
        [
            "journal",
            "messages of one event",
            "server, messages of one event, ratio",
        ],
    ),
    row(
        "journal-always",
        "64 writers of 1 KiB that wait for the disk",
        AtLeast(0.8),
        "× write and sync",
        [
            "journal",
            "64 writers of 1 KiB",
            "always, 64 writers of 1 KiB, ratio",
        ],
    ),
    row(
        "datagrams",
        "200 K datagrams/s for 10 s: lost",
        AtMost(0.1),
        "%",
        ["wire", "datagrams", "datagrams, lost percent"],
    ),
    row(
        "datagrams-uncounted",
        "of these lost and not counted",
        AtMost(0.0),
        "datagrams",
        ["wire", "datagrams", "datagrams, uncounted"],
    ),
    row(
        "memory-idle",
        "memory, idle",
        AtMost(20.0),
        "MB",
        ["wire", "memory", "memory, idle MB"],
    ),
    row(
        "memory-1m",
        "memory, 1 M keys with tags and description",
        AtMost(400.0),
        "MB",
        ["wire", "memory", "memory, keys MB"],
    ),
    row(
        "pipe-coalesced",
        "streamer, 1 client, coalesced, through memory, counted",
        AtLeast(5.0),
        "M/s",
        [
            "streamer",
            "coalesced, 1 client",
            "streamer coalesced, 1 client, M/s",
        ],
    ),
    row(
        "pipe-coalesced-5",
        "the same, 5 clients",
        AtLeast(5.0),
        "M/s",
        [
            "streamer",
            "coalesced, 5 clients",
            "streamer coalesced, 5 clients, M/s",
        ],
    ),
    row(
        "pipe-singles",
        "the same, 1 client, one write each",
        AtLeast(0.75),
        "M/s",
        [
            "streamer",
            "singles, 1 client",
            "streamer singles, 1 client, M/s",
        ],
    ),
    row(
        "pipe-singles-5",
        "the same, 5 clients, one write each",
        AtLeast(1.44),
        "M/s",
        [
            "streamer",
            "singles, 5 clients",
            "streamer singles, 5 clients, M/s",
        ],
    ),
    row(
        "queue-memory",
        "queue in memory, messages of 100 bytes",
        AtLeast(2.0),
        "× ArrayQueue",
        [
            "queues",
            "memory",
            "memory queue, against ArrayQueue, ratio",
        ],
    ),
    row(
        "queue-zmq",
        "queue in libzmq",
        AtLeast(0.8),
        "× bare",
        [
            "queues",
            "zmq",
            "zmq queue, against bare PUSH and PULL of as many bytes, ratio",
        ],
    ),
    row(
        "store-redis",
        "into Redis by LPUSH",
        AtLeast(0.7),
        "× prebuilt",
        [
            "queues",
            "redis",
            "redis store, against prebuilt LPUSH, ratio",
        ],
    ),
    row(
        "start",
        "start to listening",
        AtMost(20.0),
        "ms",
        ["wire", "start to listening", "start to listening, ms"],
    ),
];
