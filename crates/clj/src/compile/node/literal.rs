//! Collections with something to work out inside.

use super::{Frame, Node};
use crate::{Map, Result, Set, Thrown, Value, Vector};

pub struct VectorOf(pub Box<[Box<dyn Node>]>);

impl Node for VectorOf {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let mut items = Vec::with_capacity(self.0.len());
        for node in &self.0 {
            items.push(node.value(frame)?);
        }
        Ok(Value::Vector(Vector::from(items)))
    }
}

/// A key and its value.
pub type Entry = (Box<dyn Node>, Box<dyn Node>);

pub struct MapOf(pub Box<[Entry]>);

impl Node for MapOf {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let mut map = Map::default();
        for (key, value) in &self.0 {
            let key = key.value(frame)?;
            if map.contains_key(&key) {
                return Err(duplicate(&key));
            }
            let value = value.value(frame)?;
            map.insert(key, value);
        }
        Ok(Value::Map(map))
    }
}

pub struct SetOf(pub Box<[Box<dyn Node>]>);

impl Node for SetOf {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let mut set = Set::default();
        for node in &self.0 {
            let item = node.value(frame)?;
            if set.contains(&item) {
                return Err(duplicate(&item));
            }
            set = set.conj(item);
        }
        Ok(Value::Set(set))
    }
}

fn duplicate(key: &Value) -> Thrown {
    Thrown::illegal_argument(format!("Duplicate key: {}", key.to_readable()))
}

/// A vector, map or set literal with metadata.
pub struct WithMeta {
    pub node: Box<dyn Node>,
    pub meta: Map,
}

impl Node for WithMeta {
    fn value(&self, frame: &mut Frame<'_>) -> Result {
        let meta = Some(self.meta.clone());
        Ok(match self.node.value(frame)? {
            Value::Vector(vector) => Value::Vector(vector.with_meta(meta)),
            Value::Map(map) => Value::Map(map.with_meta(meta)),
            Value::Set(set) => Value::Set(set.with_meta(meta)),
            other => other,
        })
    }
}
