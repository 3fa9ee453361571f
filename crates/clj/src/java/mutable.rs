//! Java's collections that change in place: `ArrayList` and `HashMap` with their like.

use std::any::Any;

use parking_lot::Mutex;

use super::{JavaClass, Static, constructor};
use crate::core::arguments::{int, not_a};
use crate::{Cx, Map, Object, Result, Thrown, Value, seq};

pub(super) const CLASSES: &[JavaClass] = &[
    list_class("java.util.ArrayList"),
    list_class("java.util.LinkedList"),
    list_class("java.util.Vector"),
    list_class("java.util.concurrent.CopyOnWriteArrayList"),
    map_class("java.util.HashMap"),
    map_class("java.util.LinkedHashMap"),
    map_class("java.util.TreeMap"),
    map_class("java.util.concurrent.ConcurrentHashMap"),
    JavaClass {
        name: "java.util.HashSet",
        construct: constructor(0, 1, |_, a| {
            let list = List {
                items: Mutex::default(),
                is_set: true,
            };
            list.add_all(a.first().unwrap_or(&Value::Nil))?;
            Ok(Value::object(list))
        }),
        statics: &[],
        fields: &[],
    },
];

const fn list_class(name: &'static str) -> JavaClass {
    JavaClass {
        name,
        construct: NEW_LIST,
        statics: &[],
        fields: &[],
    }
}

const fn map_class(name: &'static str) -> JavaClass {
    JavaClass {
        name,
        construct: NEW_MAP,
        statics: &[],
        fields: &[],
    }
}

/// The argument is the items, or a capacity that has no meaning here.
const NEW_LIST: Option<Static> = constructor(0, 1, |_, a| {
    let items = match a {
        [] | [Value::Int(_)] => Vec::new(),
        _ => seq::to_vec(&a[0])?,
    };
    Ok(Value::object(List {
        items: Mutex::new(items),
        is_set: false,
    }))
});

const NEW_MAP: Option<Static> = constructor(0, 3, |_, a| {
    let entries = match a.first() {
        None | Some(Value::Int(_)) => Map::default(),
        Some(map) => crate::types::to_map(map)?,
    };
    Ok(Value::object(Table(Mutex::new(entries))))
});

/// A list, or a set in the order of insertion.
struct List {
    items: Mutex<Vec<Value>>,
    is_set: bool,
}

impl List {
    fn add(&self, item: &Value) -> bool {
        let mut items = self.items.lock();
        let added = !self.is_set || !items.contains(item);
        if added {
            items.push(item.clone());
        }
        added
    }

    fn add_all(&self, more: &Value) -> Result {
        let mut added = false;
        for item in seq::to_vec(more)? {
            added |= self.add(&item);
        }
        Ok(Value::Bool(added))
    }

    /// Removes the item at an index and gives it, or the first equal to an object.
    fn remove(&self, what: &Value) -> Result {
        let mut items = self.items.lock();
        if let (Value::Int(_), false) = (what, self.is_set) {
            let index = self.index(&items, what)?;
            return Ok(items.remove(index));
        }
        let found = items.iter().position(|item| item == what);
        if let Some(index) = found {
            items.remove(index);
        }
        Ok(Value::Bool(found.is_some()))
    }

    fn index(&self, items: &[Value], index: &Value) -> Result<usize> {
        let found = usize::try_from(int(index)?)
            .ok()
            .filter(|index| *index < items.len());
        found.ok_or_else(|| {
            Thrown::new(
                "java.lang.IndexOutOfBoundsException",
                format!(
                    "Index {} out of bounds for length {}",
                    index.to_text(),
                    items.len()
                ),
            )
        })
    }

    fn snapshot(&self) -> Value {
        Value::list(self.items.lock().clone())
    }
}

