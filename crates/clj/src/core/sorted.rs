//! Sorted maps and sets: entries in an array in order, found by halving, copied when changed.

use std::any::Any;
use std::cmp::Ordering;
use std::sync::{Arc, Weak};

use super::arguments::not_a;
use super::sorting::{compare, compare_with, merge_sort};
use super::{maps, native};
use crate::equality::hash_entries;
use crate::object::Kind;
use crate::{Callable, Cx, Map, Native, Object, Result, Runtime, Thrown, Value, seq};

pub const NATIVES: &[Native] = &[
    native(
        "sorted-map",
        "([& keyvals])",
        "A map in the order of its keys.",
        (0, None),
        |_, a| sorted_map(Order::Natural, a),
    ),
    native(
        "sorted-map-by",
        "([comparator & keyvals])",
        "A map in the order that comparator gives.",
        (1, None),
        |cx, a| sorted_map(Order::by(cx, &a[0]), &a[1..]),
    ),
    native(
        "sorted-set",
        "([& keys])",
        "A set in order.",
        (0, None),
        |_, a| sorted_set(Order::Natural, a),
    ),
    native(
        "sorted-set-by",
        "([comparator & keys])",
        "A set in the order that comparator gives.",
        (1, None),
        |cx, a| sorted_set(Order::by(cx, &a[0]), &a[1..]),
    ),
    native(
        "subseq",
        "([sc test key] [sc start-test start-key end-test end-key])",
        "The entries whose keys pass.",
        (3, Some(5)),
        |cx, a| part(cx, a, false),
    ),
    native(
        "rsubseq",
        "([sc test key] [sc start-test start-key end-test end-key])",
        "The entries whose keys pass, backwards.",
        (3, Some(5)),
        |cx, a| part(cx, a, true),
    ),
];

#[derive(Clone)]
enum Order {
    Natural,
    By(Value, Weak<Runtime>),
}

impl Order {
    fn by(cx: &Cx<'_>, comparator: &Value) -> Order {
        Order::By(comparator.clone(), Arc::downgrade(cx.rt))
    }

    fn compare(&self, a: &Value, b: &Value) -> Result<Ordering> {
        match self {
            Order::Natural => compare(a, b),
            Order::By(comparator, rt) => match rt.upgrade() {
                Some(rt) => compare_with(&Cx::new(&rt), comparator, a, b),
                None => Err(Thrown::illegal_state(
                    "the runtime of this comparator is gone",
                )),
            },
        }
    }
}

/// What `sorted-map` makes. Keys are in order, none twice.
#[derive(Clone)]
pub struct SortedMap {
    order: Order,
    entries: Arc<Vec<(Value, Value)>>,
    meta: Option<Map>,
}

/// What `sorted-set` makes: its items are the keys.
#[derive(Clone)]
pub struct SortedSet(SortedMap);

