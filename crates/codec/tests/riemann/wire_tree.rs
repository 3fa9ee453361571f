//! Messages as trees of wire fields, so that tests can make those that no encoder makes: fields of
//! the wrong type, unknown ones, groups, and bytes cut or changed.

use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub struct Field {
    pub number: u32,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub enum Value {
    Varint(u64),
    Fixed64(u64),
    Bytes(Vec<u8>),
    Nested(Vec<Field>),
    Group(Vec<Field>),
    Fixed32(u32),
}

pub fn bytes(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    fields.iter().for_each(|field| put(field, &mut out));
    out
}

fn put(field: &Field, out: &mut Vec<u8>) {
    let tag = |out: &mut Vec<u8>, wire_type: u32| {
        varint(out, u64::from(field.number << 3 | wire_type));
    };
    match &field.value {
        Value::Varint(value) => {
            tag(out, 0);
            varint(out, *value);
        }
        Value::Fixed64(value) => {
            tag(out, 1);
            out.extend(value.to_le_bytes());
        }
        Value::Bytes(bytes) => {
            tag(out, 2);
            varint(out, bytes.len() as u64);
            out.extend(bytes);
        }
        Value::Nested(fields) => {
            let inner = bytes(fields);
            tag(out, 2);
            varint(out, inner.len() as u64);
            out.extend(inner);
        }
        Value::Group(fields) => {
            tag(out, 3);
            out.extend(bytes(fields));
            tag(out, 4);
        }
        Value::Fixed32(value) => {
            tag(out, 5);
            out.extend(value.to_le_bytes());
        }
    }
}

fn varint(out: &mut Vec<u8>, value: u64) {
    prost::encoding::encode_varint(value, out);
}

/// Values that are likely to be of the field's own type, and sometimes of none.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-z]{0,8}".prop_map(String::into_bytes),
        ".{0,4}".prop_map(String::into_bytes),
        Just(b"host".to_vec()),
        Just(b"ttl".to_vec()),
        Just(vec![0, 1, 15, 0, 0, 3]),
        vec(any::<u8>(), 0..6),
    ];
    prop_oneof![
        3 => any::<u64>().prop_map(Value::Varint),
        1 => any::<u64>().prop_map(Value::Fixed64),
        6 => text.prop_map(Value::Bytes),
        1 => any::<u32>().prop_map(Value::Fixed32),
    ]
}

fn fields(
    inner: impl Strategy<Value = Vec<Field>> + Clone + 'static,
) -> impl Strategy<Value = Vec<Field>> + Clone {
    let value = prop_oneof![
        5 => value(),
        3 => inner.clone().prop_map(Value::Nested),
        1 => inner.prop_map(Value::Group),
    ];
    let number = prop_oneof![15 => 1..17u32, 1 => Just(100)];
    let field = (number, value).prop_map(|(number, value)| Field { number, value });
    vec(field, 0..10).boxed()
}

/// Messages with events, some of whose fields are of the wrong type or unknown.
pub fn message() -> impl Strategy<Value = Vec<Field>> {
    let leaf = vec(
        (1..4u32, value()).prop_map(|(number, value)| Field { number, value }),
        0..3,
    );
    let attribute = leaf.boxed();
    let event = fields(attribute);
    let event = event.prop_map(|fields| Field {
        number: 6,
        value: Value::Nested(fields),
    });
    let other = fields(Just(Vec::new()).boxed());
    (vec(event, 0..4), other).prop_map(|(events, other)| [events, other].concat())
}
