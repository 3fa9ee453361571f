//! `by`: a stream of its own for each host, service, or whatever else events differ by.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

use clj::{Cx, Native, Result, Thrown, Value, seq};
use event::{Time, View, Views};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use parking_lot::Mutex;

use crate::keep::{self, Kept, Node, Taken};
use crate::predicate::{Key, Reading, Subject, TextOf, text_of};
use crate::stream::function;
use crate::{Batch, Children, Selection, Stream, StreamFn, World, fields, limits, recent, timer};

pub const OPERATOR: Native = function(
    "by-fn",
    "([fields new-fork] [fields new-fork options])",
    (2, 3),
    new,
    "What by expands to: a stream that calls (new-fork key) for a vector of children the first time an \
     event with a new key comes, and passes events on to the children of their key. fields is a function \
     of the event, or a vector of several. Options: {:ttl seconds} forgets a fork that saw no event for \
     so long; {:max number} the fork that saw none for longest, when there would be more.",
);

/// Parts of the table of forks, each behind a lock of its own, so that threads do not wait for each
/// other.
const SHARDS: usize = 32;

struct By {
    key: KeyOf,
    /// How received events tell, where all of the key is text.
    texts: Option<Box<[TextOf]>>,
    new_fork: Value,
    /// A fork idle for longer is forgotten.
    ttl: Option<Time>,
    /// Beyond so many forks the oldest are forgotten.
    forks_max: usize,
    /// Oldest is idle longest, not made first.
    sees: bool,
    count: AtomicUsize,
    /// The fields, as written.
    fields: String,
    /// What forks keep is noted: they are inside of a keep-state.
    keeps: bool,
    hasher: RandomState,
    shards: Box<[Mutex<HashTable<Arc<Fork>>>]>,
    swept_at_us: AtomicI64,
    contained: AtomicBool,
}

/// What events are told apart by.
enum KeyOf {
    /// One field.
    Field(Key),
    /// Several fields, as a vector.
    Fields(Vec<Key>),
    /// One function.
    Function(Value),
    /// Several functions, as a vector.
    Functions(Vec<Value>),
}

struct Fork {
    hash: u64,
    key: Value,
    /// The key's parts, where they are text or nil.
    texts: Option<Box<[Option<Box<str>>]>>,
    children: Children,
    /// The streams of the fork, if what they keep is noted.
    nodes: Vec<Node>,
    seen_at_us: AtomicI64,
}

