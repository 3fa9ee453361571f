//! Vars: named places that hold a value, and can be bound for a while on a thread.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use arc_swap::ArcSwapOption;
use parking_lot::{Mutex, RwLock};

use crate::core::watched::Watched;
use crate::{Cx, Map, Result, Value, dynamic};

/// A var of a namespace. `root` is what all threads see unless a dynamic var is bound.
pub struct Var {
    pub namespace: Arc<str>,
    pub name: Arc<str>,
    root: RwLock<Option<Value>>,
    meta: RwLock<Map>,
    /// Counts changes of the root, so that compiled code may keep what it found.
    version: AtomicU32,
    dynamic: AtomicBool,
    /// What the metadata says; asked of all vars of a namespace that is referred to.
    private: AtomicBool,
    is_macro: AtomicBool,
    /// Watches and validator, once there are any.
    watched: OnceLock<Box<Watched>>,
    /// Where compiled code keeps the root; emptied when it changes.
    memories: Mutex<Vec<Weak<Memory>>>,
}

/// A root that compiled code keeps, with the version it had.
pub type Memory = ArcSwapOption<(u32, Value)>;

impl Var {
    pub fn new(namespace: &str, name: &str) -> Var {
        Var {
            namespace: namespace.into(),
            name: name.into(),
            root: RwLock::new(None),
            meta: RwLock::new(Map::default()),
            version: AtomicU32::new(0),
            dynamic: AtomicBool::new(false),
            private: AtomicBool::new(false),
            is_macro: AtomicBool::new(false),
            watched: OnceLock::new(),
            memories: Mutex::default(),
        }
    }

    /// The root value; `None` while unbound (declared only).
    pub fn root(&self) -> Option<Value> {
        self.root.read().clone()
    }

    /// What the var is on this thread: its binding if it has one, else the root.
    pub fn get(&self) -> Option<Value> {
        if self.is_dynamic()
            && let Some(bound) = dynamic::lookup(self)
        {
            return Some(bound);
        }
        self.root()
    }

    /// Sets the root and gives what it was.
    pub fn set_root(&self, value: Option<Value>) -> Option<Value> {
        let old = std::mem::replace(&mut *self.root.write(), value);
        self.version.fetch_add(1, Ordering::Release);
        let memories = std::mem::take(&mut *self.memories.lock());
        let alive: Vec<Weak<Memory>> = memories
            .into_iter()
            .filter(|memory| match memory.upgrade() {
                Some(memory) => {
                    memory.store(None);
                    true
                }
                None => false,
            })
            .collect();
        self.memories.lock().extend(alive);
        old
    }

    /// The watches and the validator.
    pub fn watched(&self) -> &Watched {
        self.watched.get_or_init(Box::default)
    }

    /// Sets the root, if the validator lets it, and tells the watches.
    ///
    /// # Errors
    /// `IllegalStateException` if the validator refuses the value; what a watch throws.
    pub fn change_root(self: &Arc<Var>, cx: &Cx<'_>, value: Value) -> Result<()> {
        let Some(watched) = self.watched.get() else {
            self.set_root(Some(value));
            return Ok(());
        };
        watched.validate(cx, &value)?;
        let old = self.set_root(Some(value.clone())).unwrap_or_default();
        watched.changed(cx, &Value::Var(self.clone()), &old, &value)
    }

    /// A place for compiled code to keep the root in.
    pub(crate) fn remembered(&self) -> Arc<Memory> {
        let memory = Arc::new(Memory::empty());
        let mut memories = self.memories.lock();
        if memories.len() == memories.capacity() {
            memories.retain(|memory| memory.strong_count() > 0);
        }
        memories.push(Arc::downgrade(&memory));
        memory
    }

    /// Changes with every [`Var::set_root`] and [`Var::set_dynamic`].
    pub fn version(&self) -> u32 {
        self.version.load(Ordering::Acquire)
    }

    pub fn meta(&self) -> Map {
        self.meta.read().clone()
    }

    pub fn set_meta(&self, meta: Map) {
        let private = meta.get_keyword("private").is_some_and(Value::truthy);
        *self.meta.write() = meta;
        self.private.store(private, Ordering::Relaxed);
    }

    /// True for what other namespaces may not name.
    pub fn is_private(&self) -> bool {
        self.private.load(Ordering::Relaxed)
    }

    pub fn is_dynamic(&self) -> bool {
        self.dynamic.load(Ordering::Relaxed)
    }

    pub fn set_dynamic(&self, dynamic: bool) {
        self.dynamic.store(dynamic, Ordering::Relaxed);
        self.version.fetch_add(1, Ordering::Release);
    }

    pub fn is_macro(&self) -> bool {
        self.is_macro.load(Ordering::Relaxed)
    }

    pub fn set_macro(&self, is_macro: bool) {
        self.is_macro.store(is_macro, Ordering::Relaxed);
    }
}
