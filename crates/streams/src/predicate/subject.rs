//! What a predicate is asked about, and how it reads it.

use clj::{Cx, Result, Value, event_value, histogram_value};
use event::{Field, FieldRef, Fields, HistogramRef, Number, Tags, View};

use crate::{Batch, fields};

/// An event of a batch, as it lies, or any value.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    Row(&'a Batch<'a>, usize),
    Value(&'a Value),
}

/// The name of a field or attribute, without the colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    Field(Field),
    Attr(Box<str>),
}

/// What a field holds, borrowed where it can be.
#[derive(Clone)]
pub enum Reading<'a> {
    Nil,
    Str(&'a str),
    Num(Number),
    Tags(Tags<'a>),
    Value(Value),
}

impl Key {
    pub const TAGS: Key = Key::Field(Field::Tags);

    pub fn named(name: &str) -> Key {
        Field::named(name).map_or_else(|| Key::Attr(name.into()), Key::Field)
    }

    pub fn name(&self) -> &str {
        match self {
            Key::Field(field) => field.name(),
            Key::Attr(name) => name,
        }
    }
}

impl<'a> Subject<'a> {
    /// The whole event, made into a value if need be.
    pub fn value(&self) -> &'a Value {
        match self {
            Subject::Row(batch, index) => batch.value(*index),
            Subject::Value(value) => value,
        }
    }

    /// A received event where it lies, without its tags and attributes.
    pub(crate) fn head(&self) -> Option<&'a View<'a>> {
        match self {
            Subject::Row(batch, index) => Some(batch.views()?.head(*index)),
            Subject::Value(_) => None,
        }
    }

    /// What a field holds; nil where there is no such field.
    pub fn read(&self, key: &Key) -> Reading<'a> {
        match self {
            Subject::Row(batch, index) => match batch.views() {
                Some(views) => read_row(views, *index, key),
                None => read_value(batch.value(*index), key),
            },
            Subject::Value(value) => read_value(value, key),
        }
    }

    /// # Errors
    /// When time or ttl are not numbers.
    pub fn is_expired(&self, cx: &Cx<'_>) -> Result<bool> {
        if let Subject::Row(batch, index) = self
            && let Some(views) = batch.views()
        {
            return Ok(fields::is_view_expired_at(
                batch.now(cx)?,
                views.head(*index),
            ));
        }
        fields::is_expired(cx, self.value())
    }
}

fn read_row<'a>(views: &'a event::Views<'_>, index: usize, key: &Key) -> Reading<'a> {
    let head = views.head(index);
    let text = |text: Option<&'a str>| text.map_or(Reading::Nil, Reading::Str);
    match key {
        Key::Field(Field::Host) => text(head.host),
        Key::Field(Field::Service) => text(head.service),
        Key::Field(Field::State) => text(head.state),
        Key::Field(Field::Description) => text(head.description),
        Key::Field(Field::Metric) => match (head.metric, head.histogram) {
            (Some(metric), _) => Reading::Num(metric.into()),
            (None, Some(histogram)) => Reading::Value(unpacked(histogram)),
            (None, None) => Reading::Nil,
        },
        Key::Field(Field::Ttl) => head
            .ttl
            .map_or(Reading::Nil, |ttl| Reading::Num(ttl.into())),
        Key::Field(Field::Time) => head
            .time
            .map_or(Reading::Nil, |time| Reading::Num(time.to_number())),
        Key::Field(Field::Tags) => match views.get(index).tags {
            [] => Reading::Nil,
            tags => Reading::Tags(Tags::of(tags)),
        },
        Key::Attr(name) => {
            let attrs = views.get(index).attrs;
            let named = attrs.iter().rev().find(|(attr, _)| *attr == &**name);
            text(named.map(|(_, value)| *value))
        }
    }
}

fn unpacked(histogram: HistogramRef<'_>) -> Value {
    histogram_value::value(histogram.unpack())
}

fn read_value<'a>(value: &'a Value, key: &Key) -> Reading<'a> {
    match value {
        Value::Event(event) => match event.get(key.name()) {
            FieldRef::Absent | FieldRef::Nil => Reading::Nil,
            FieldRef::Str(text) => Reading::Str(text),
            FieldRef::Num(number) => Reading::Num(number),
            FieldRef::Time(time) => Reading::Num(time.to_number()),
            FieldRef::Tags(tags) => Reading::Tags(tags),
            FieldRef::Histogram(histogram) => Reading::Value(unpacked(histogram)),
            FieldRef::Odd(attr) => Reading::owned(event_value::attr_value(attr)),
        },
        Value::Map(map) => map
            .get_keyword(key.name())
            .map_or(Reading::Nil, Reading::of),
        Value::Object(_) | Value::Set(_) => Reading::owned(fields::get(value, key.name())),
        _ => Reading::Nil,
    }
}

impl<'a> Reading<'a> {
    pub fn of(value: &'a Value) -> Reading<'a> {
        match value {
            Value::Nil => Reading::Nil,
            Value::Str(text) => Reading::Str(text),
            _ => value
                .as_number()
                .map_or_else(|| Reading::Value(value.clone()), Reading::Num),
        }
    }

    pub(super) fn owned(value: Value) -> Reading<'a> {
        match value {
            Value::Nil => Reading::Nil,
            other => match other.as_number() {
                Some(number) => Reading::Num(number),
                None => Reading::Value(other),
            },
        }
    }

    pub fn into_value(self) -> Value {
        match self {
            Reading::Nil => Value::Nil,
            Reading::Str(text) => Value::str(text),
            Reading::Num(number) => number.into(),
            Reading::Tags(tags) => Value::vector(tags.map(Value::str).collect()),
            Reading::Value(value) => value,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Reading::Str(text) => Some(text),
            Reading::Value(value) => value.as_str(),
            _ => None,
        }
    }

    pub fn is_truthy(&self) -> bool {
        match self {
            Reading::Nil => false,
            Reading::Value(value) => value.truthy(),
            _ => true,
        }
    }

    /// The number that this is to be.
    ///
    /// # Errors
    /// `NullPointerException` for nil, `ClassCastException` for what is no number.
    pub fn number(&self) -> Result<Number> {
        match self {
            Reading::Num(number) => Ok(number.clone()),
            other => super::to_number(&other.clone().into_value()),
        }
    }

    /// `=`.
    pub fn equals(&self, other: &Reading<'_>) -> bool {
        match (self, other) {
            (Reading::Nil, Reading::Nil) => true,
            (Reading::Nil, Reading::Str(_) | Reading::Num(_) | Reading::Tags(_)) => false,
            (Reading::Str(a), Reading::Str(b)) => a == b,
            (Reading::Num(a), Reading::Num(b)) => a == b,
            (Reading::Str(_), Reading::Num(_) | Reading::Nil) => false,
            (Reading::Num(_), Reading::Str(_) | Reading::Nil) => false,
            (Reading::Str(text), Reading::Value(Value::Str(value)))
            | (Reading::Value(Value::Str(value)), Reading::Str(text)) => **value == **text,
            _ => self.clone().into_value() == other.clone().into_value(),
        }
    }
}
