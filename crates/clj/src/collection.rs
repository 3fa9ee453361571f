//! Persistent vectors, maps and sets. Small ones are arrays copied on write, which measured faster
//! up to a few dozen entries; larger ones are tries.

use std::sync::Arc;

use foldhash::fast::FixedState;
use rpds::{HashTrieMapSync, VectorSync};

use crate::{Value, deep};

/// Entries up to which a vector or map is a plain array.
const ARRAY_LEN_MAX: usize = 32;

/// Children of a trie node: one machine word of presence bits.
const TRIE_DEGREE: u8 = 64;

/// A persistent vector.
#[derive(Clone)]
pub struct Vector(Arc<VectorInner>);

#[derive(Clone)]
struct VectorInner {
    items: Items,
    meta: Option<Map>,
}

#[derive(Clone)]
enum Items {
    Array(Box<[Value]>),
    Trie(VectorSync<Value>),
}

/// Items may be vectors, and so on for any depth.
impl Drop for VectorInner {
    fn drop(&mut self) {
        match &mut self.items {
            Items::Array(items) if items.is_empty() => {}
            items => deep::drop_nested(std::mem::replace(items, Items::Array(Box::default()))),
        }
    }
}

impl Default for Vector {
    fn default() -> Vector {
        Vector::from(Vec::new())
    }
}

impl From<Vec<Value>> for Vector {
    fn from(items: Vec<Value>) -> Vector {
        let items = if items.len() <= ARRAY_LEN_MAX {
            Items::Array(items.into())
        } else {
            Items::Trie(items.into_iter().collect())
        };
        Vector(Arc::new(VectorInner { items, meta: None }))
    }
}

impl FromIterator<Value> for Vector {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Vector {
        Vector::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl Vector {
    pub fn len(&self) -> usize {
        match &self.0.items {
            Items::Array(items) => items.len(),
            Items::Trie(items) => items.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, index: usize) -> Option<&Value> {
        match &self.0.items {
            Items::Array(items) => items.get(index),
            Items::Trie(items) => items.get(index),
        }
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index).expect("index below length"))
    }

    /// All items.
    pub fn to_vec(&self) -> Vec<Value> {
        match &self.0.items {
            Items::Array(items) => items.to_vec(),
            Items::Trie(items) => items.iter().cloned().collect(),
        }
    }

    /// Adds an item in place, copying first if the vector is shared.
    pub fn push_mut(&mut self, item: Value) {
        match &mut Arc::make_mut(&mut self.0).items {
            Items::Trie(items) => items.push_back_mut(item),
            Items::Array(_) => *self = self.push(item),
        }
    }

    /// The vector with one more item at its end.
    #[must_use]
    pub fn push(&self, item: Value) -> Vector {
        let items = match &self.0.items {
            Items::Array(items) if items.len() < ARRAY_LEN_MAX => {
                Items::Array(items.iter().cloned().chain([item]).collect())
            }
            Items::Array(items) => Items::Trie(items.iter().cloned().chain([item]).collect()),
            Items::Trie(items) => Items::Trie(items.push_back(item)),
        };
        self.with_items(items)
    }

    /// The vector with one item replaced, or added when `index` is the length.
    #[must_use]
    pub fn set(&self, index: usize, item: Value) -> Option<Vector> {
        if index == self.len() {
            return Some(self.push(item));
        }
        let items = match &self.0.items {
            Items::Array(items) => {
                let mut items = items.clone();
                *items.get_mut(index)? = item;
                Items::Array(items)
            }
            Items::Trie(items) => Items::Trie(items.set(index, item)?),
        };
        Some(self.with_items(items))
    }

    /// The vector without its last item; `None` if it is empty.
    #[must_use]
    pub fn pop(&self) -> Option<Vector> {
        let items = match &self.0.items {
            Items::Array(items) => {
                let (_, rest) = items.split_last()?;
                Items::Array(rest.into())
            }
            Items::Trie(items) => Items::Trie(items.drop_last()?),
        };
        Some(self.with_items(items))
    }

    pub fn meta(&self) -> Option<&Map> {
        self.0.meta.as_ref()
    }

    #[must_use]
    pub fn with_meta(&self, meta: Option<Map>) -> Vector {
        Vector(Arc::new(VectorInner {
            items: self.0.items.clone(),
            meta,
        }))
    }

    fn with_items(&self, items: Items) -> Vector {
        Vector(Arc::new(VectorInner {
            items,
            meta: self.0.meta.clone(),
        }))
    }

