//! `async-queue!` with a journal: children that run on threads of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clj::{Cx, Native, Result, Runtime, Value, seq};
use parking_lot::Mutex;
use sinks::durable::{Courier, Progress, record};
use sinks::target::DeliveryError;

use super::queues::Made;
use super::{QueueSpec, Queues, entrance, entry};
use crate::given::unfit;

const NAME: &str = "async-queue!";

/// Tries of an event whose child throws, if the configuration does not say: as of a sink in
/// memory, for nobody knows whether what a function throws will pass.
const TRIES: u32 = sinks::policy::ATTEMPTS;

/// Records in hand for each thread.
const RECORDS_PER_THREAD: usize = 64;

/// Threads of one queue, at most.
const THREADS_MAX: usize = 128;

/// Stack of the threads: as that of the thread that holds the records.
const STACK_BYTES: usize = 16 << 20;

pub const NATIVES: &[Native] = &[Native {
    name: "-journal-queue",
    arglists: "([options children])",
    doc: "A stream that puts events into a journal, whence they go to the children; nil if the \
          queue that the options tell of is in memory.",
    arity: (2, Some(2)),
    code: journal_queue,
}];

fn journal_queue(cx: &Cx<'_>, args: &[Value]) -> Result {
    let queue = seq::get(&args[0], &Value::keyword("queue")).unwrap_or_default();
    let Some(mut spec) = QueueSpec::read(NAME, &queue)? else {
        return Ok(Value::Nil);
    };
    spec.tries_max = spec.tries_max.or(Some(TRIES));
    let threads = match seq::get(&args[0], &Value::keyword("core-pool-size")) {
        None | Some(Value::Nil) => 1,
        Some(Value::Int(threads)) if threads > 0 => threads as usize,
        Some(other) => return Err(unfit(NAME, "core-pool-size", "a whole number", &other)),
    };
    let children = seq::to_vec(&args[1])?;
    let queues = cx.get::<Queues>()?;
    queues.register(cx.rt, spec, (NAME, args), |entrance| {
        if !queues.are_kept() {
            return Ok(Made {
                face: Value::Nil,
                courier: None,
            });
        }
        Ok(Made {
            face: entrance::stream(NAME, entrance, &[]),
            courier: Some(Box::new(move |rt| {
                Box::new(ChildrenCourier {
                    rt: rt.clone(),
                    children,
                    threads: threads.min(THREADS_MAX),
                    jobs: Vec::new(),
                })
            })),
        })
    })
}

/// Calls the children.
struct ChildrenCourier {
    rt: Arc<Runtime>,
    children: Vec<Value>,
    threads: usize,
    /// One of each record in hand.
    jobs: Vec<Mutex<Job>>,
}

/// An event on its way through the children.
#[derive(Default)]
struct Job {
    value: Value,
    /// The first child that has not returned from it.
    child: usize,
    is_done: bool,
}

impl ChildrenCourier {
    /// Hands an event to the children that have not returned from it.
    fn run(&self, job: &Mutex<Job>) -> std::result::Result<(), DeliveryError> {
        let mut job = job.lock();
        let cx = Cx::new(&self.rt);
        while let Some(child) = self.children.get(job.child) {
            let called = cx.call(child, std::slice::from_ref(&job.value));
            called.map_err(|thrown| DeliveryError::passing(thrown.to_string()))?;
            job.child += 1;
        }
        job.is_done = true;
        Ok(())
    }

    fn undone(&self) -> impl Iterator<Item = (usize, &Mutex<Job>)> {
        let jobs = self.jobs.iter().enumerate();
        jobs.filter(|(_, job)| !job.lock().is_done)
    }

    /// Runs all that is in hand, each on whatever thread is free.
    fn run_all(&self) -> std::result::Result<(), DeliveryError> {
        let undone: Vec<&Mutex<Job>> = self.undone().map(|(_, job)| job).collect();
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(None);
        let serve = || {
            while let Some(job) = undone.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.run(job) {
                    failed.lock().get_or_insert(error);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(undone.len()) {
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                if thread.spawn_scoped(scope, serve).is_err() {
                    // The others do its work.
                    break;
                }
            }
            serve();
        });
        failed.into_inner().map_or(Ok(()), Err)
    }
}

impl Courier for ChildrenCourier {
    fn records_max(&self) -> usize {
        RECORDS_PER_THREAD * self.threads
    }

    fn take(&mut self, records: &[Vec<u8>]) -> Vec<(usize, String)> {
        let mut odd = Vec::new();
        self.jobs.clear();
        for (place, bytes) in records.iter().enumerate() {
            let unknown = || "a record of a kind that this program does not know".to_owned();
            let record = record::read(bytes).ok_or_else(unknown);
            let value = record.and_then(|record| entry::read(&Cx::new(&self.rt), &record));
            let mut job = Job::default();
            match value {
                Ok(value) => job.value = value,
                Err(reason) => {
                    job.is_done = true;
                    odd.push((place, reason));
                }
            }
            self.jobs.push(Mutex::new(job));
        }
        odd
    }

    /// One event at a time where there is one thread, so that they keep their order.
    fn deliver(&mut self) -> std::result::Result<Progress, DeliveryError> {
        if self.threads > 1 {
            self.run_all()?;
            return Ok(Progress::Done);
        }
        let Some((_, job)) = self.undone().next() else {
            return Ok(Progress::Done);
        };
        self.run(job)?;
        Ok(Progress::More)
    }

    fn give_up(&mut self) -> Vec<usize> {
        let most = if self.threads > 1 { usize::MAX } else { 1 };
        let given_up: Vec<usize> = self.undone().take(most).map(|(place, _)| place).collect();
        for place in &given_up {
            self.jobs[*place].lock().is_done = true;
        }
        given_up
    }

    fn first_in_hand(&self) -> Option<usize> {
        self.undone().next().map(|(place, _)| place)
    }
}
