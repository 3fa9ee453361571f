//! Configurations fed from memory.

use std::cell::RefCell;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clock::SystemClock;
use codec::riemann::{Frames, decode_msg, encode_events, frame};
use config::{Configuration, Kept, Mode, Settings, Text, load};
use event::{Draft, Event, Number, Time, Views};

use crate::host::Machine;

pub const EVENTS_PER_MESSAGE: usize = 100;
const HOSTS: usize = 10;
const SERVICES: usize = 100;
/// Messages prepared: each key comes four times, with other metrics.
const MESSAGES: usize = 4 * HOSTS * SERVICES / EVENTS_PER_MESSAGE;
/// Longest message that is read.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// The metrics go up and down in this range.
const METRICS: usize = 997;

/// What the events are like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Usual,
    WithoutTtl,
    /// All of one host and service.
    HotKey,
}

/// Framed messages, one after the other.
pub fn messages(shape: Shape) -> Vec<u8> {
    let mut all = Vec::new();
    for number in 0..MESSAGES {
        let events: Vec<Event> = (0..EVENTS_PER_MESSAGE)
            .map(|place| event(number * EVENTS_PER_MESSAGE + place, shape))
            .collect();
        frame(&mut all, |out| encode_events(out, &events));
    }
    all
}

fn event(number: usize, shape: Shape) -> Event {
    let key = match shape {
        Shape::HotKey => 0,
        _ => number % (HOSTS * SERVICES),
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock after 1970");
    let state = if number.is_multiple_of(20) {
        "warning"
    } else {
        "ok"
    };
    Draft {
        host: Some(format!("web-{:05}.example.com", key / SERVICES).into()),
        service: Some(format!("disk {:02} used", key % SERVICES).into()),
        state: Some(state.into()),
        description: Some("all is well on this one".into()),
        metric: Some(Number::F64((number * 7919 % METRICS) as f64 / 8.0)),
        tags: Some(vec!["production".into(), "web".into()]),
        time: Some(Time::from_us(now.as_micros() as i64)),
        ttl: (shape != Shape::WithoutTtl).then_some(Number::F32(3600.0)),
        ..Draft::record()
    }
    .build()
}

/// A running configuration.
pub struct Fed(Configuration);

thread_local! {
    static SPARE: RefCell<Views<'static>> = RefCell::default();
}

impl Fed {
    pub fn new(text: &str) -> Fed {
        let settings = Settings {
            mode: Mode::Run,
            host: Arc::new(Machine::new(Vec::new())),
            clock: Arc::new(SystemClock::new()),
            kept: Kept::default(),
            wire: None,
            telemetry: None,
        };
        let source = Text::Source {
            name: "bench",
            text,
        };
        let configuration =
            load(&source, settings).unwrap_or_else(|problems| panic!("{}", problems[0].text));
        configuration
            .apply()
            .unwrap_or_else(|problem| panic!("{}", problem.text));
        Fed(configuration)
    }

    /// Streams that many messages; gives the number of events.
    pub fn feed(&self, messages: &[u8], count: usize) -> usize {
        let mut views = SPARE.take();
        let (mut left, mut events) = (count, 0);
        while left > 0 {
            for message in Frames::new(messages, MESSAGE_BYTES_MAX).take(left) {
                let mut decoded = views.recycle();
                let message = message.expect("a whole message");
                decode_msg(message, Time::from_s(0), &mut decoded).expect("a good message");
                self.0
                    .stream_views(&decoded, |_, error| panic!("{error:?}"));
                events += decoded.len();
                left -= 1;
                views = decoded.recycle();
            }
        }
        SPARE.set(views);
        events
    }
}

/// Processor time of this process so far.
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes the struct that it is given.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "the system has the clock");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How long this thread could have run and had no processor.
pub fn time_waiting() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("this thread runs");
    let waited = stat.split_ascii_whitespace().nth(1);
    Duration::from_nanos(
        waited
            .and_then(|ns| ns.parse().ok())
            .expect("a number of nanoseconds"),
    )
}

/// Resident memory of this process.
pub fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("this process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    1024 * kib
        .and_then(|kib| kib.parse::<u64>().ok())
        .expect("a size in kB")
}
