//! Events as the maps they behave as in the language.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use event::{Attr, Draft, Event, Field, FieldRef, Fields, Foreign, PackedHistogram, Time};

use crate::{Keyword, Map, Result, Value, histogram_value, seq};

/// The value under a keyword; `None` if the event has no such key.
pub fn get(event: &Event, key: &Keyword) -> Option<Value> {
    if key.namespace().is_some() {
        let name = format!("{}/{}", key.namespace().unwrap_or_default(), key.name());
        return field_value(event.get(&name), event);
    }
    field_value(event.get(key.name()), event)
}

pub(crate) fn field_value(field: FieldRef<'_>, event: &Event) -> Option<Value> {
    Some(match field {
        FieldRef::Absent => return None,
        FieldRef::Nil => Value::Nil,
        FieldRef::Str(text) => Value::str(text),
        FieldRef::Num(number) => number.into(),
        FieldRef::Time(time) => time.to_number().into(),
        FieldRef::Tags(tags) if event.tags_are_list() => {
            Value::list(tags.map(Value::str).collect())
        }
        FieldRef::Tags(tags) => Value::vector(tags.map(Value::str).collect()),
        FieldRef::Histogram(histogram) => histogram_value::value(histogram.unpack()),
        FieldRef::Odd(attr) => attr_value(attr),
    })
}

/// All keys with their values: the fields that are present, then the attributes.
pub fn entries(event: &Event) -> impl Iterator<Item = (Value, Value)> {
    let fields = Field::ALL.into_iter().filter_map(|field| {
        Some((
            Value::keyword(field.name()),
            field_value(event.field(field), event)?,
        ))
    });
    let attrs = event
        .attrs()
        .map(|(name, value)| (attr_key(name), Value::str(value)));
    let odd = event
        .odd_attrs()
        .map(|(name, value)| (attr_key(name), attr_value(value)));
    fields.chain(attrs).chain(odd)
}

/// The event as a plain map.
pub fn to_map(event: &Event) -> Map {
    entries(event).collect()
}

/// The number of keys.
pub fn count(event: &Event) -> usize {
    let present = |field: &Field| !matches!(event.field(*field), FieldRef::Absent);
    Field::ALL.iter().filter(|field| present(field)).count()
        + event.attrs().count()
        + event.odd_attrs().count()
}

fn attr_key(name: &str) -> Value {
    match name.split_once('/') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
            Value::Keyword(Keyword::new(Some(namespace), name))
        }
        _ => Value::keyword(name),
    }
}

fn attr_name(key: &Keyword) -> Cow<'_, str> {
    match key.namespace() {
        Some(namespace) => Cow::Owned(format!("{namespace}/{}", key.name())),
        None => Cow::Borrowed(key.name()),
    }
}

/// `(assoc event key value)`; a plain map when the key is not a keyword.
pub fn assoc(event: &Event, key: &Value, value: &Value) -> Result {
    let Value::Keyword(keyword) = key else {
        return Ok(Value::Map(to_map(event).assoc(key.clone(), value.clone())));
    };
    let mut draft = event.draft();
    set(&mut draft, keyword, value)?;
    Ok(Value::Event(draft.build()))
}

/// `(dissoc event key)`. A record that loses one of its eight fields becomes a plain event.
pub fn dissoc(event: &Event, key: &Value) -> Event {
    let Value::Keyword(keyword) = key else {
        return event.clone();
    };
    let name = attr_name(keyword);
    let mut draft = event.draft();
    match Field::named(&name) {
        Some(field) => {
            if draft.record {
                draft.record = false;
                draft.nil_fields = Field::ALL
                    .into_iter()
                    .filter(|f| matches!(event.field(*f), FieldRef::Nil))
                    .collect();
            }
            draft.clear(field);
        }
        None => draft.clear_attr(&name),
    }
    draft.build()
}

/// Makes an event of a map with keyword keys: a record if `record`, else a plain one. `None` when a
/// key is not a keyword.
pub fn from_map(map: &Map, record: bool) -> Result<Option<Event>> {
    let mut draft = Draft {
        record,
        ..Draft::default()
    };
    for (key, value) in map.iter() {
        let Value::Keyword(keyword) = key else {
            return Ok(None);
        };
        set(&mut draft, keyword, value)?;
    }
    Ok(Some(draft.build()))
}

