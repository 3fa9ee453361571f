//! Sessions: what one user evaluates, in order, one at a time.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use clj::interrupt::Interrupt;
use config::{Code, Console, Failure};
use parking_lot::Mutex;

use super::bencode::Datum;
use super::input::Input;
use super::reply::{Reply, status};
use crate::handler::Live;

/// Sessions at once; beyond, the one not used for longest ends.
const SESSIONS_MAX: usize = 64;

/// Texts that wait in one session.
const WAITING_MAX: usize = 1_024;

/// Threads that evaluate, those that were interrupted and have not ended among them.
const EVALUATIONS_MAX: usize = 64;

/// Stack of an evaluation: code may recurse. Only what is used is taken.
const STACK_BYTES: usize = 16 << 20;

/// A text to evaluate, and where to answer.
pub struct Job {
    pub file: String,
    pub text: String,
    pub namespace: Option<String>,
    pub is_file: bool,
    /// True for a message without a session: it finds nothing of others and leaves nothing.
    pub alone: bool,
    pub reply: Reply,
    pub interrupt: Interrupt,
}

impl Job {
    fn running(&self) -> Running {
        Running {
            reply: self.reply.clone(),
            interrupt: self.interrupt.clone(),
        }
    }
}

/// A session.
pub struct Session {
    pub id: String,
    pub input: Arc<Input>,
    work: Mutex<Work>,
    used: AtomicU64,
}

#[derive(Default)]
struct Work {
    language: config::Session,
    namespace: String,
    waiting: VecDeque<Job>,
    running: Option<Running>,
    /// Grows with every interrupt: a thread of an older turn has been given up.
    turn: u64,
}

/// What is being evaluated.
struct Running {
    reply: Reply,
    interrupt: Interrupt,
}

impl Running {
    fn stop(&self) {
        self.reply.end(&["done", "interrupted"], []);
        self.interrupt.interrupt();
    }
}

/// Every session of a server.
#[derive(Default)]
pub struct Sessions {
    all: Mutex<HashMap<String, Arc<Session>>>,
    uses: AtomicU64,
    evaluations: Arc<AtomicUsize>,
}

/// How an interrupt went.
pub enum Interrupted {
    Idle,
    OtherRuns,
    Done,
}

impl Sessions {
    /// A new session, with the language's state of another if one is given.
    pub fn clone_of(&self, other: Option<&Session>) -> Arc<Session> {
        let session = Arc::new(Session::new(other));
        let mut all = self.all.lock();
        while all.len() >= SESSIONS_MAX {
            let oldest = all
                .values()
                .min_by_key(|session| session.used.load(Ordering::Relaxed));
            let Some(oldest) = oldest.map(|session| session.id.clone()) else {
                break;
            };
            if let Some(oldest) = all.remove(&oldest) {
                oldest.end();
            }
        }
        self.touch(&session);
        all.insert(session.id.clone(), session.clone());
        session
    }

    pub fn find(&self, id: &str) -> Option<Arc<Session>> {
        let session = self.all.lock().get(id).cloned()?;
        self.touch(&session);
        Some(session)
    }

    fn touch(&self, session: &Session) {
        let use_number = self.uses.fetch_add(1, Ordering::Relaxed);
        session.used.store(use_number, Ordering::Relaxed);
    }

    pub fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.all.lock().keys().cloned().collect();
        ids.sort();
        ids
    }

    pub fn close(&self, session: &Arc<Session>) {
        self.all.lock().remove(&session.id);
        session.end();
    }

    /// Ends every session.
    pub fn close_all(&self) {
        let all = std::mem::take(&mut *self.all.lock());
        all.values().for_each(|session| session.end());
    }

    /// Lets go of the values of a configuration that runs no more.
    pub fn forget(&self) {
        for session in self.all.lock().values() {
            session.work.lock().language.forget();
        }
    }
}

impl Session {
    pub fn new(other: Option<&Session>) -> Session {
        let (language, namespace) = other.map_or_else(
            || (config::Session::default(), "user".to_owned()),
            |other| {
                let work = other.work.lock();
                (work.language.clone(), work.namespace.clone())
            },
        );
        Session {
            id: new_id(),
            input: Arc::default(),
            work: Mutex::new(Work {
                language,
                namespace,
                ..Work::default()
            }),
            used: AtomicU64::new(0),
        }
    }

    /// The name of its current namespace.
    pub fn namespace(&self) -> String {
        self.work.lock().namespace.clone()
    }

    /// Puts a text in line, and has it evaluated.
    pub fn submit(self: &Arc<Session>, job: Job, sessions: &Sessions, live: &Arc<Live>) {
        let mut work = self.work.lock();
        if work.waiting.len() >= WAITING_MAX {
            job.reply
                .end(&["error", "too-many-evaluations", "done"], []);
            return;
        }
        work.waiting.push_back(job);
        if work.running.is_none() {
            self.run(&mut work, &sessions.evaluations, live);
        }
    }

    /// Starts a thread that evaluates what waits.
    fn run(self: &Arc<Session>, work: &mut Work, evaluations: &Arc<AtomicUsize>, live: &Arc<Live>) {
        let Some(job) = work.waiting.pop_front() else {
            return;
        };
        let running = job.running();
        let slot = Evaluation::begin(evaluations);
        let (session, live, turn) = (self.clone(), live.clone(), work.turn);
        let body = move |slot: Evaluation| {
            session.work_off(job, turn, &live);
            drop(slot);
        };
        let thread = thread::Builder::new()
            .name("nrepl".into())
            .stack_size(STACK_BYTES);
        let started = slot.is_some_and(|slot| thread.spawn(move || body(slot)).is_ok());
        if started {
            work.running = Some(running);
        } else {
            running
                .reply
                .end(&["error", "too-many-evaluations", "done"], []);
        }
    }