impl Object for List {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        if self.is_set {
            "java.util.HashSet"
        } else {
            "java.util.ArrayList"
        }
    }

    fn is_a(&self, class: &str) -> bool {
        let own = if self.is_set {
            "java.util.Set"
        } else {
            "java.util.List"
        };
        class == own || matches!(class, "java.util.Collection" | "java.lang.Iterable")
    }

    fn print(&self, out: &mut String, readably: bool) {
        crate::print::print(&Value::vector(self.items.lock().clone()), out, readably);
    }

    fn equals_value(&self, other: &Value) -> bool {
        !self.is_set && other.is_sequential() && self.snapshot() == *other
    }

    fn count(&self) -> Option<usize> {
        Some(self.items.lock().len())
    }

    fn get(&self, key: &Value) -> Option<Value> {
        let items = self.items.lock();
        if self.is_set {
            return items.iter().find(|item| *item == key).cloned();
        }
        items.get(usize::try_from(int(key).ok()?).ok()?).cloned()
    }

    fn seq(&self) -> Option<Result> {
        Some(Ok(self.snapshot()))
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(match (name, args) {
            ("add" | "addLast" | "offer", [item]) => Ok(Value::Bool(self.add(item))),
            ("add", [at, item]) => {
                let at = int(at).map(|at| usize::try_from(at).unwrap_or(usize::MAX));
                at.map(|at| {
                    let mut items = self.items.lock();
                    let at = at.min(items.len());
                    items.insert(at, item.clone());
                    Value::Nil
                })
            }
            ("addFirst" | "push", [item]) => {
                self.items.lock().insert(0, item.clone());
                Ok(Value::Nil)
            }
            ("addAll", [items]) => self.add_all(items),
            ("set", [index, item]) => {
                let mut items = self.items.lock();
                self.index(&items, index)
                    .map(|index| std::mem::replace(&mut items[index], item.clone()))
            }
            ("get", [index]) => {
                let items = self.items.lock();
                self.index(&items, index).map(|index| items[index].clone())
            }
            ("remove", [what]) => self.remove(what),
            ("remove" | "poll" | "pop", []) => {
                let mut items = self.items.lock();
                Ok(if items.is_empty() {
                    Value::Nil
                } else {
                    items.remove(0)
                })
            }
            ("clear", []) => {
                self.items.lock().clear();
                Ok(Value::Nil)
            }
            ("removeFirst" | "removeLast" | "getFirst" | "getLast" | "element", []) => self
                .end(name)
                .ok_or_else(|| Thrown::without_message("java.util.NoSuchElementException")),
            ("pollFirst" | "pollLast" | "peekFirst" | "peekLast" | "peek", []) => {
                Ok(self.end(name).into())
            }
            ("removeIf", [test]) => {
                self.keep(|item| Ok(!cx.call(test, std::slice::from_ref(item))?.truthy()))
            }
            ("removeAll", [others]) => {
                seq::to_vec(others).and_then(|others| self.keep(|item| Ok(!others.contains(item))))
            }
            ("retainAll", [others]) => {
                seq::to_vec(others).and_then(|others| self.keep(|item| Ok(others.contains(item))))
            }
            ("toString", []) => Ok(Value::from(self.snapshot().to_text())),
            ("sort", [comparator]) => self.sort(cx, comparator),
            _ => {
                return known(
                    cx,
                    &self.snapshot(),
                    super::collection::SEQUENCE,
                    name,
                    args,
                );
            }
        })
    }
}

impl List {
    /// The first or last item as a method's name says, which also says if it is removed.
    fn end(&self, method: &str) -> Option<Value> {
        let mut items = self.items.lock();
        let is_last = method.ends_with("Last");
        if !method.starts_with("remove") && !method.starts_with("poll") {
            return if is_last { items.last() } else { items.first() }.cloned();
        }
        match items.is_empty() {
            true => None,
            false if is_last => items.pop(),
            false => Some(items.remove(0)),
        }
    }

    /// Keeps the items that a test lets through; true if one was removed.
    fn keep(&self, test: impl Fn(&Value) -> Result<bool>) -> Result {
        let before = self.items.lock().clone();
        let mut kept = Vec::with_capacity(before.len());
        for item in &before {
            if test(item)? {
                kept.push(item.clone());
            }
        }
        let changed = kept.len() < before.len();
        *self.items.lock() = kept;
        Ok(Value::Bool(changed))
    }

    fn sort(&self, cx: &Cx<'_>, comparator: &Value) -> Result {
        let items = self.snapshot();
        let sorted = match comparator {
            Value::Nil => super::core(cx, "sort", &[items]),
            by => super::core(cx, "sort", &[by.clone(), items]),
        };
        *self.items.lock() = seq::to_vec(&sorted?)?;
        Ok(Value::Nil)
    }
}

/// A method of the language's own collections, called on one with the same items.
fn known(
    cx: &Cx<'_>,
    items: &Value,
    methods: &'static [super::Method],
    name: &str,
    args: &[Value],
) -> Option<Result> {
    let tables = [methods, super::collection::ANY];
    let mut all = tables.iter().flat_map(|table| table.iter());
    let method = all.find(|method| method.name == name && method.takes(args))?;
    Some((method.code)(cx, items, args))
}

/// `HashMap`
struct Table(Mutex<Map>);

impl Table {
    fn put(&self, key: &Value, value: &Value) -> Value {
        let mut map = self.0.lock();
        let before = map.get(key).cloned().unwrap_or_default();
        map.insert(key.clone(), value.clone());
        before
    }

