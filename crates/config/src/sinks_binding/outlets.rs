//! The outlets of one configuration.

use std::any::Any;
use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use clj::{Result, Value};
use parking_lot::Mutex;
use sinks::http::{Api, HttpTarget, agent, agent_trusting_all};
use sinks::outlet::{Closable, Detour, Outlet};
use sinks::pace::{MachinePace, Pace};
use sinks::stats::Stats;
use sinks::target::{Item, Target};
use ureq::Agent;

use super::stand_in::StandIns;
use crate::effects::{Effect, Effects, without_query};
use crate::queue::crew_here;

/// How long outlets that are closed go on delivering what they have: a target that is being
/// restarted itself is back by then.
const GRACE: Duration = Duration::from_secs(30);

/// Every outlet that was opened. Sinks that name the same target with the same options share one,
/// so that the forks of a `by` do not each take a thread and a connection.
pub struct Outlets {
    pace: Arc<dyn Pace>,
    /// What code has put in the place of the functions that make requests.
    pub stand_ins: Arc<StandIns>,
    agent: OnceLock<Agent>,
    agent_trusting_all: OnceLock<Agent>,
    open: Mutex<HashMap<String, Open>>,
    /// Who hears of what would leave; then nothing leaves.
    effects: Option<Effects>,
}

struct Open {
    outlet: Arc<dyn Any + Send + Sync>,
    closable: Arc<dyn Closable>,
}

impl Default for Outlets {
    fn default() -> Outlets {
        Outlets {
            pace: Arc::new(MachinePace::start()),
            stand_ins: Arc::default(),
            agent: OnceLock::new(),
            agent_trusting_all: OnceLock::new(),
            open: Mutex::default(),
            effects: None,
        }
    }
}

impl Outlets {
    /// Outlets that tell instead of sending, if there is someone to tell.
    pub fn telling(effects: Option<Effects>) -> Outlets {
        Outlets {
            effects,
            ..Outlets::default()
        }
    }

    /// Who hears of what would leave.
    pub fn effects(&self) -> Option<&Effects> {
        self.effects.as_ref()
    }

    /// The outlet of that name whose target was made with equal arguments, or a new one.
    ///
    /// # Errors
    /// What making the target gives.
    pub fn open<T: Target + 'static>(
        &self,
        name: &str,
        arguments: &[Value],
        target: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<Outlet<T::Item>>> {
        let pace = self.pace.clone();
        if let Some(crew) = crew_here() {
            return crew.open(&key(name, arguments), pace, target);
        }
        self.find_or(name, arguments, || {
            let outlet = Outlet::new(name, target()?, pace);
            Ok(match self.effects.clone() {
                Some(effects) => outlet.with_detour(tell(name.to_owned(), effects)),
                None => outlet,
            })
        })
    }

    fn find_or<I: Item>(
        &self,
        name: &str,
        arguments: &[Value],
        new: impl FnOnce() -> Result<Outlet<I>>,
    ) -> Result<Arc<Outlet<I>>> {
        let key = key(name, arguments);
        let mut open = self.open.lock();
        let known = open
            .get(&key)
            .and_then(|open| open.outlet.clone().downcast().ok());
        if let Some(outlet) = known {
            return Ok(outlet);
        }
        let outlet = Arc::new(new()?);
        open.insert(
            key,
            Open {
                outlet: outlet.clone(),
                closable: outlet.clone(),
            },
        );
        Ok(outlet)
    }

    /// As [`Outlets::open`], of an interface that is reached by HTTP.
    ///
    /// # Errors
    /// None of its own.
    pub fn http<A: Api + Sync + 'static>(
        &self,
        name: &str,
        arguments: &[Value],
        api: A,
    ) -> Result<Arc<Outlet<A::Item>>> {
        if let Some(crew) = crew_here() {
            let target = || Ok(HttpTarget::new(api, self.agent()));
            return crew.open(&key(name, arguments), self.pace.clone(), target);
        }
        self.find_or(name, arguments, || {
            let api = Arc::new(api);
            let target = HttpTarget::new(api.clone(), self.agent());
            let outlet = Outlet::new(name, target, self.pace.clone());
            Ok(outlet.with_detour(match self.effects.clone() {
                Some(effects) => tell_requests(name.to_owned(), api, effects),
                None => self.stand_ins.detour(api),
            }))
        })
    }

    /// The client that all sinks share.
    pub fn agent(&self) -> Agent {
        self.agent.get_or_init(agent).clone()
    }

    /// The client for servers whose certificates are not to be looked at.
    pub fn agent_trusting_all(&self) -> Agent {
        self.agent_trusting_all
            .get_or_init(agent_trusting_all)
            .clone()
    }

    /// The time that the outlets keep.
    pub fn now(&self) -> Duration {
        self.pace.now()
    }

    /// What each outlet tells of itself, by name.
    pub fn stats(&self) -> Vec<Stats> {
        let open = self.open.lock();
        let mut stats: Vec<Stats> = open.values().map(|open| open.closable.stats()).collect();
        stats.sort_by(|a, b| a.name.cmp(&b.name));
        stats
    }

    /// Closes all of them. Returns when all that waits in them has left, or `wait` is over; what
    /// has not left by then has half a minute, unless the process ends.
    pub fn close(&self, wait: Duration) {
        let (closing, all_closed) = channel::<()>();
        for open in std::mem::take(&mut *self.open.lock()).into_values() {
            let stats = open.closable.stats();
            if stats.depth + stats.in_flight == 0 {
                open.closable.close(Duration::ZERO);
            } else {
                close_slowly(open.closable, stats.name, closing.clone());
            }
        }
        drop(closing);
        // Nothing is ever sent: it ends when the last sender is gone.
        let _ = all_closed.recv_timeout(wait);
    }
}

/// What outlets are known by.
fn key(name: &str, arguments: &[Value]) -> String {
    let arguments: Vec<String> = arguments.iter().map(Value::to_readable).collect();
    format!("{name} {}", arguments.join(" "))
}

/// Tells of items, and takes them.
fn tell<I: Item>(sink: String, effects: Effects) -> Detour<I> {
    Box::new(move |item| {
        effects(Effect {
            sink: sink.clone(),
            action: "send".into(),
            to: String::new(),
            body: item.told(),
        });
        None
    })
}

/// Tells of the requests that items make, and takes them.
fn tell_requests<A: Api + Sync + 'static>(
    sink: String,
    api: Arc<A>,
    effects: Effects,
) -> Detour<A::Item> {
    Box::new(move |item| {
        for request in api.requests(std::slice::from_ref(&item)) {
            effects(Effect {
                sink: sink.clone(),
                action: request.method.to_string(),
                to: without_query(&request.url),
                body: String::from_utf8_lossy(&request.body).into_owned(),
            });
        }
        None
    })
}

/// Closes an outlet on a thread of its own, which holds `closing` as long as that takes.
fn close_slowly(outlet: Arc<dyn Closable>, name: Arc<str>, closing: Sender<()>) {
    let own = outlet.clone();
    let close = move || {
        let lost = own.close(GRACE);
        if lost > 0 {
            tracing::warn!(outlet = &*name, lost, "closed before all was delivered");
        }
        drop(closing);
    };
    if thread::Builder::new()
        .name("closing outlet".into())
        .spawn(close)
        .is_err()
    {
        outlet.close(Duration::ZERO);
    }
}