fn new(cx: &Cx<'_>, args: &[Value]) -> Result {
    let functions = match &args[0] {
        many @ (Value::Vector(_) | Value::List(_) | Value::Lazy(_)) => flatten(many)?,
        one => vec![one.clone()],
    };
    let options = args.get(2).cloned().unwrap_or_default();
    let is_for_any_key = !fields::get(&options, "named").truthy();
    if is_for_any_key && cx.get::<World>()?.is_trial() {
        cx.call(&args[1], &[Value::Nil])?;
    }
    let ttl = match fields::get(&options, "ttl") {
        Value::Nil => None,
        ttl => Some(timer::length(&ttl)?),
    };
    let key = KeyOf::of(functions)?;
    Ok(StreamFn::value(
        "by",
        By {
            texts: key.texts(),
            key,
            new_fork: args[1].clone(),
            ttl,
            forks_max: recent::maximum("by", &options, limits::FORKS_MAX)?,
            sees: !fields::get(&options, "max").is_nil(),
            count: AtomicUsize::new(0),
            fields: keep::parameter(&args[0]),
            keeps: keep::is_recording(),
            hasher: RandomState::default(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            swept_at_us: AtomicI64::new(0),
            contained: AtomicBool::new(false),
        },
    ))
}

fn flatten(value: &Value) -> Result<Vec<Value>> {
    let mut flat = Vec::new();
    for item in seq::to_vec(value)? {
        match &item {
            Value::Vector(_) | Value::List(_) | Value::Lazy(_) => flat.extend(flatten(&item)?),
            _ => flat.push(item),
        }
    }
    Ok(flat)
}

impl KeyOf {
    fn of(mut functions: Vec<Value>) -> Result<KeyOf> {
        let field = |function: &Value| match function {
            Value::Keyword(key) if key.namespace().is_none() => Some(Key::named(key.name())),
            _ => None,
        };
        let named: Option<Vec<Key>> = functions.iter().map(field).collect();
        Ok(match (functions.len(), named) {
            (0, _) => {
                return Err(Thrown::arity(0, "clojure.core/juxt")
                    .with_hint("by needs a field, as in (by :host …) or (by [:host :service] …)"));
            }
            (1, Some(mut keys)) => KeyOf::Field(keys.remove(0)),
            (_, Some(keys)) => KeyOf::Fields(keys),
            (1, None) => KeyOf::Function(functions.remove(0)),
            (_, None) => KeyOf::Functions(functions),
        })
    }

    fn texts(&self) -> Option<Box<[TextOf]>> {
        let keys = match self {
            KeyOf::Field(key) => std::slice::from_ref(key),
            KeyOf::Fields(keys) => keys,
            _ => return None,
        };
        let text = |key: &Key| match key {
            Key::Field(field) => text_of(*field),
            Key::Attr(_) => None,
        };
        keys.iter().map(text).collect()
    }

    fn value(&self, cx: &Cx<'_>, subject: &Subject<'_>) -> Result {
        match self {
            KeyOf::Field(key) => Ok(subject.read(key).into_value()),
            KeyOf::Fields(keys) => Ok(Value::vector(
                keys.iter()
                    .map(|key| subject.read(key).into_value())
                    .collect(),
            )),
            KeyOf::Function(function) => cx.call(function, &[subject.value().clone()]),
            KeyOf::Functions(functions) => {
                let call = |function| cx.call(function, &[subject.value().clone()]);
                Ok(Value::vector(
                    functions.iter().map(call).collect::<Result<Vec<_>>>()?,
                ))
            }
        }
    }

    /// The hash of the key, without making it, where all of it is text or nil.
    fn text_hash(&self, hasher: &RandomState, subject: &Subject<'_>) -> Option<u64> {
        let keys = match self {
            KeyOf::Field(key) => std::slice::from_ref(key),
            KeyOf::Fields(keys) => keys,
            _ => return None,
        };
        let mut hash = 0_u64;
        for key in keys {
            hash = match subject.read(key) {
                Reading::Str(text) => join(hash, hasher, Some(text)),
                Reading::Nil => join(hash, hasher, None),
                _ => return None,
            };
        }
        Some(hash)
    }

    /// The hash under which the fork of a key is found.
    fn hash_of(&self, hasher: &RandomState, key: &Value) -> u64 {
        let texts = match self {
            KeyOf::Field(_) => key_texts(key, false),
            KeyOf::Fields(_) => key_texts(key, true),
            _ => None,
        };
        match texts {
            Some(texts) => texts
                .iter()
                .fold(0, |hash, text| join(hash, hasher, text.as_deref())),
            None => hasher.hash_one(key),
        }
    }

    /// Whether an event has the key of a fork, without making it.
    fn is(&self, key: &Value, subject: &Subject<'_>) -> bool {
        match (self, key) {
            (KeyOf::Field(field), _) => subject.read(field).equals(&Reading::of(key)),
            (KeyOf::Fields(fields), Value::Vector(parts)) => {
                let mut pairs = fields.iter().zip(parts.iter());
                pairs.all(|(field, part)| subject.read(field).equals(&Reading::of(part)))
            }
            _ => false,
        }
    }
}

/// The hash of a key with one more part.
fn join(hash: u64, hasher: &RandomState, part: Option<&str>) -> u64 {
    let part = part.map_or(0, |text| hasher.hash_one(text));
    hash.rotate_left(5).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ part
}

/// The parts of a key, if all are text or nil.
fn key_texts(key: &Value, is_many: bool) -> Option<Box<[Option<Box<str>>]>> {
    let text = |part: &Value| match part {
        Value::Nil => Some(None),
        Value::Str(text) => Some(Some(Box::from(&**text))),
        _ => None,
    };
    match key {
        Value::Vector(parts) if is_many => parts.iter().map(text).collect(),
        part => Some(Box::new([text(part)?])),
    }
}

impl By {
    /// The fork for a received event, whose key is all text.
    fn fork_of_view(
        &self,
        cx: &Cx<'_>,
        texts: &[TextOf],
        view: &View<'_>,
        subject: &Subject<'_>,
    ) -> Result<Arc<Fork>> {
        let join = |hash, text: &TextOf| join(hash, &self.hasher, text(view));
        let hash = texts.iter().fold(0, join);
        match self.find(cx, hash, |fork| fork.is_of_view(texts, view))? {
            Some(fork) => Ok(fork),
            None => self.create(cx, hash, self.key.value(cx, subject)?),
        }
    }

    /// The fork for an event, made if this is the first of its kind.
    fn fork(&self, cx: &Cx<'_>, subject: &Subject<'_>) -> Result<Arc<Fork>> {
        if let Some(hash) = self.key.text_hash(&self.hasher, subject) {
            let known = self.find(cx, hash, |fork| self.key.is(&fork.key, subject))?;
            if let Some(fork) = known {
                return Ok(fork);
            }
            return self.create(cx, hash, self.key.value(cx, subject)?);
        }
        let key = self.key.value(cx, subject)?;
        let hash = self.hasher.hash_one(&key);
        match self.find(cx, hash, |fork| fork.key == key)? {
            Some(fork) => Ok(fork),
            None => self.create(cx, hash, key),
        }
    }

    /// Whether an event is surely one of a fork's, without looking it up.
    fn is_of(
        &self,
        fork: &Fork,
        received: Option<(&Views<'_>, &[TextOf])>,
        index: usize,
        subject: &Subject<'_>,
    ) -> bool {
        self.ttl.is_none()
            && !self.sees
            && match received {
                Some((views, texts)) => fork.is_of_view(texts, views.head(index)),
                None => self.key.is(&fork.key, subject),
            }
    }

    fn shard(&self, hash: u64) -> &Mutex<HashTable<Arc<Fork>>> {
        &self.shards[(hash >> 32) as usize % SHARDS]
    }

    /// The fork that is there; one that was idle for too long is not.
    fn find(
        &self,
        cx: &Cx<'_>,
        hash: u64,
        is: impl Fn(&Fork) -> bool,
    ) -> Result<Option<Arc<Fork>>> {
        let mut shard = self.shard(hash).lock();
        let same = |fork: &Arc<Fork>| fork.hash == hash && is(fork);
        let Some(fork) = shard.find(hash, same).cloned() else {
            return Ok(None);
        };
        if self.ttl.is_none() && !self.sees {
            return Ok(Some(fork));
        }
        let world = cx.get::<World>()?;
        let now_us = world.now().us;
        if self.ttl.is_some_and(|ttl| fork.is_idle(now_us, ttl)) {
            if let Ok(entry) = shard.find_entry(hash, same) {
                entry.remove();
                self.lose(world, 1);
            }
            return Ok(None);
        }
        fork.seen_at_us.store(now_us, Ordering::Relaxed);
        Ok(Some(fork))
    }

    /// Builds the children without a lock, since they are code of the configuration; of two threads
    /// at it for the same key, the later one uses what the first made.
    fn create(&self, cx: &Cx<'_>, hash: u64, key: Value) -> Result<Arc<Fork>> {
        let world = cx.get::<World>()?;
        let now_us = world.now().us;
        let build = || cx.call(&self.new_fork, std::slice::from_ref(&key));
        let (children, nodes) = if self.keeps {
            keep::record(build)?
        } else {
            (build()?, Vec::new())
        };
        let children = Children::of_sequence(&children)?;
        let contained = children.is_contained();
        let fork = Arc::new(Fork {
            hash,
            texts: key_texts(&key, matches!(self.key, KeyOf::Fields(_))),
            key,
            children,
            nodes,
            seen_at_us: AtomicI64::new(now_us),
        });
        self.make_room(world);
        {
            let mut shard = self.shard(hash).lock();
            if let Some(other) = shard.find(hash, |other| other.key == fork.key) {
                return Ok(other.clone());
            }
            shard.insert_unique(hash, fork.clone(), |fork| fork.hash);
        }
        world.add_forks(1);
        self.count.fetch_add(1, Ordering::Relaxed);
        self.lose(world, self.sweep(now_us));
        self.contained.store(contained, Ordering::Relaxed);
        Ok(fork)
    }

    fn lose(&self, world: &World, count: usize) {
        self.count.fetch_sub(count, Ordering::Relaxed);
        world.remove_forks(count);
    }

    /// Forgets the oldest forks if there are as many as there may be.
    fn make_room(&self, world: &World) {
        let count = self.count.load(Ordering::Relaxed);
        if count < self.forks_max {
            return;
        }
        let seen = |fork: &Arc<Fork>| fork.seen_at_us.load(Ordering::Relaxed);
        let shards = self.shards.iter();
        let mut times: Vec<i64> = shards
            .flat_map(|shard| shard.lock().iter().map(seen).collect::<Vec<_>>())
            .collect();
        if times.is_empty() {
            return;
        }
        let mut left = (count / limits::FORKS_FORGOTTEN_PART).clamp(1, times.len());
        let newest = *times.select_nth_unstable(left - 1).1;
        let mut gone = Vec::new();
        for shard in &self.shards {
            let taken = |fork: &mut Arc<Fork>| {
                let old = left > 0 && seen(fork) <= newest;
                left -= usize::from(old);
                old
            };
            gone.extend(shard.lock().extract_if(taken));
        }
        world.count_dropped("by", gone.len());
        self.lose(world, gone.len());
    }

    /// Takes out forks that were idle for too long, at most once in the length of that time; how
    /// many.
    fn sweep(&self, now_us: i64) -> usize {
        let Some(ttl) = self.ttl else { return 0 };
        let last_us = self.swept_at_us.load(Ordering::Relaxed);
        if now_us.saturating_sub(last_us) < ttl.us {
            return 0;
        }
        self.swept_at_us.store(now_us, Ordering::Relaxed);
        let mut count = 0;
        for shard in &self.shards {
            // Collected first: dropping streams under the lock could come back to it.
            let mut shard = shard.lock();
            let gone: Vec<_> = shard.extract_if(|fork| fork.is_idle(now_us, ttl)).collect();
            drop(shard);
            count += gone.len();
        }
        count
    }
}

impl Fork {
    fn is_of_view(&self, texts: &[TextOf], view: &View<'_>) -> bool {
        let same = |(text, own): (&TextOf, &Option<Box<str>>)| text(view) == own.as_deref();
        // From the last part on: that is where events most often differ.
        let own = self.texts.as_deref();
        own.is_some_and(|own| texts.iter().zip(own).rev().all(same))
    }

    fn is_idle(&self, now_us: i64, ttl: Time) -> bool {
        now_us.saturating_sub(self.seen_at_us.load(Ordering::Relaxed)) > ttl.us
    }
}

impl Stream for By {
    fn call(&self, cx: &Cx<'_>, value: &Value) -> Result {
        self.fork(cx, &Subject::Value(value))?
            .children
            .call(cx, value);
        Ok(Value::Bool(true))
    }

    /// Event by event; those in a row that are of one fork go together.
    fn push(&self, cx: &Cx<'_>, batch: &Batch<'_>, chosen: &Selection) {
        let received = match (batch.views(), &self.texts) {
            (Some(views), Some(texts)) => Some((views, &**texts)),
            _ => None,
        };
        let mut row: Option<(Arc<Fork>, Selection)> = None;
        for index in chosen.iter() {
            let subject = batch.subject(index);
            if let Some((fork, own)) = &mut row
                && self.is_of(fork, received, index, &subject)
            {
                own.push(index);
                continue;
            }
            if let Some((fork, own)) = row.take() {
                fork.children.push(cx, batch, &own);
            }
            let fork = match received {
                Some((views, texts)) => self.fork_of_view(cx, texts, views.head(index), &subject),
                None => self.fork(cx, &subject),
            };
            match fork {
                Ok(fork) => row = Some((fork, Selection::single(index))),
                Err(thrown) => batch.fail(cx, index, "by", thrown),
            }
        }
        if let Some((fork, own)) = row {
            fork.children.push(cx, batch, &own);
        }
    }

    fn is_contained(&self) -> bool {
        matches!(self.key, KeyOf::Field(_) | KeyOf::Fields(_))
            && self.contained.load(Ordering::Relaxed)
    }

    fn keep(&self, cx: &Cx<'_>) -> Option<Kept> {
        let mut forks = Vec::new();
        for shard in &self.shards {
            let taken: Vec<Arc<Fork>> = shard.lock().drain().collect();
            for fork in taken {
                let seen_at_us = fork.seen_at_us.load(Ordering::Relaxed);
                forks.push((fork.key.clone(), seen_at_us, keep::take(cx, &fork.nodes)));
            }
        }
        if let Ok(world) = cx.get::<World>() {
            self.lose(world, forks.len());
        }
        Some(Kept::new(self.fields.clone(), forks))
    }

    fn adopt(&self, cx: &Cx<'_>, kept: Kept) -> std::result::Result<(), String> {
        let forks: Vec<(Value, i64, Taken)> = kept.state(&self.fields)?;
        let mut odd = Vec::new();
        for (key, seen_at_us, taken) in forks {
            let hash = self.key.hash_of(&self.hasher, &key);
            let fork = self
                .create(cx, hash, key)
                .map_err(|thrown| thrown.to_string())?;
            fork.seen_at_us.store(seen_at_us, Ordering::Relaxed);
            odd.extend(keep::adopt(cx, &fork.nodes, taken));
        }
        odd.sort_unstable();
        odd.dedup();
        if odd.is_empty() {
            Ok(())
        } else {
            Err(odd.join("; "))
        }
    }
}