    /// Evaluates a text and those that wait, until there are none or the turn is over.
    fn work_off(&self, first: Job, turn: u64, live: &Live) {
        let mut next = Some(first);
        while let Some(job) = next {
            self.evaluate(&job, turn, live);
            let mut work = self.work.lock();
            if work.turn != turn {
                return;
            }
            next = work.waiting.pop_front();
            work.running = next.as_ref().map(Job::running);
        }
    }

    fn evaluate(&self, job: &Job, turn: u64, live: &Live) {
        let Some(configuration) = live.configuration.load_full() else {
            job.reply.end(&["error", "server-closing", "done"], []);
            return;
        };
        let mut language = match job.alone {
            true => config::Session::default(),
            false => self.work.lock().language.clone(),
        };
        let code = Code {
            file: &job.file,
            text: &job.text,
            namespace: job.namespace.as_deref(),
            is_file: job.is_file,
        };
        let console: Arc<dyn Console> = Arc::new(Terminal {
            reply: job.reply.clone(),
            input: self.input.clone(),
        });
        let mut namespace = None;
        let mut each = |value: &str, current: &str| {
            namespace = Some(current.to_owned());
            job.reply
                .send([("value", value.into()), ("ns", current.into())]);
        };
        let evaluate = || {
            let console = Some(console);
            let interrupt = job.interrupt.clone();
            interrupt.run(|| configuration.evaluate(&mut language, &code, console, &mut each))
        };
        let outcome = catch_unwind(AssertUnwindSafe(evaluate));
        let mut work = self.work.lock();
        // What it holds of a configuration that was replaced meanwhile would keep that alive.
        let current = live.configuration.load();
        let is_current = current
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, &configuration));
        if !is_current {
            language.forget();
        }
        if work.turn == turn && !job.alone {
            work.language = language;
            if let Some(namespace) = namespace.filter(|_| job.namespace.is_none() && !job.is_file) {
                work.namespace = namespace;
            }
        }
        drop(work);
        match outcome {
            Ok(outcome) => finish(&job.reply, outcome),
            // The panic has been logged where it happened.
            Err(_) => job.reply.end(&["eval-error", "error", "done"], []),
        }
    }

    /// Gives up what runs, if it is the message of that id (any if `None`), or what waits. Its
    /// thread ends with the next call or turn of a loop; one that waits, or is in a long native
    /// function, goes on behind the scenes until that returns.
    pub fn interrupt(
        self: &Arc<Session>,
        id: Option<&Datum>,
        sessions: &Sessions,
        live: &Arc<Live>,
    ) -> Interrupted {
        let mut work = self.work.lock();
        let is_meant = |reply: &Reply| id.is_none_or(|id| reply.id() == Some(id));
        if let Some(running) = work.running.take_if(|running| is_meant(&running.reply)) {
            work.turn += 1;
            running.stop();
            self.input.wake();
            self.run(&mut work, &sessions.evaluations, live);
            return Interrupted::Done;
        }
        let waits = |job: &Job| id.is_some() && is_meant(&job.reply);
        if let Some(index) = work.waiting.iter().position(waits) {
            if let Some(job) = work.waiting.remove(index) {
                job.reply.end(&["done", "interrupted"], []);
            }
            return Interrupted::Done;
        }
        match work.running {
            Some(_) => Interrupted::OtherRuns,
            None => Interrupted::Idle,
        }
    }

    /// Gives up all that it has to do, and lets go of its values.
    pub fn end(&self) {
        let mut work = self.work.lock();
        if let Some(running) = work.running.take() {
            running.stop();
        }
        for job in work.waiting.drain(..) {
            job.reply.end(&["done", "interrupted"], []);
        }
        work.turn += 1;
        work.language.forget();
        self.input.wake();
    }
}

fn finish(reply: &Reply, outcome: Result<(), Failure>) {
    match outcome {
        Ok(()) => reply.end(&["done"], []),
        Err(Failure::NoNamespace(name)) => reply.end(
            &["error", "namespace-not-found", "done"],
            [("ns", name.into())],
        ),
        Err(Failure::Thrown {
            class,
            root_class,
            text,
        }) => {
            reply.send([("err", text.into())]);
            reply.send([
                ("status", status(&["eval-error"])),
                ("ex", format!("class {class}").into()),
                ("root-ex", format!("class {root_class}").into()),
            ]);
            reply.end(&["done"], []);
        }
    }
}

/// One of the threads that may evaluate at once.
struct Evaluation(Arc<AtomicUsize>);

impl Evaluation {
    fn begin(running: &Arc<AtomicUsize>) -> Option<Evaluation> {
        let taken = running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |running| {
            (running < EVALUATIONS_MAX).then_some(running + 1)
        });
        taken.is_ok().then(|| Evaluation(running.clone()))
    }
}

impl Drop for Evaluation {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A client's screen and keyboard.
struct Terminal {
    reply: Reply,
    input: Arc<Input>,
}

impl Console for Terminal {
    fn out(&self, text: &str) {
        if !text.is_empty() {
            self.reply.send([("out", text.into())]);
        }
    }

    fn err(&self, text: &str) {
        if !text.is_empty() {
            self.reply.send([("err", text.into())]);
        }
    }

    fn read_line(&self) -> Option<String> {
        self.input.read_line(&self.reply)
    }
}

/// A UUID from the randomness that hash maps are seeded with: a name, not a secret.
fn new_id() -> String {
    let random = || RandomState::new().build_hasher().finish();
    let (a, b) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        a >> 32,
        (a >> 16) & 0xffff,
        a & 0xfff,
        0x8000 | ((b >> 48) & 0x3fff),
        b & 0xffff_ffff_ffff
    )
}