fn sorted_map(order: Order, pairs: &[Value]) -> Result {
    if !pairs.len().is_multiple_of(2) {
        return Err(Thrown::illegal_argument(format!(
            "No value supplied for key: {}",
            pairs.last().cloned().unwrap_or_default().to_text()
        )));
    }
    let pairs = pairs
        .chunks(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect();
    Ok(Value::object(SortedMap::of(order, pairs)?))
}

fn sorted_set(order: Order, items: &[Value]) -> Result {
    let pairs = items
        .iter()
        .map(|item| (item.clone(), Value::Nil))
        .collect();
    Ok(Value::object(SortedSet(SortedMap::of(order, pairs)?)))
}

impl SortedMap {
    fn of(order: Order, pairs: Vec<(Value, Value)>) -> Result<SortedMap> {
        let sorted = merge_sort(pairs, &mut |a, b| order.compare(&a.0, &b.0))?;
        let mut entries: Vec<(Value, Value)> = Vec::with_capacity(sorted.len());
        for (key, value) in sorted {
            match entries.last_mut() {
                Some(last) if order.compare(&last.0, &key)? == Ordering::Equal => last.1 = value,
                _ => entries.push((key, value)),
            }
        }
        Ok(SortedMap {
            order,
            entries: Arc::new(entries),
            meta: None,
        })
    }

    /// Where the key is, or else where it would be.
    fn find(&self, key: &Value) -> Result<std::result::Result<usize, usize>> {
        let (mut low, mut high) = (0, self.entries.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.order.compare(&self.entries[middle].0, key)? {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(Ok(middle)),
            }
        }
        Ok(Err(low))
    }

    fn get_value(&self, key: &Value) -> Option<&(Value, Value)> {
        self.find(key)
            .ok()?
            .ok()
            .and_then(|at| self.entries.get(at))
    }

    fn with(&self, key: &Value, value: &Value) -> Result<SortedMap> {
        let mut entries = (*self.entries).clone();
        match self.find(key)? {
            Ok(at) => entries[at].1 = value.clone(),
            Err(at) => entries.insert(at, (key.clone(), value.clone())),
        }
        Ok(SortedMap {
            entries: Arc::new(entries),
            ..self.clone()
        })
    }

    fn without(&self, key: &Value) -> Result<SortedMap> {
        let mut entries = (*self.entries).clone();
        if let Ok(at) = self.find(key)? {
            entries.remove(at);
        }
        Ok(SortedMap {
            entries: Arc::new(entries),
            ..self.clone()
        })
    }

    fn keys(&self) -> Value {
        seq::chunk(
            self.entries.iter().map(|(key, _)| key.clone()).collect(),
            Value::Nil,
        )
    }

    fn same_entries(&self, map: &Value) -> bool {
        super::collections::count(map).is_ok_and(|count| count == self.entries.len())
            && self
                .entries
                .iter()
                .all(|(key, value)| seq::get(map, key).as_ref() == Some(value))
    }
}

impl Object for SortedMap {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.PersistentTreeMap"
    }

    fn kind(&self) -> Kind {
        Kind::Map
    }

    fn print(&self, out: &mut String, readably: bool) {
        crate::print::print_entries(self.entries.iter().map(|(k, v)| (k, v)), out, readably);
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<SortedMap>();
        other.is_some_and(|other| {
            self.entries.len() == other.entries.len()
                && self
                    .entries
                    .iter()
                    .all(|(k, v)| other.get_value(k).is_some_and(|(_, o)| o == v))
        })
    }

    fn equals_value(&self, other: &Value) -> bool {
        match other {
            Value::Map(_) => self.same_entries(other),
            Value::Event(event) => !event.is_record() && self.same_entries(other),
            _ => false,
        }
    }

    fn hash_code(&self) -> Option<u64> {
        let mut sum = SumHasher(0);
        hash_entries(
            self.entries.iter().map(|(key, value)| (key, value)),
            &mut sum,
        );
        Some(sum.0)
    }

    fn as_callable(&self) -> Option<&dyn Callable> {
        Some(self)
    }

    fn get(&self, key: &Value) -> Option<Value> {
        self.get_value(key).map(|(_, value)| value.clone())
    }

    fn assoc(&self, key: &Value, value: &Value) -> Option<Result> {
        Some(self.with(key, value).map(Value::object))
    }

    fn dissoc(&self, key: &Value) -> Option<Result> {
        Some(self.without(key).map(Value::object))
    }

    fn empty(&self) -> Option<Value> {
        Some(Value::object(SortedMap {
            entries: Arc::default(),
            ..self.clone()
        }))
    }

    fn count(&self) -> Option<usize> {
        Some(self.entries.len())
    }

    fn meta(&self) -> Option<Map> {
        self.meta.clone()
    }

    fn with_meta(&self, meta: Option<Map>) -> Option<Value> {
        Some(Value::object(SortedMap {
            meta,
            ..self.clone()
        }))
    }

    fn seq(&self) -> Option<Result> {
        let entries = self
            .entries
            .iter()
            .map(|(key, value)| seq::entry(key.clone(), value.clone()));
        Some(Ok(seq::chunk(entries.collect(), Value::Nil)))
    }
}

/// Keeps the last number written, which for the sums of [`hash_entries`] is the hash.
struct SumHasher(u64);

impl std::hash::Hasher for SumHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, sum: u64) {
        self.0 = sum;
    }
}

