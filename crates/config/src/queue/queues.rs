//! The queues in journals of one configuration.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clj::compile::closure::Closure;
use clj::{Result, Runtime, Thrown, Value, seq};
use parking_lot::Mutex;
use sinks::durable::{Courier, Shift};
use sinks::pace::{MachinePace, Pace};
use sinks::stats::Stats;

use super::{Entrance, QueueSpec};
use crate::kept::{Backlogs, Kept};
use crate::state::Mode;

/// Makes the courier of a queue, when the configuration is put in force.
pub type MakeCourier = Box<dyn FnOnce(&Arc<Runtime>) -> Box<dyn Courier> + Send>;

/// Every queue in a journal that a configuration has asked for.
pub struct Queues {
    /// Opens journals; `None` where nothing is to be opened.
    backlogs: Option<Arc<dyn Backlogs>>,
    pace: Arc<dyn Pace>,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    queues: Vec<Queue>,
    /// The configuration is in force: a queue that is registered now begins at once.
    has_begun: bool,
}

struct Queue {
    spec: QueueSpec,
    /// What asked for it, and the arguments it was given.
    of: &'static str,
    arguments: Vec<Value>,
    /// What the configuration was given.
    face: Value,
    entrance: Arc<Entrance>,
    courier: Option<MakeCourier>,
    shift: Option<Shift>,
}

/// What a sink makes of its queue.
pub struct Made {
    /// What the configuration is given.
    pub face: Value,
    /// `None` where the queue is in memory after all.
    pub courier: Option<MakeCourier>,
}

impl Queues {
    /// Journals are opened only by what runs, and lets things leave.
    pub fn new(mode: Mode, kept: &Kept) -> Queues {
        let is_real = mode == Mode::Run && kept.effects.is_none();
        Queues {
            backlogs: kept.backlogs.clone().filter(|_| is_real),
            pace: Arc::new(MachinePace::start()),
            inside: Mutex::default(),
        }
    }

    /// False where queues are in memory, whatever is asked for.
    pub fn are_kept(&self) -> bool {
        self.backlogs.is_some()
    }

