//! `java.util.concurrent.locks`: locks that a thread may take more than once.

use std::any::Any;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::time_unit::duration;
use super::{JavaClass, constructor};
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.util.concurrent.locks.ReentrantLock",
        construct: constructor(0, 1, |_, _| Ok(Value::object(Lock::default()))),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.util.concurrent.locks.ReentrantReadWriteLock",
        construct: constructor(0, 1, |_, _| Ok(Value::object(Pair(Arc::default())))),
        statics: &[],
        fields: &[],
    },
    JavaClass::named("java.util.concurrent.locks.Lock"),
];

#[derive(Default)]
struct Lock {
    /// Who has it, and how many times.
    held: Mutex<Option<(ThreadId, i64)>>,
    freed: Condvar,
}

impl Lock {
    /// Takes the lock, waiting so long for it; `None` is for ever.
    fn take(&self, time: Option<Duration>) -> bool {
        let own = thread::current().id();
        let mut held = self.held.lock();
        let by_other = |held: &mut Option<(ThreadId, i64)>| held.is_some_and(|(id, _)| id != own);
        match time {
            Some(time) => {
                self.freed.wait_while_for(&mut held, by_other, time);
            }
            None => self.freed.wait_while(&mut held, by_other),
        }
        if by_other(&mut held) {
            return false;
        }
        let times = held.map_or(0, |(_, times)| times);
        *held = Some((own, times + 1));
        true
    }

    fn release(&self) -> Result {
        let mut held = self.held.lock();
        match *held {
            Some((id, times)) if id == thread::current().id() => {
                *held = (times > 1).then_some((id, times - 1));
                self.freed.notify_one();
                Ok(Value::Nil)
            }
            _ => Err(Thrown::without_message(
                "java.lang.IllegalMonitorStateException",
            )),
        }
    }

    fn own_times(&self) -> i64 {
        let own = thread::current().id();
        let held = *self.held.lock();
        held.map_or(0, |(id, times)| if id == own { times } else { 0 })
    }
}

impl Object for Lock {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.concurrent.locks.ReentrantLock"
    }

    fn is_a(&self, class: &str) -> bool {
        class == "java.util.concurrent.locks.Lock"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("lock" | "lockInterruptibly", []) => {
                self.take(None);
                Ok(Value::Nil)
            }
            ("tryLock", []) => Ok(self.take(Some(Duration::ZERO)).into()),
            ("tryLock", [time, unit]) => {
                duration(time, unit).map(|time| self.take(Some(time)).into())
            }
            ("unlock", []) => self.release(),
            ("isLocked", []) => Ok(self.held.lock().is_some().into()),
            ("isHeldByCurrentThread", []) => Ok((self.own_times() > 0).into()),
            ("getHoldCount", []) => Ok(Value::Int(self.own_times())),
            _ => return None,
        })
    }
}

/// A lock for readers and one for writers: the same, so that readers wait for each other too.
struct Pair(Arc<Lock>);

impl Object for Pair {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.concurrent.locks.ReentrantReadWriteLock"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        match (name, args) {
            ("readLock" | "writeLock", []) => Some(Ok(Value::Object(self.0.clone()))),
            _ => None,
        }
    }
}