    /// Puts what a function gives; nil takes the key away.
    fn computed(&self, cx: &Cx<'_>, key: &Value, f: &Value, args: &[Value]) -> Result {
        let value = cx.call(f, args)?;
        if value.is_nil() {
            self.remove(key);
        } else {
            self.put(key, &value);
        }
        Ok(value)
    }

    fn remove(&self, key: &Value) -> Value {
        let mut map = self.0.lock();
        let before = map.get(key).cloned().unwrap_or_default();
        map.remove(key);
        before
    }

    fn snapshot(&self) -> Value {
        Value::Map(self.0.lock().clone())
    }
}

impl Object for Table {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.HashMap"
    }

    fn is_a(&self, class: &str) -> bool {
        matches!(
            class,
            "java.util.Map" | "java.util.concurrent.ConcurrentMap"
        )
    }

    fn print(&self, out: &mut String, readably: bool) {
        crate::print::print(&self.snapshot(), out, readably);
    }

    fn equals_value(&self, other: &Value) -> bool {
        matches!(other, Value::Map(_)) && self.snapshot() == *other
    }

    fn count(&self) -> Option<usize> {
        Some(self.0.lock().len())
    }

    fn get(&self, key: &Value) -> Option<Value> {
        self.0.lock().get(key).cloned()
    }

    fn seq(&self) -> Option<Result> {
        Some(seq::seq(&self.snapshot()))
    }

    fn method(&self, cx: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(Ok(match (name, args) {
            ("put", [key, value]) => self.put(key, value),
            ("putIfAbsent", [key, value]) => {
                let mut map = self.0.lock();
                let there = map.get(key).cloned().unwrap_or_default();
                if there.is_nil() {
                    map.insert(key.clone(), value.clone());
                }
                there
            }
            ("replace", [key, value]) => {
                let mut map = self.0.lock();
                let there = map.get(key).cloned();
                if there.is_some() {
                    map.insert(key.clone(), value.clone());
                }
                there.into()
            }
            ("remove", [key, value]) => {
                let mut map = self.0.lock();
                let same = map.get(key) == Some(value);
                if same {
                    map.remove(key);
                }
                Value::Bool(same)
            }
            ("computeIfAbsent", [key, f]) => match self.get(key).filter(|it| !it.is_nil()) {
                Some(there) => there,
                None => return Some(self.computed(cx, key, f, std::slice::from_ref(key))),
            },
            ("computeIfPresent", [key, f]) => match self.get(key).filter(|it| !it.is_nil()) {
                Some(there) => return Some(self.computed(cx, key, f, &[key.clone(), there])),
                None => Value::Nil,
            },
            ("compute", [key, f]) => {
                let there = self.get(key).unwrap_or_default();
                return Some(self.computed(cx, key, f, &[key.clone(), there]));
            }
            ("merge", [key, value, f]) => match self.get(key).filter(|it| !it.is_nil()) {
                Some(there) => return Some(self.computed(cx, key, f, &[there, value.clone()])),
                None => {
                    self.put(key, value);
                    value.clone()
                }
            },
            ("putAll", [more]) => match crate::types::to_map(more) {
                Ok(more) => {
                    more.iter()
                        .for_each(|(key, value)| drop(self.put(key, value)));
                    Value::Nil
                }
                Err(_) => return Some(Err(not_a(more, "java.util.Map"))),
            },
            ("remove", [key]) => self.remove(key),
            ("clear", []) => {
                *self.0.lock() = Map::default();
                Value::Nil
            }
            ("toString", []) => Value::from(self.snapshot().to_text()),
            _ => return known(cx, &self.snapshot(), super::collection::MAP, name, args),
        }))
    }
}

/// `java.util.Iterator` over items.
pub(super) fn iterator(items: Vec<Value>) -> Value {
    Value::object(Iter(Mutex::new(items.into_iter())))
}

struct Iter(Mutex<std::vec::IntoIter<Value>>);

impl Object for Iter {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        "java.util.Iterator"
    }

    /// What has not been gone through yet, for `iterator-seq`.
    fn seq(&self) -> Option<Result> {
        Some(Ok(Value::list(self.0.lock().as_slice().to_vec())))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        let mut items = self.0.lock();
        match (name, args) {
            ("hasNext", []) => Some(Ok(Value::Bool(items.len() > 0))),
            ("next", []) => Some(
                items
                    .next()
                    .ok_or_else(|| Thrown::without_message("java.util.NoSuchElementException")),
            ),
            _ => None,
        }
    }
}