    /// True if both are the very same vector.
    pub fn same(&self, other: &Vector) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A persistent map. Keeps insertion order while small.
#[derive(Clone)]
pub struct Map(Arc<MapInner>);

#[derive(Clone)]
struct MapInner {
    entries: Entries,
    meta: Option<Map>,
}

#[derive(Clone)]
enum Entries {
    Array(Vec<(Value, Value)>),
    Trie(HashTrieMapSync<Value, Value, FixedState>),
}

/// As for vectors.
impl Drop for MapInner {
    fn drop(&mut self) {
        match &mut self.entries {
            Entries::Array(entries) if entries.is_empty() => {}
            entries => deep::drop_nested(std::mem::replace(entries, Entries::Array(Vec::new()))),
        }
    }
}

impl Default for Map {
    fn default() -> Map {
        Map(Arc::new(MapInner {
            entries: Entries::Array(Vec::new()),
            meta: None,
        }))
    }
}

/// Later entries replace earlier ones of an equal key.
impl FromIterator<(Value, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Map {
        let mut map = Map::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl Map {
    pub fn len(&self) -> usize {
        match &self.0.entries {
            Entries::Array(entries) => entries.len(),
            Entries::Trie(entries) => entries.size(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, key: &Value) -> Option<&Value> {
        match &self.0.entries {
            Entries::Array(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            Entries::Trie(entries) => entries.get(key),
        }
    }

    /// The value under a keyword without a namespace.
    pub fn get_keyword(&self, name: &str) -> Option<&Value> {
        match &self.0.entries {
            Entries::Array(entries) => {
                let named = |key: &Value| match key {
                    Value::Keyword(key) => key.name() == name && key.namespace().is_none(),
                    _ => false,
                };
                entries
                    .iter()
                    .find(|(key, _)| named(key))
                    .map(|(_, value)| value)
            }
            Entries::Trie(entries) => entries.get(&Value::keyword(name)),
        }
    }

    pub fn contains_key(&self, key: &Value) -> bool {
        self.get(key).is_some()
    }

    pub fn iter(&self) -> Box<dyn Iterator<Item = (&Value, &Value)> + '_> {
        match &self.0.entries {
            Entries::Array(entries) => Box::new(entries.iter().map(|(key, value)| (key, value))),
            Entries::Trie(entries) => Box::new(entries.iter()),
        }
    }

    /// Sets a key in place, copying first if the map is shared.
    pub fn insert(&mut self, key: Value, value: Value) {
        let inner = Arc::make_mut(&mut self.0);
        match &mut inner.entries {
            Entries::Array(entries) => {
                if let Some(entry) = entries.iter_mut().find(|(k, _)| *k == key) {
                    entry.1 = value;
                } else if entries.len() < ARRAY_LEN_MAX {
                    entries.push((key, value));
                } else {
                    let mut trie = HashTrieMapSync::new_with_hasher_and_degree_and_ptr_kind(
                        FixedState::default(),
                        TRIE_DEGREE,
                    );
                    for (key, value) in entries.drain(..).chain([(key, value)]) {
                        trie.insert_mut(key, value);
                    }
                    inner.entries = Entries::Trie(trie);
                }
            }
            Entries::Trie(entries) => entries.insert_mut(key, value),
        }
    }

    /// Removes a key in place, copying first if the map is shared.
    pub fn remove(&mut self, key: &Value) {
        match &mut Arc::make_mut(&mut self.0).entries {
            Entries::Array(entries) => entries.retain(|(k, _)| k != key),
            Entries::Trie(entries) => {
                entries.remove_mut(key);
            }
        }
    }

    #[must_use]
    pub fn assoc(&self, key: Value, value: Value) -> Map {
        let mut map = self.clone();
        map.insert(key, value);
        map
    }

    #[must_use]
    pub fn dissoc(&self, key: &Value) -> Map {
        let mut map = self.clone();
        map.remove(key);
        map
    }

    pub fn meta(&self) -> Option<&Map> {
        self.0.meta.as_ref()
    }

    #[must_use]
    pub fn with_meta(&self, meta: Option<Map>) -> Map {
        Map(Arc::new(MapInner {
            entries: self.0.entries.clone(),
            meta,
        }))
    }

    /// True if both are the very same map.
    pub fn same(&self, other: &Map) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A persistent set. Keeps insertion order while small.
#[derive(Clone, Default)]
pub struct Set(Map);

impl FromIterator<Value> for Set {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Set {
        Set(items.into_iter().map(|item| (item.clone(), item)).collect())
    }
}

impl Set {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The set's own item equal to `item`.
    pub fn get(&self, item: &Value) -> Option<&Value> {
        self.0.get(item)
    }

    pub fn contains(&self, item: &Value) -> bool {
        self.0.contains_key(item)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().map(|(item, _)| item)
    }

    #[must_use]
    pub fn conj(&self, item: Value) -> Set {
        if self.contains(&item) {
            self.clone()
        } else {
            Set(self.0.assoc(item.clone(), item))
        }
    }

    #[must_use]
    pub fn disj(&self, item: &Value) -> Set {
        Set(self.0.dissoc(item))
    }

    /// True if both are the very same set.
    pub fn same(&self, other: &Set) -> bool {
        self.0.same(&other.0)
    }

    pub fn meta(&self) -> Option<&Map> {
        self.0.meta()
    }

    #[must_use]
    pub fn with_meta(&self, meta: Option<Map>) -> Set {
        Set(self.0.with_meta(meta))
    }
}