/// Sets a field or attribute of a draft, of whatever kind the value is.
pub fn set(draft: &mut Draft<'_>, key: &Keyword, value: &Value) -> Result<()> {
    let name = attr_name(key);
    match Field::named(&name) {
        Some(field) => set_field(draft, field, value),
        None => {
            draft.set_attr(&name, to_attr(value));
            Ok(())
        }
    }
}

/// Sets one of the eight fields. Values of an unusual kind are kept as they are.
pub fn set_field(draft: &mut Draft<'_>, field: Field, value: &Value) -> Result<()> {
    draft.clear(field);
    if value.is_nil() {
        if !draft.record {
            draft.nil_fields.push(field);
        }
        return Ok(());
    }
    let text = || value.as_str().map(|text| Cow::Owned(text.to_owned()));
    let usual = match field {
        Field::Host => text().map(|text| draft.host = Some(text)),
        Field::Service => text().map(|text| draft.service = Some(text)),
        Field::State => text().map(|text| draft.state = Some(text)),
        Field::Description => text().map(|text| draft.description = Some(text)),
        Field::Metric => value.as_number().map(|number| draft.metric = Some(number)),
        Field::Ttl => value.as_number().map(|number| draft.ttl = Some(number)),
        Field::Time => value
            .as_number()
            .and_then(|n| Time::from_number(&n))
            .map(|time| draft.time = Some(time)),
        Field::Tags => set_tags(draft, value)?,
    };
    if usual.is_none() {
        draft.odd_fields.push((field, to_attr(value)));
    }
    Ok(())
}

fn set_tags(draft: &mut Draft<'_>, value: &Value) -> Result<Option<()>> {
    if !matches!(value, Value::Vector(_) | Value::List(_) | Value::Lazy(_)) {
        return Ok(None);
    }
    let mut tags = Vec::new();
    for tag in seq::iter(value) {
        match tag? {
            Value::Str(tag) => tags.push(Cow::Owned(tag.to_string())),
            _ => return Ok(None),
        }
    }
    draft.tags_list = !matches!(value, Value::Vector(_));
    draft.tags = Some(tags);
    Ok(Some(()))
}

/// A value as an event carries it.
pub fn to_attr(value: &Value) -> Attr {
    match value {
        Value::Nil => Attr::Nil,
        Value::Bool(bool) => Attr::Bool(*bool),
        Value::Str(text) => Attr::Str(text.clone()),
        _ => match value.as_number() {
            Some(number) => Attr::Num(number),
            None => match histogram_value::of(value) {
                Some(histogram) => Attr::Histogram(PackedHistogram::from(&**histogram)),
                None => Attr::Foreign(Arc::new(Carried(value.clone()))),
            },
        },
    }
}

/// A carried attribute as a value again.
pub fn attr_value(attr: &Attr) -> Value {
    match attr {
        Attr::Nil => Value::Nil,
        Attr::Bool(bool) => Value::Bool(*bool),
        Attr::Num(number) => number.clone().into(),
        Attr::Str(text) => Value::Str(text.clone()),
        Attr::List(items) => Value::vector(items.iter().map(attr_value).collect()),
        Attr::Map(entries) => Value::map(
            entries
                .iter()
                .map(|(key, value)| (attr_key(key), attr_value(value))),
        ),
        Attr::Histogram(packed) => histogram_value::value(packed.as_ref().unpack()),
        Attr::Foreign(foreign) => match foreign.as_any().downcast_ref::<Carried>() {
            Some(carried) => carried.0.clone(),
            None => Value::str(foreign.to_text()),
        },
    }
}

/// A value of the language inside an event.
struct Carried(Value);

impl fmt::Debug for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_readable())
    }
}

impl Foreign for Carried {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn to_text(&self) -> String {
        self.0.to_text()
    }

    fn to_json(&self) -> String {
        crate::json::to_json(&self.0)
    }

    fn same(&self, other: &dyn Foreign) -> bool {
        other
            .as_any()
            .downcast_ref::<Carried>()
            .is_some_and(|other| self.0 == other.0)
    }

    fn holds(&self, text: &str) -> bool {
        matches!(&self.0, Value::Set(set) if set.contains(&Value::str(text)))
    }
}
