use crate::{Cx, Map, Result, Thrown, Value};
pub fn from_literal(_cx: &Cx<'_>, tag: &str, _map: &Map) -> Result {
    Err(Thrown::runtime(format!("No reader function for tag {tag}")))
}
pub fn set_field_value() -> Value {
    Value::Nil
}