    /// What the queue of that name is for the configuration: made now, or when the same was asked
    /// for before, as in the forks of a `by`.
    ///
    /// # Errors
    /// When the name or the folder is another's; what `make` throws; what opening a journal says
    /// if the configuration is in force already.
    pub fn register(
        &self,
        rt: &Arc<Runtime>,
        spec: QueueSpec,
        (of, arguments): (&'static str, &[Value]),
        make: impl FnOnce(&Arc<Entrance>) -> Result<Made>,
    ) -> Result {
        let mut inside = self.inside.lock();
        let known = inside
            .queues
            .iter()
            .find(|queue| queue.spec.name == spec.name);
        if let Some(known) = known {
            if known.of == of && known.spec == spec && alike_all(&known.arguments, arguments) {
                return Ok(known.face.clone());
            }
            return Err(taken(&spec, known, of));
        }
        if let Some(other) = inside
            .queues
            .iter()
            .find(|queue| shares_folder(&queue.spec, &spec))
        {
            return Err(Thrown::illegal_argument(format!(
                "{of}: the queue {:?} would be in the folder {}, as the queue {:?} is; give it \
                 another :dir",
                spec.name,
                spec.dir.display(),
                other.spec.name
            )));
        }
        let entrance = Arc::new(Entrance::new(&spec.name));
        let Made { face, courier } = make(&entrance)?;
        let mut queue = Queue {
            spec,
            of,
            arguments: arguments.to_vec(),
            face: face.clone(),
            entrance,
            courier,
            shift: None,
        };
        if inside.has_begun {
            let failed = |line| Thrown::new("java.io.IOException", line);
            self.open_one(&queue).map_err(failed)?;
            self.begin_one(rt, &mut queue).map_err(failed)?;
        }
        inside.queues.push(queue);
        Ok(face)
    }

    /// Opens the journals: from now on streams may put things in. `others` are folders that
    /// belong to something else.
    ///
    /// # Errors
    /// One line for the user.
    pub fn open<'a>(
        &self,
        others: impl Iterator<Item = (&'a str, PathBuf)>,
    ) -> std::result::Result<(), String> {
        let others: Vec<(&str, PathBuf)> = others.collect();
        let inside = self.inside.lock();
        for Queue { spec, .. } in &inside.queues {
            let dirs = [spec.dir.clone(), spec.dead_dir()];
            if let Some((whose, dir)) = others.iter().find(|(_, dir)| dirs.contains(dir)) {
                return Err(format!(
                    "the queue {:?}: {} is the folder of {whose}; give the queue another name or \
                     :dir",
                    spec.name,
                    dir.display()
                ));
            }
        }
        inside
            .queues
            .iter()
            .try_for_each(|queue| self.open_one(queue))
    }

    fn open_one(&self, queue: &Queue) -> std::result::Result<(), String> {
        if let (Some(backlogs), Some(_)) = (&self.backlogs, &queue.courier) {
            queue.entrance.open(backlogs.open(&queue.spec)?);
        }
        Ok(())
    }

    /// Begins to deliver.
    ///
    /// # Errors
    /// One line for the user.
    pub fn begin(&self, rt: &Arc<Runtime>) -> std::result::Result<(), String> {
        let mut inside = self.inside.lock();
        inside.has_begun = true;
        let mut queues = inside.queues.iter_mut();
        queues.try_for_each(|queue| self.begin_one(rt, queue))
    }

    fn begin_one(&self, rt: &Arc<Runtime>, queue: &mut Queue) -> std::result::Result<(), String> {
        let Some(backlog) = queue.entrance.backlog() else {
            return Ok(());
        };
        if let Some(make) = queue.courier.take() {
            let pace = self.pace.clone();
            let shift = Shift::begin(backlog, make(rt), pace, queue.spec.tries_max);
            let name = &queue.spec.name;
            let shift = shift.map_err(|error| format!("the queue {name:?}: {error}"))?;
            queue.shift = Some(shift);
        }
        Ok(())
    }

    /// Ends all deliveries after the attempts that are under way; what waits stays in the
    /// journals. False if some have not ended after `grace`.
    pub fn end(&self, grace: Duration) -> bool {
        let deadline = Instant::now() + grace;
        let queues = std::mem::take(&mut self.inside.lock().queues);
        let shifts: Vec<Shift> = queues.into_iter().filter_map(|queue| queue.shift).collect();
        shifts.iter().for_each(Shift::call_off);
        let mut have_ended = true;
        for shift in shifts {
            let left = deadline.saturating_duration_since(Instant::now());
            have_ended &= shift.ended_within(left);
        }
        have_ended
    }

    /// What each queue tells of itself.
    pub fn stats(&self) -> Vec<Stats> {
        let inside = self.inside.lock();
        let backlogs = inside
            .queues
            .iter()
            .filter_map(|queue| queue.entrance.backlog());
        backlogs.map(|backlog| backlog.stats()).collect()
    }
}

fn taken(spec: &QueueSpec, known: &Queue, of: &str) -> Thrown {
    let name = &spec.name;
    let why = if known.of != of {
        format!("{of}: the queue {name:?} belongs to {} already", known.of)
    } else if known.spec == *spec {
        format!("{of}: another {of}, with other options, has the queue {name:?}")
    } else {
        format!("{of}: another {of} has the queue {name:?}, with other options of the queue")
    };
    let hint = "a journal keeps what one of them was given: give each a name of its own, or define \
                it once with def and use it in several places";
    Thrown::illegal_argument(why).with_hint(hint)
}

fn shares_folder(one: &QueueSpec, other: &QueueSpec) -> bool {
    let (own, others) = ([&one.dir, &one.dead_dir()], [&other.dir, &other.dead_dir()]);
    own.iter().any(|dir| others.contains(dir))
}

fn alike_all(one: &[Value], other: &[Value]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
}

/// Equal, but for functions: those of the same place in the source are alike.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Fn(one_fn), Value::Fn(other_fn)) => {
            let code = |callable: &Arc<dyn clj::Callable>| {
                let closure = callable.as_any().downcast_ref::<Closure>();
                closure.map(|closure| std::ptr::from_ref(closure.template()))
            };
            let codes = (code(one_fn), code(other_fn));
            one == other || (codes.0.is_some() && codes.0 == codes.1)
        }
        (Value::Map(one), Value::Map(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| alike(value, other)))
        }
        (Value::Vector(_) | Value::List(_), Value::Vector(_) | Value::List(_)) => {
            match (seq::to_vec(one), seq::to_vec(other)) {
                (Ok(one), Ok(other)) => alike_all(&one, &other),
                _ => false,
            }
        }
        _ => one == other,
    }
}
