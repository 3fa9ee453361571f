//! `CountDownLatch` and `Semaphore`.

use std::any::Any;

use parking_lot::{Condvar, Mutex};

use super::time_unit::duration;
use super::{JavaClass, constructor};
use crate::core::arguments::int;
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[
    JavaClass {
        name: "java.util.concurrent.CountDownLatch",
        construct: constructor(1, 1, |_, a| match int(&a[0])? {
            ..0 => Err(Thrown::illegal_argument("count < 0")),
            count => Ok(Value::object(Latch {
                count: Mutex::new(count),
                open: Condvar::new(),
            })),
        }),
        statics: &[],
        fields: &[],
    },
    JavaClass {
        name: "java.util.concurrent.Semaphore",
        construct: constructor(1, 2, |_, a| {
            let free = Mutex::new(int(&a[0])?);
            Ok(Value::object(Semaphore {
                free,
                released: Condvar::new(),
            }))
        }),
        statics: &[],
        fields: &[],
    },
];

/// Opens when it has been counted down to 0.
struct Latch {
    count: Mutex<i64>,
    open: Condvar,
}

impl Object for Latch {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.concurrent.CountDownLatch"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let mut count = self.count.lock();
        Some(match (name, args) {
            ("countDown", []) => {
                *count = (*count - 1).max(0);
                if *count == 0 {
                    self.open.notify_all();
                }
                Ok(Value::Nil)
            }
            ("getCount", []) => Ok(Value::Int(*count)),
            ("await", []) => {
                self.open.wait_while(&mut count, |count| *count > 0);
                Ok(Value::Nil)
            }
            ("await", [time, unit]) => duration(time, unit).map(|time| {
                self.open
                    .wait_while_for(&mut count, |count| *count > 0, time);
                Value::Bool(*count == 0)
            }),
            _ => return None,
        })
    }
}

/// So many permits, to be taken and given back.
struct Semaphore {
    free: Mutex<i64>,
    released: Condvar,
}

impl Object for Semaphore {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.concurrent.Semaphore"
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let mut free = self.free.lock();
        Some(match (name, args) {
            ("acquire", []) => {
                self.released.wait_while(&mut free, |free| *free < 1);
                *free -= 1;
                Ok(Value::Nil)
            }
            ("tryAcquire", []) => {
                let taken = *free > 0;
                *free -= i64::from(taken);
                Ok(Value::Bool(taken))
            }
            ("tryAcquire", [time, unit]) => duration(time, unit).map(|time| {
                self.released
                    .wait_while_for(&mut free, |free| *free < 1, time);
                let taken = *free > 0;
                *free -= i64::from(taken);
                Value::Bool(taken)
            }),
            ("release", []) => {
                *free += 1;
                self.released.notify_one();
                Ok(Value::Nil)
            }
            ("availablePermits", []) => Ok(Value::Int(*free)),
            _ => return None,
        })
    }
}