impl Callable for SortedMap {
    fn call(&self, _: &Cx<'_>, args: &[Value]) -> Result {
        match args {
            [key] => Ok(self.get(key).into()),
            [key, default] => Ok(self.get(key).unwrap_or_else(|| default.clone())),
            _ => Err(Thrown::arity(args.len(), self.class_name())),
        }
    }

    fn is_fn(&self) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Object for SortedSet {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "clojure.lang.PersistentTreeSet"
    }

    fn kind(&self) -> Kind {
        Kind::Set
    }

    fn print(&self, out: &mut String, readably: bool) {
        let items = self.0.entries.iter().map(|(key, _)| key.clone());
        crate::print::print_items(items, ("#{", "}"), out, readably);
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<SortedSet>();
        other.is_some_and(|other| self.0.equals(&other.0))
    }

    fn equals_value(&self, other: &Value) -> bool {
        match other {
            Value::Set(set) => {
                set.len() == self.0.entries.len()
                    && self.0.entries.iter().all(|(item, _)| set.contains(item))
            }
            _ => false,
        }
    }

    fn hash_code(&self) -> Option<u64> {
        use std::hash::BuildHasher;
        let hashes = self
            .0
            .entries
            .iter()
            .map(|(item, _)| foldhash::fast::FixedState::default().hash_one(item));
        Some(hashes.fold(0, u64::wrapping_add))
    }

    fn as_callable(&self) -> Option<&dyn Callable> {
        Some(self)
    }

    fn get(&self, key: &Value) -> Option<Value> {
        self.0.get_value(key).map(|(item, _)| item.clone())
    }

    fn dissoc(&self, key: &Value) -> Option<Result> {
        Some(self.0.without(key).map(|map| Value::object(SortedSet(map))))
    }

    fn conj(&self, item: &Value) -> Option<Result> {
        if self.0.get_value(item).is_some() {
            return Some(Ok(Value::object(self.clone())));
        }
        Some(
            self.0
                .with(item, &Value::Nil)
                .map(|map| Value::object(SortedSet(map))),
        )
    }

    fn empty(&self) -> Option<Value> {
        Some(Value::object(SortedSet(SortedMap {
            entries: Arc::default(),
            ..self.0.clone()
        })))
    }

    fn count(&self) -> Option<usize> {
        Some(self.0.entries.len())
    }

    fn meta(&self) -> Option<Map> {
        self.0.meta.clone()
    }

    fn with_meta(&self, meta: Option<Map>) -> Option<Value> {
        Some(Value::object(SortedSet(SortedMap {
            meta,
            ..self.0.clone()
        })))
    }

    fn seq(&self) -> Option<Result> {
        Some(Ok(self.0.keys()))
    }
}

impl Callable for SortedSet {
    fn call(&self, _: &Cx<'_>, args: &[Value]) -> Result {
        match args {
            [key] => Ok(self.get(key).into()),
            _ => Err(Thrown::arity(args.len(), self.class_name())),
        }
    }

    fn is_fn(&self) -> bool {
        false
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// `subseq` and `rsubseq`: each test is called with the order of a key against the limit, and zero.
fn part(cx: &Cx<'_>, args: &[Value], backwards: bool) -> Result {
    let (order, is_map) = match (
        args[0].downcast::<SortedMap>(),
        args[0].downcast::<SortedSet>(),
    ) {
        (Some(map), _) => (&map.order, true),
        (_, Some(set)) => (&set.0.order, false),
        _ => return Err(not_a(&args[0], "clojure.lang.Sorted")),
    };
    if args.len() == 4 {
        return Err(Thrown::arity(4, "clojure.core/subseq"));
    }
    let mut found = Vec::new();
    for item in seq::iter(&args[0]) {
        let item = item?;
        let key = if is_map {
            maps::pair_part(&item, 0)?
        } else {
            item.clone()
        };
        let mut inside = true;
        for limit in args[1..].chunks(2) {
            let sign = Value::Int(order.compare(&key, &limit[1])? as i64);
            inside = inside && cx.call(&limit[0], &[sign, Value::Int(0)])?.truthy();
        }
        if inside {
            found.push(item);
        }
    }
    if backwards {
        found.reverse();
    }
    Ok(seq::chunk(found, Value::Nil))
}
